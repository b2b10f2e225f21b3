// set-nx-px-del, set-nx-px-get-del: SET key owner NX PX lease, as in set-nx-px, with two naive
// releases that seed 002 warns of.
//
// Claims:  one holder at a time; a dead holder blocks others no longer than its lease.
// Assumes: no release is ever late.
// Attack:  the same as set-nx-px. set-nx-px-del deletes without comparing, so a holder that was
//          stopped past its lease frees the next holder's lock (K03). set-nx-px-get-del first
//          compares the owner, with GET. If its DEL is delayed, the key may belong to another owner
//          when the DEL arrives (K06).
// Source:  seed 002, which names the defects.

#include <array>

#include "lib/clients/redis.h"
#include "lib/locks/owners.h"
#include "lib/locks/redis/key_operations.h"
#include "lib/locks/registry.h"

namespace doublehold {
namespace {

class SetNxPxNaive final : public Lock {
 public:
  SetNxPxNaive(const LockContext& context, bool looks)
      : env_(context.env),
        node_(context.redis().Connect(NodeId{1})),
        owners_(context.seed, context.client, context.thread),
        looks_(looks) {}

  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override {
    return AcquireSetNxPx(env_, *node_, owners_, key, lease, deadline);
  }

  ExtendResult Extend(const Grant& grant, Lease lease, Deadline deadline) override {
    return ExtendIfOwned(env_, *node_, grant, lease, deadline);
  }

  ReleaseResult Release(const Grant& grant, Deadline deadline) override {
    if (!looks_) return DeleteWhateverIsThere(*node_, grant.key.name, deadline);
    const std::array<std::string_view, 2> get{"GET", grant.key.name};
    const CallResult seen = node_->Call(get, deadline);
    if (!seen) return ReleaseResult::kUnknown;
    if (seen->text != grant.owner) return ReleaseResult::kNotOwner;
    env_.Reach(Step::kMidRelease);
    return DeleteWhateverIsThere(*node_, grant.key.name, deadline);
  }
  bool ReleasesAnothers() const override { return !looks_; }

 private:
  Env& env_;
  std::unique_ptr<Connection> node_;
  Owners owners_;
  bool looks_;
};

}  // namespace

LockEntry SetNxPxDelLock() {
  return {.name = "set-nx-px-del",
          .summary = "SET NX PX; released by DEL without checking the owner",
          .sends = Sends{{"SET DEL EVALSHA EVAL", "{}"}},
          .make = [](const LockContext& context) -> std::unique_ptr<Lock> {
            return std::make_unique<SetNxPxNaive>(context, /*looks=*/false);
          },
          .source = {.lease = "10s", .interval = "100ms", .timeout = "5s"}};
}

LockEntry SetNxPxGetDelLock() {
  return {.name = "set-nx-px-get-del",
          .summary = "SET NX PX with an owner; released by GET, compare, DEL: three steps",
          .sends = Sends{{"SET GET DEL EVALSHA EVAL", "{}"}},
          .make = [](const LockContext& context) -> std::unique_ptr<Lock> {
            return std::make_unique<SetNxPxNaive>(context, /*looks=*/true);
          },
          .traits = {Trait::kLooksFirst},
          .steps = {Step::kMidRelease},
          .source = {.lease = "10s", .interval = "100ms", .timeout = "5s"}};
}

}  // namespace doublehold
