// postgres-advisory: pg_try_advisory_lock, a lock in the server's memory that belongs to a session.
// It lasts until it is unlocked or its session ends. There is no lease.
//
// Claims:  no session holds the lock while another does; a dead client's lock is free once the
//          server notices the end of its connection.
// Assumes: the server stays up, and each holder notices the end of its session before it goes on.
//          The key's 64-bit number differs from those of all other keys.
// Attack:  restart the server, or cut the holder's connection: the lock is gone, and the holder
//          does not know until it asks (K18). Stop the holder: nobody else is granted as long as
//          its connection lives, however long that is (S09).
// Source:  PostgreSQL's documentation, "Advisory Locks"; with_advisory_lock (Rails).

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/clients/sql.h"
#include "lib/locks/owners.h"
#include "lib/locks/registry.h"

namespace doublehold {
namespace {

// Returns the number of a key: its FNV-1a hash, which every client computes alike.
std::string AdvisoryNumber(const LockKey& key) {
  uint64_t hash = 14695981039346656037U;
  for (const char c : key.name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return std::to_string(static_cast<int64_t>(hash));
}

class PostgresAdvisory final : public Lock {
 public:
  explicit PostgresAdvisory(const LockContext& context)
      : clients_(context.env.clients().sql()),
        owners_(context.seed, context.client, context.thread) {}

  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override;
  ExtendResult Extend(const Grant& grant, Lease lease, Deadline deadline) override;
  ReleaseResult Release(const Grant& grant, Deadline deadline) override;

 private:
  struct Held {
    uint64_t hold = 0;
    std::string key;
  };
  [[nodiscard]] bool IsHeld(uint64_t hold) const {
    return std::ranges::find(held_, hold, &Held::hold) != held_.end();
  }

  SqlClients& clients_;
  Owners owners_;
  std::unique_ptr<SqlSession> session_;  // null before the first try
  std::vector<Held> held_;               // grants of session_; a later session holds none of them
  uint64_t without_reply_ = 0;           // the last hold whose outcome is not known
};

AcquireResult PostgresAdvisory::TryAcquire(const LockKey& key, Lease /*lease*/, Deadline deadline) {
  if (session_ == nullptr || session_->HasEnded()) {
    session_ = clients_.OpenSession(NodeId{1});
    held_.clear();
  }
  // The server would grant its lock to the same session again.
  if (std::ranges::find(held_, key.name, &Held::key) != held_.end()) return Busy{};
  Grant grant{.key = key, .hold = owners_.NextHold(), .valid_until = MonoTime::max()};
  grant.owner = owners_.TextOf(grant.hold);
  const std::string number = AdvisoryNumber(key);
  const SqlResult locked = session_->Execute("SELECT pg_try_advisory_lock($1)",
                                             std::array<std::string_view, 1>{number}, deadline);
  if (!locked) {
    // The session has ended, so the server frees the lock that it may have granted.
    if (locked.error().kind != SqlFailure::Kind::kNoReply) return Busy{};
    without_reply_ = grant.hold;
    return Unknown{std::move(grant)};
  }
  if (locked->at(0).at(0) != "t") return Busy{};
  held_.push_back({.hold = grant.hold, .key = key.name});
  return Granted{std::move(grant)};
}

// Nothing needs to be extended; asks whether the session of the grant still lives. Without a reply
// the client has ended the session itself, and holds nothing any more.
ExtendResult PostgresAdvisory::Extend(const Grant& grant, Lease /*lease*/, Deadline deadline) {
  if (!IsHeld(grant.hold)) return Lost{};
  const SqlResult alive = session_->Execute("SELECT 1", {}, deadline);
  if (alive) return Extended{.valid_until = MonoTime::max()};
  if (session_->HasEnded()) return Lost{};
  return Undecided{};
}

ReleaseResult PostgresAdvisory::Release(const Grant& grant, Deadline deadline) {
  if (grant.hold == without_reply_) return ReleaseResult::kUnknown;
  if (!IsHeld(grant.hold)) return ReleaseResult::kNotOwner;
  std::erase_if(held_, [&](const Held& held) { return held.hold == grant.hold; });
  const std::string number = AdvisoryNumber(grant.key);
  const SqlResult unlocked = session_->Execute("SELECT pg_advisory_unlock($1)",
                                               std::array<std::string_view, 1>{number}, deadline);
  if (unlocked) {
    return unlocked->at(0).at(0) == "t" ? ReleaseResult::kReleased : ReleaseResult::kNotOwner;
  }
  if (unlocked.error().kind == SqlFailure::Kind::kNoReply) return ReleaseResult::kUnknown;
  // The session ended before: its lock was gone. If it lives, its end frees the lock.
  const bool had_ended = session_->HasEnded();
  session_.reset();
  held_.clear();
  return had_ended ? ReleaseResult::kNotOwner : ReleaseResult::kUnknown;
}

// A lock in the server's memory stays there as long as its session.
AskLeft AskForAdvisoryLock(Env& env, NodeId node, Lease /*lease*/) {
  const std::shared_ptr<SqlSession> session = env.clients().sql().OpenSession(node);
  return [session](const LockKey& key, Deadline deadline) -> std::optional<int64_t> {
    const std::string number = AdvisoryNumber(key);
    const SqlResult locks = session->Execute(
        "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND "
        "classid::int8 << 32 | objid::int8 = $1",
        std::array<std::string_view, 1>{number}, deadline);
    if (!locks) return std::nullopt;
    return locks->empty() ? kNothingLeft : kLeftForEver;
  };
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
      .ask_left = AskForAdvisoryLock,
      .has_leases = false};
}

}  // namespace doublehold
