// postgres-advisory: pg_try_advisory_lock, a lock in the server's memory that belongs to a session.
// It lasts until it is unlocked or its session ends. There is no lease.
//
// Claims:  no session holds the lock while another does; a dead client's lock is free once the
//          server notices the end of its connection.
// Assumes: the server stays up, and each holder notices the end of its session before it goes on.
//          The key's 64-bit number differs from those of all other keys.
// Attack:  restart the server, or cut the holder's connection: the lock is gone, and the holder
//          does not know until it asks (S10). Promote a replica: it has no locks (S11). Pool by
//          transaction: clients share the session that has the lock (S12). Stop the holder: nobody
//          else is granted as long as its connection lives, however long that is (S09).
// Source:  PostgreSQL's documentation, "Advisory Locks"; with_advisory_lock (Rails).

#include <string>

#include "lib/locks/registry.h"
#include "lib/locks/sql/session_lock.h"

namespace doublehold {
namespace {

// Returns the number of a key: its FNV-1a hash, which every client computes alike.
std::string AdvisoryNumber(const LockKey& key) {
  uint64_t hash = 14695981039346656037U;
  for (const char c : key.name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return std::to_string(static_cast<int64_t>(hash));
}

constexpr SessionLockStatements kAdvisoryStatements{
    .lock = "SELECT pg_try_advisory_lock($1)",
    .unlock = "SELECT pg_advisory_unlock($1)",
    .find =
        "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND "
        "classid::int8 << 32 | objid::int8 = $1",
    .yes = "t",
    .name = AdvisoryNumber};

class PostgresAdvisory final : public SessionLock {
 public:
  explicit PostgresAdvisory(const LockContext& context)
      : SessionLock(context, context.env.clients().sql(), kAdvisoryStatements) {}
};

AskLeft AskForAdvisoryLock(Env& env, NodeId node, Lease /*lease*/) {
  return AskForSessionLock(env.clients().sql(), node, kAdvisoryStatements);
}

}  // namespace

LockEntry PostgresAdvisoryLock() {
  return {
      .name = "postgres-advisory",
      .summary = "PostgreSQL's advisory lock, which lasts as long as the holder's session",
      .service = kPostgresService,
      .options = {{.name = kThroughPooler,
                   .kind = OptionSpec::Kind::kChoice,
                   .fallback = kNoPooler,
                   .help = "clients share sessions through PgBouncer: each keeps one for its own "
                           "session, or for one transaction",
                   .choices = {kNoPooler, "session", "transaction"}}},
      .make = MakeLock<PostgresAdvisory>,
      .traits = {Trait::kSession},
      .option_traits = {{kThroughPooler, "transaction", Trait::kLentSession}},
      .ask_left = AskForAdvisoryLock,
      .has_leases = false};
}

}  // namespace doublehold
