#include "lib/locks/sql/session_lock.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace doublehold {
namespace {

SqlResult ExecuteFor(SqlSession& session, const SessionLockStatements& statements,
                     std::string_view statement, const LockKey& key, Deadline deadline) {
  const std::string name = statements.name(key);
  return session.Execute(statement, std::array<std::string_view, 1>{name}, deadline);
}

}  // namespace

bool SessionLock::IsHeld(uint64_t hold) const {
  return std::ranges::find(held_, hold, &Held::hold) != held_.end();
}

AcquireResult SessionLock::TryAcquire(const LockKey& key, Lease /*lease*/, Deadline deadline) {
  if (session_ == nullptr || session_->HasEnded()) {
    session_ = clients_.OpenSession(NodeId{1});
    held_.clear();
  }
  // The server would grant its lock to the same session again.
  if (std::ranges::find(held_, key.name, &Held::key) != held_.end()) return Busy{};
  Grant grant{.key = key, .hold = owners_.NextHold(), .valid_until = MonoTime::max()};
  grant.owner = owners_.TextOf(grant.hold);
  const SqlResult locked = ExecuteFor(*session_, statements_, statements_.lock, key, deadline);
  if (!locked) {
    // The session has ended, so the server frees the lock that it may have granted.
    if (locked.error().kind != SqlFailure::Kind::kNoReply) return Busy{};
    without_reply_ = grant.hold;
    return Unknown{std::move(grant)};
  }
  if (locked->at(0).at(0) != statements_.yes) return Busy{};
  held_.push_back({.hold = grant.hold, .key = key.name});
  return Granted{std::move(grant)};
}

// Nothing needs to be extended; asks whether the session of the grant still lives. Without a reply
// the client has ended the session itself, and holds nothing any more.
ExtendResult SessionLock::Extend(const Grant& grant, Lease /*lease*/, Deadline deadline) {
  if (!IsHeld(grant.hold)) return Lost{};
  const SqlResult alive = session_->Execute("SELECT 1", {}, deadline);
  if (alive) return Extended{.valid_until = MonoTime::max()};
  if (session_->HasEnded()) return Lost{};
  return Undecided{};
}

ReleaseResult SessionLock::Release(const Grant& grant, Deadline deadline) {
  if (grant.hold == without_reply_) return ReleaseResult::kUnknown;
  if (!IsHeld(grant.hold)) return ReleaseResult::kNotOwner;
  std::erase_if(held_, [&](const Held& held) { return held.hold == grant.hold; });
  const SqlResult unlocked =
      ExecuteFor(*session_, statements_, statements_.unlock, grant.key, deadline);
  if (unlocked) {
    return unlocked->at(0).at(0) == statements_.yes ? ReleaseResult::kReleased
                                                    : ReleaseResult::kNotOwner;
  }
  if (unlocked.error().kind == SqlFailure::Kind::kNoReply) return ReleaseResult::kUnknown;
  // The session ended before: its lock was gone. If it lives, its end frees the lock.
  const bool had_ended = session_->HasEnded();
  session_.reset();
  held_.clear();
  return had_ended ? ReleaseResult::kNotOwner : ReleaseResult::kUnknown;
}

AskLeft AskForSessionLock(SqlClients& clients, NodeId node, SessionLockStatements statements) {
  const std::shared_ptr<SqlSession> session = clients.OpenSession(node);
  return [session, statements](const LockKey& key, Deadline deadline) -> std::optional<int64_t> {
    const SqlResult found = ExecuteFor(*session, statements, statements.find, key, deadline);
    if (!found) return std::nullopt;
    return found->empty() ? kNothingLeft : kLeftForEver;
  };
}

}  // namespace doublehold
