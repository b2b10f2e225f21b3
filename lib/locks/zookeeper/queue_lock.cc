#include "lib/locks/zookeeper/queue_lock.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/clients/zookeeper.h"
#include "lib/locks/owners.h"
#include "lib/locks/watchdog.h"

namespace doublehold {
namespace {

using ZooKind = ZooFailure::Kind;
using SharedSession = std::shared_ptr<ZooKeeperSession>;

constexpr std::string_view kRoot = "/doublehold";
constexpr size_t kNumberDigits = 10;  // appended by the server to a sequential node
// A node's name ends with one of these labels and its number.
constexpr std::string_view kAnyLabel = "lock-";
constexpr std::string_view kReadLabel = "read-";
constexpr std::string_view kWriteLabel = "write-";

// Returns the path of the node whose children are the key's queue.
std::string QueuePath(const LockKey& key) {
  std::string name = key.name;
  std::ranges::replace(name, '/', '|');
  return fmt::format("{}/{}", kRoot, name);
}

std::string_view NumberOf(std::string_view node) {
  return node.substr(node.size() - std::min(node.size(), kNumberDigits));
}

bool IsReader(std::string_view node) {
  return node.substr(0, node.size() - NumberOf(node).size()).ends_with(kReadLabel);
}

// The caller's node in a queue. It stays there from the first try for the key on, so that a waiter
// keeps its place, although each try has a hold number of its own.
struct QueuePlace {
  std::string queue;
  bool is_shared = false;
  uint64_t hold = 0;            // of the try that sent the create, or 0 if none was sent
  std::string prefix{};         // the path that was sent, without the number
  std::optional<ZooNode> node;  // empty if there was no reply to the create
};

class QueueLock : public Lock {
 public:
  QueueLock(const LockContext& context, QueueAccess access)
      : env_(context.env),
        access_(access),
        owners_(context.seed, context.client, context.thread),
        timeout_(context.lease),
        has_guid_(!context.options.Flag("no-guid")),
        watches_all_(context.options.Flag("watches-all")) {
    if (context.options.Flag("ignores-session")) return;
    watchdog_ = std::make_unique<Watchdog>(
        env_,
        [this](Env& env) {
          return [this, &env](const Grant& grant, Lease, Deadline deadline) {
            return Renew(env, grant, deadline);
          };
        },
        Watchdog::Care{.lease = timeout_});
  }

  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override;
  ExtendResult Extend(const Grant& grant, Lease /*lease*/, Deadline deadline) override {
    return Renew(env_, grant, deadline);
  }
  ReleaseResult Release(const Grant& grant, Deadline deadline) override;
  ReleaseResult GiveUp(const LockKey& key, Deadline deadline) override;
  Subscription* WakeUps(const LockKey& /*key*/) override {
    return session_ == nullptr ? nullptr : &session_->News();
  }
  bool ExtendsByItself() const override { return watchdog_ != nullptr; }

 private:
  struct Held {
    uint64_t hold = 0;
    SharedSession session;
  };

  ZooResult<void> Enter(QueuePlace& place, uint64_t hold, Deadline deadline);
  ZooResult<ZooNode> CreateNode(const QueuePlace& place, Deadline deadline);
  ZooResult<ZooNode> FindByGuid(const QueuePlace& place, Deadline deadline);
  AcquireResult AwaitTurn(const LockKey& key, const QueuePlace& place, uint64_t hold,
                          Deadline deadline);
  AcquireResult Admit(const LockKey& key, const QueuePlace& place, uint64_t hold,
                      MonoTime valid_until);
  AcquireResult Refuse(const ZooFailure& failure);
  ReleaseResult Leave(const LockKey& key, Deadline deadline);
  ReleaseResult Delete(const SharedSession& session, const std::string& path, Deadline deadline);
  ExtendResult Renew(Env& env, const Grant& grant, Deadline deadline);
  SharedSession FindHeld(uint64_t hold);
  void EndSession();
  // A session lasts for its own timeout, whatever lease the caller asks for.
  [[nodiscard]] MonoTime ValidUntil(MonoTime invoked) const {
    return watchdog_ == nullptr ? MonoTime::max() : invoked + timeout_;
  }

