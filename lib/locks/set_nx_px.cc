// set-nx-px: SET key owner NX PX lease; released by comparing the owner in a script.
//
// Claims:  at most one client's lease is valid at a time; a dead holder blocks nobody longer than the lease.
// Assumes: one server that loses no write and whose clock runs at the clients' rate; work ends within the lease.
// Attack:  stop the holder past its lease, then let it write (K14); hold its write on the wire (K15);
//          move the server's clock (K17); lose the server's memory (K18).
// Option release=del: DEL without comparing. A late holder then frees the next one's lock (K03).

#include <array>

#include "lib/locks/node_key.h"
#include "lib/locks/variants.h"

namespace doublehold {
namespace {

class SetNxPx final : public Lock {
 public:
  explicit SetNxPx(const LockContext& context)
      : env_(context.env),
        node_(context.env.Connect(NodeId{1})),
        owners_(context.seed, context.client),
        compares_(context.options.Text("release") == "compare-and-delete") {}

  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override {
    const uint64_t hold = owners_.NextHold();
    Grant grant{.key = key, .owner = owners_.TextOf(hold), .hold = hold};
    grant.valid_until = env_.Mono() + lease;
    StartSetNxPx(*node_, key.name, grant.owner, lease, deadline);
    switch (FinishSetNxPx(*node_)) {
      case NodeAnswer::kYes:
        return Granted{std::move(grant)};
      case NodeAnswer::kUnknown:
        return Unknown{std::move(grant)};
      default:
        return Busy{};
    }
  }

  ExtendResult Extend(const Grant& grant, Lease lease, Deadline deadline) override {
    const MonoTime valid_until = env_.Mono() + lease;
    const std::string lease_ms = std::to_string(ToMs(lease));
    StartCompareAndExtend(*node_, grant.key.name, grant.owner, lease_ms, deadline);
    switch (FinishScript(*node_)) {
      case NodeAnswer::kYes:
        return Extended{valid_until};
      case NodeAnswer::kNo:
        return Lost{};
      default:
        return Undecided{};
    }
  }

  ReleaseResult Release(const Grant& grant, Deadline deadline) override {
    if (!compares_) return Delete(grant, deadline);
    StartCompareAndDelete(*node_, grant.key.name, grant.owner, deadline);
    switch (FinishScript(*node_)) {
      case NodeAnswer::kYes:
        return ReleaseResult::kReleased;
      case NodeAnswer::kNo:
        return ReleaseResult::kNotOwner;
      default:
        return ReleaseResult::kUnknown;
    }
  }

 private:
  ReleaseResult Delete(const Grant& grant, Deadline deadline) {
    const std::array<std::string_view, 2> command{"DEL", grant.key.name};
    return node_->Call(command, deadline) ? ReleaseResult::kReleased : ReleaseResult::kUnknown;
  }

  Env& env_;
  std::unique_ptr<Connection> node_;
  Owners owners_;
  bool compares_;
};

}  // namespace

std::unique_ptr<Lock> MakeSetNxPx(const LockContext& context) {
  return std::make_unique<SetNxPx>(context);
}

}  // namespace doublehold
