// mariadb-get-lock: GET_LOCK, a lock in the server's memory that belongs to a session. It lasts
// until it is released or its session ends. There is no lease, and no other server knows the lock.
//
// Claims:  no session holds the lock while another does; a dead client's lock is free once the
//          server notices the end of its connection.
// Assumes: all clients use one server, which stays up, and each holder notices the end of its
//          session before it goes on. Names of keys differ in more than their case.
// Attack:  two writers of a Galera cluster: each grants the lock, without any fault (S15). Restart
//          the server, or end the holder's session: the lock is gone, and the holder does not know
//          until it asks (S10). Stop the holder: nobody else is granted as long as its connection
//          lives (S09).
// Source:  MariaDB's documentation, "GET_LOCK" and "MariaDB Galera Cluster - Known Limitations";
//          with_advisory_lock (Rails).

#include <string>

#include "lib/locks/registry.h"
#include "lib/locks/sql/session_lock.h"

namespace doublehold {
namespace {

constexpr SessionLockStatements kGetLockStatements{
    .lock = "SELECT GET_LOCK($1, 0)",
    .unlock = "SELECT RELEASE_LOCK($1)",
    .find = "SELECT 1 FROM DUAL WHERE IS_USED_LOCK($1) IS NOT NULL",
    .yes = "1",
    .name = [](const LockKey& key) { return key.name; }};

class MariaDbGetLock final : public SessionLock {
 public:
  explicit MariaDbGetLock(const LockContext& context)
      : SessionLock(context, context.env.clients().mariadb(), kGetLockStatements) {}
};

AskLeft AskForGetLock(Env& env, NodeId node, Lease /*lease*/) {
  return AskForSessionLock(env.clients().mariadb(), node, kGetLockStatements);
}

}  // namespace

LockEntry MariaDbGetLockLock() {
  return {.name = "mariadb-get-lock",
          .summary = "MariaDB's GET_LOCK, which one server keeps for the holder's session",
          .service = kMariaDbService,
          .make = MakeLock<MariaDbGetLock>,
          .traits = {Trait::kSession, Trait::kEachServer},
          .ask_left = AskForGetLock,
          .has_leases = false};
}

}  // namespace doublehold
