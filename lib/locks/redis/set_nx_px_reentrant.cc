// set-nx-px-reentrant: set-nx-px with a marker in the process for each key that a thread holds. A
// thread with the marker enters without asking the server, and its last exit releases.
//
// Claims:  one owner at a time; the owner may enter again.
// Assumes: the same as set-nx-px; while a thread has a marker, it still holds the lock, because the
//          server is not asked.
// Attack:  the same as set-nx-px. A thread that enters again after its lease has ended enters
//          because of the marker alone (K13).
// Source:  seed 002. Option leaky-marker: nothing is released when the section throws, so the
//          marker and the lock stay.

#include <map>

#include "lib/clients/redis.h"
#include "lib/locks/owners.h"
#include "lib/locks/redis/key_operations.h"
#include "lib/locks/registry.h"

namespace doublehold {
namespace {

class SetNxPxReentrant final : public Lock {
 public:
  explicit SetNxPxReentrant(const LockContext& context)
      : env_(context.env),
        node_(context.redis().Connect(NodeId{1})),
        owners_(context.seed, context.client, context.thread),
        leaks_(context.options.Flag("leaky-marker")) {}

  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override {
    if (const auto marker = markers_.find(key.name); marker != markers_.end()) {
      ++marker->second.depth;
      Grant again = marker->second.grant;
      again.hold = owners_.NextHold();
      return Granted{std::move(again)};
    }
    AcquireResult result = AcquireSetNxPx(env_, *node_, owners_, key, lease, deadline);
    if (const auto* granted = std::get_if<Granted>(&result))
      markers_[key.name] = {.grant = granted->grant, .depth = 1};
    return result;
  }

  ExtendResult Extend(const Grant& grant, Lease lease, Deadline deadline) override {
    ExtendResult result = ExtendIfOwned(env_, *node_, grant, lease, deadline);
    const auto* extended = std::get_if<Extended>(&result);
    const auto marker = markers_.find(grant.key.name);
    if (extended != nullptr && marker != markers_.end())
      marker->second.grant.valid_until = extended->valid_until;
    return result;
  }

  // An inner release frees nothing, so it sends nothing and reports success.
  ReleaseResult Release(const Grant& grant, Deadline deadline) override {
    const auto marker = markers_.find(grant.key.name);
    if (marker != markers_.end() && marker->second.grant.owner == grant.owner) {
      if (--marker->second.depth > 0) return ReleaseResult::kReleased;
      markers_.erase(marker);
    }
    return ReleaseIfOwned(*node_, grant, deadline);
  }

  bool StaysLockedOnThrow() const override { return leaks_; }

 private:
  struct Marker {
    Grant grant;  // of the outermost entry
    int depth = 0;
  };

  Env& env_;
  std::unique_ptr<Connection> node_;
  Owners owners_;
  bool leaks_;
  std::map<std::string, Marker> markers_;
};

}  // namespace

LockEntry SetNxPxReentrantLock() {
  return {.name = "set-nx-px-reentrant",
          .summary = "set-nx-px, with re-entry by a marker in the process",
          .options = {{.name = "leaky-marker",
                       .kind = OptionSpec::Kind::kFlag,
                       .fallback = "false",
                       .help = "leave marker and lock when a section throws (K13)"}},
          .sends = Sends{{"SET EVALSHA EVAL", "{}"}},
          .make = MakeLock<SetNxPxReentrant>,
          .traits = {Trait::kReentry},
          .source = {.lease = "10s", .interval = "100ms", .timeout = "5s"}};
}

}  // namespace doublehold