  [[nodiscard]] std::string_view LabelFor(bool is_shared) const {
    if (access_ == QueueAccess::kExclusive) return kAnyLabel;
    return is_shared ? kReadLabel : kWriteLabel;
  }

  Env& env_;
  QueueAccess access_;
  Owners owners_;
  Duration timeout_;
  bool has_guid_, watches_all_;
  SharedSession session_;  // null before the first try, and after the end of a session
  std::map<std::string, QueuePlace> places_;  // by queue; nodes of session_ that hold no lock
  std::vector<std::string> leftovers_;        // nodes of session_, which a Delete may have left
  std::mutex mutex_;
  std::vector<Held> held_;              // guarded by mutex_; the watchdog's task reads it too
  std::unique_ptr<Watchdog> watchdog_;  // null with ignores-session; declared last, as its task
                                        // uses the other members
};

AcquireResult QueueLock::TryAcquire(const LockKey& key, Lease /*lease*/, Deadline deadline) {
  if (session_ == nullptr) session_ = env_.clients().zookeeper().Open(timeout_);
  // A node that an earlier Delete left would hold the lock as long as the session lasts.
  for (const std::string& path : std::exchange(leftovers_, {})) {
    if (session_ != nullptr) [[maybe_unused]]
      const ReleaseResult tried = Delete(session_, path, deadline);
  }
  if (session_ == nullptr) return Busy{};
  const uint64_t hold = owners_.NextHold();
  const std::string queue = QueuePath(key);
  const bool is_shared = key.shared && access_ == QueueAccess::kReadWrite;
  const auto left = places_.find(queue);
  // A reader's node that an earlier try left would be in the way of its own client as a writer.
  if (left != places_.end() && left->second.is_shared != is_shared &&
      (Leave(key, deadline) == ReleaseResult::kUnknown || session_ == nullptr))
    return Busy{};
  QueuePlace& place =
      places_.try_emplace(queue, QueuePlace{.queue = queue, .is_shared = is_shared}).first->second;
  const ZooResult<void> entered = Enter(place, hold, deadline);
  if (entered) return AwaitTurn(key, place, hold, deadline);
  if (entered.error().kind == ZooKind::kNoReply && place.hold == hold)
    return Unknown{{.key = key, .owner = place.prefix, .hold = hold, .shared = is_shared}};
  return Refuse(entered.error());
}

// Puts the own node into the queue, unless it is there.
ZooResult<void> QueueLock::Enter(QueuePlace& place, uint64_t hold, Deadline deadline) {
  if (place.node) return {};
  if (place.hold != 0 && has_guid_) {
    ZooResult<ZooNode> found = FindByGuid(place, deadline);
    if (!found && found.error().kind != ZooKind::kNoNode)
      return tl::unexpected(std::move(found).error());
    if (found) {
      place.node = std::move(*found);
      return {};
    }
  }
  place.hold = hold;
  place.prefix = fmt::format("{}/{}{}", place.queue, has_guid_ ? owners_.TextOf(hold) + "-" : "",
                             LabelFor(place.is_shared));
  ZooResult<ZooNode> created = CreateNode(place, deadline);
  if (created) {
    place.node = std::move(*created);
    return {};
  }
  if (created.error().kind != ZooKind::kNoReply) place.hold = 0;
  return tl::unexpected(std::move(created).error());
}

// Creates the queue too if it is missing. Returns kNoReply only if the own node may exist.
ZooResult<ZooNode> QueueLock::CreateNode(const QueuePlace& place, Deadline deadline) {
  const auto create = [&](std::string_view path, ZooCreate how) {
    return session_->Create(path, "", how, deadline);
  };
  ZooResult<ZooNode> created = create(place.prefix, ZooCreate::kEphemeralSequential);
  if (created || created.error().kind != ZooKind::kNoNode) return created;
  for (const std::string_view parent : {kRoot, std::string_view(place.queue)}) {
    ZooResult<ZooNode> made = create(parent, ZooCreate::kPersistent);
    if (made || made.error().kind == ZooKind::kNodeExists) continue;
    if (made.error().kind == ZooKind::kNoReply) made.error().kind = ZooKind::kNotSent;
    return made;
  }
  return create(place.prefix, ZooCreate::kEphemeralSequential);
}

// Finds the node of a create without a reply. Returns kNoNode if the create was not executed. The
// server executes a session's requests in order, so it will not execute the create later either.
ZooResult<ZooNode> QueueLock::FindByGuid(const QueuePlace& place, Deadline deadline) {
  const ZooResult<std::vector<std::string>> names = session_->Children(place.queue, deadline);
  if (!names) return tl::unexpected(names.error());
  for (const std::string& name : *names) {
    const std::string path = fmt::format("{}/{}", place.queue, name);
    if (path.starts_with(place.prefix)) return session_->Find(path, deadline);
  }
  return tl::unexpected(ZooFailure{.kind = ZooKind::kNoNode, .message = "not in the queue"});
}

// Grants the lock if no node is before the own one. Otherwise watches the last node before it. A
// reader counts writers only.
AcquireResult QueueLock::AwaitTurn(const LockKey& key, const QueuePlace& place, uint64_t hold,
                                   Deadline deadline) {
  const std::string own = place.node->path.substr(place.queue.size() + 1);
  while (true) {
    const MonoTime invoked = env_.Mono();
    const ZooResult<std::vector<std::string>> names =
        watches_all_ ? session_->WatchChildren(place.queue, deadline)
                     : session_->Children(place.queue, deadline);
    if (!names) return Refuse(names.error());
    if (std::ranges::find(*names, own) == names->end()) {
      places_.erase(places_.find(place.queue));  // somebody else deleted the node
      return Busy{};
    }
    std::string before;
    for (const std::string& name : *names) {
      if (place.is_shared && IsReader(name)) continue;
      if (NumberOf(name) < NumberOf(own) && NumberOf(name) > NumberOf(before)) before = name;
    }
    if (before.empty()) return Admit(key, place, hold, ValidUntil(invoked));
    // The hint: the node before is gone after a session timeout, unless its client extends it.
    if (watches_all_) return Busy{timeout_};
    const ZooResult<ZooNode> watched =
        session_->Watch(fmt::format("{}/{}", place.queue, before), deadline);
    if (watched) return Busy{timeout_};
    if (watched.error().kind != ZooKind::kNoNode) return Refuse(watched.error());
  }
}

// Readers behind one writer are granted in any order, so only writers have tokens.
AcquireResult QueueLock::Admit(const LockKey& key, const QueuePlace& place, uint64_t hold,
                               MonoTime valid_until) {
  Grant grant{.key = key,
              .owner = place.node->path,
              .hold = hold,
              .valid_until = valid_until,
              .token = place.is_shared ? 0 : place.node->czxid,
              .shared = place.is_shared};
  places_.erase(places_.find(place.queue));
  {
    const std::lock_guard lock(mutex_);
    held_.push_back({.hold = hold, .session = session_});
  }
  if (watchdog_) watchdog_->Guard(grant);
  return Granted{std::move(grant)};
}

// Returns the result of a try that is not granted. The own node stays in the queue, if it is there:
// it blocks others only, until the next try, GiveUp, or the end of the session.
AcquireResult QueueLock::Refuse(const ZooFailure& failure) {
  if (failure.kind == ZooKind::kSessionEnded) EndSession();
  return Busy{};
}

void QueueLock::EndSession() {
  session_.reset();
  places_.clear();
  leftovers_.clear();
}

// After an acquire of unknown outcome, the caller holds nothing, and may never try again. So the
// release takes the own node out of the queue, although the next try could find it.
ReleaseResult QueueLock::Release(const Grant& grant, Deadline deadline) {
  if (watchdog_) watchdog_->Leave(grant);
  const SharedSession session = FindHeld(grant.hold);
  if (session == nullptr) return Leave(grant.key, deadline);
  const ReleaseResult result = Delete(session, grant.owner, deadline);
  const std::lock_guard lock(mutex_);
  std::erase_if(held_, [&](const Held& held) { return held.hold == grant.hold; });
  return result;
}

// Leaving a queue frees no lock.
ReleaseResult QueueLock::GiveUp(const LockKey& key, Deadline deadline) {
  return Leave(key, deadline) == ReleaseResult::kUnknown ? ReleaseResult::kUnknown
                                                         : ReleaseResult::kNotOwner;
}

// Deletes the own node in a key's queue. Without a reply to the search for the node, the place is
// kept, and the next try takes it over. A node whose deletion was sent is never used again.
ReleaseResult QueueLock::Leave(const LockKey& key, Deadline deadline) {
  const auto found = places_.find(QueuePath(key));
  if (found == places_.end()) return ReleaseResult::kNotOwner;
  QueuePlace& place = found->second;
  if (!place.node && place.hold != 0 && has_guid_) {
    ZooResult<ZooNode> node = FindByGuid(place, deadline);
    if (node) {
      place.node = std::move(*node);
    } else if (node.error().kind == ZooKind::kNoNode) {
      place.hold = 0;
    } else {
      const bool has_ended = node.error().kind == ZooKind::kSessionEnded;
      if (has_ended) EndSession();
      return has_ended ? ReleaseResult::kNotOwner : ReleaseResult::kUnknown;
    }
  }
  const QueuePlace left = std::move(place);
  places_.erase(found);
  if (left.node) return Delete(session_, left.node->path, deadline);
  // Without a guid, nobody can tell the node from those of other clients.
  return left.hold == 0 ? ReleaseResult::kNotOwner : ReleaseResult::kUnknown;
}

ReleaseResult QueueLock::Delete(const SharedSession& session, const std::string& path,
                                Deadline deadline) {
  const SharedSession used = session;  // EndSession may reset the argument
  const ZooResult<void> deleted = used->Delete(path, deadline);
  if (deleted) return ReleaseResult::kReleased;
  if (deleted.error().kind == ZooKind::kNoNode) return ReleaseResult::kNotOwner;
  if (deleted.error().kind == ZooKind::kSessionEnded) {
    if (used == session_) EndSession();
    return ReleaseResult::kNotOwner;
  }
  if (used == session_) leftovers_.push_back(path);
  return ReleaseResult::kUnknown;
}

// Used by the watchdog's task too. Asks the session in which the lock was granted: a later session
// would not own the node.
ExtendResult QueueLock::Renew(Env& env, const Grant& grant, Deadline deadline) {
  const SharedSession session = FindHeld(grant.hold);
  if (session == nullptr) return Lost{};  // released before
  const MonoTime invoked = env.Mono();
  const ZooResult<ZooNode> found = session->Find(grant.owner, deadline);
  if (found) return Extended{ValidUntil(invoked)};
  const ZooKind kind = found.error().kind;
  if (kind == ZooKind::kNoNode || kind == ZooKind::kSessionEnded) return Lost{};
  return Undecided{};
}

// Returns the session of a hold, or null if the hold was not granted or is released.
SharedSession QueueLock::FindHeld(uint64_t hold) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(held_, hold, &Held::hold);
  return found == held_.end() ? nullptr : found->session;
}

}  // namespace

