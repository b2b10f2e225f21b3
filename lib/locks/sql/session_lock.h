// Shared by locks that an SQL database keeps for a session: they last until they are unlocked or
// their session ends. There is no lease.
#ifndef DOUBLEHOLD_LIB_LOCKS_SQL_SESSION_LOCK_H_
#define DOUBLEHOLD_LIB_LOCKS_SQL_SESSION_LOCK_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/clients/sql.h"
#include "lib/locks/lock.h"
#include "lib/locks/owners.h"
#include "lib/locks/registry.h"

namespace doublehold {

// The statements of a database. In each, $1 stands for the name of the key's lock.
struct SessionLockStatements {
  std::string_view lock;    // returns `yes` if the session has got the lock; never waits
  std::string_view unlock;  // returns `yes` if the session had the lock
  std::string_view find;    // returns a row if some session has the lock
  std::string_view yes;
  std::string (*name)(const LockKey&);  // must not depend on the client
};

// Not thread-safe. Opens a session on the first try, and a new one after the end of a session. A
// grant is valid only in the session that acquired it. Extend asks whether that session lives.
class SessionLock : public Lock {
 public:
  SessionLock(const LockContext& context, SqlClients& clients, SessionLockStatements statements)
      : clients_(clients),
        statements_(statements),
        owners_(context.seed, context.client, context.thread) {}

  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override;
  ExtendResult Extend(const Grant& grant, Lease lease, Deadline deadline) override;
  ReleaseResult Release(const Grant& grant, Deadline deadline) override;

 private:
  struct Held {
    uint64_t hold = 0;
    std::string key;
  };
  [[nodiscard]] bool IsHeld(uint64_t hold) const;

  SqlClients& clients_;
  SessionLockStatements statements_;
  Owners owners_;
  std::unique_ptr<SqlSession> session_;  // null before the first try
  std::vector<Held> held_;               // grants of session_; a later session holds none of them
  uint64_t without_reply_ = 0;           // the last hold whose outcome is not known
};

// For LockEntry::ask_left: a lock lasts as long as its session, and no client knows how long that
// is. So a lock that is left counts as left for ever.
AskLeft AskForSessionLock(SqlClients& clients, NodeId node, SessionLockStatements statements);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_SQL_SESSION_LOCK_H_