std::unique_ptr<Lock> MakeQueueLock(const LockContext& context, QueueAccess access) {
  return std::make_unique<QueueLock>(context, access);
}

std::vector<OptionSpec> QueueOptions() {
  using Kind = OptionSpec::Kind;
  return {{.name = "no-guid",
           .kind = Kind::kFlag,
           .fallback = "false",
           .help = "never look for the own node after a lost reply (S05)"},
          {.name = "ignores-session",
           .kind = Kind::kFlag,
           .fallback = "false",
           .help = "stay the holder when the session has ended (S04)"},
          {.name = "watches-all",
           .kind = Kind::kFlag,
           .fallback = "false",
           .help = "watch the whole queue, so that each release wakes all waiters"}};
}

std::vector<OptionTrait> QueueOptionTraits() {
  return {{"ignores-session", "true", Trait::kIgnoresEnd}};
}

AskLeft AskForQueueNodes(Env& env, NodeId /*node*/, Lease lease) {
  const SharedSession session = env.clients().zookeeper().Open(lease);
  return [session, lease](const LockKey& key, Deadline deadline) -> std::optional<int64_t> {
    const ZooResult<std::vector<std::string>> names = session->Children(QueuePath(key), deadline);
    if (!names && names.error().kind != ZooKind::kNoNode) return std::nullopt;
    return !names || names->empty() ? kNothingLeft : ToMs(lease);
  };
}

}  // namespace doublehold
