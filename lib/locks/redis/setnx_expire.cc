// setnx-expire: SETNX, then the expiry in a second command. DEL releases. Seed 002 warns of this
// form.
//
// Claims:  one holder at a time; a dead holder blocks others no longer than its lease.
// Assumes: no client dies between the two commands; work ends within the lease.
// Attack:  kill the holder between the two commands: the key never expires, and no client is
//          granted it again (K01). The same happens when the reply to SETNX is lost. A late holder
//          deletes the next holder's lock (K03). The attacks on set-nx-px work too.
// Source:  seed 002, which names the defects.

#include <array>

#include "lib/clients/redis.h"
#include "lib/locks/owners.h"
#include "lib/locks/redis/key_operations.h"
#include "lib/locks/registry.h"

namespace doublehold {
namespace {

class SetnxExpire final : public Lock {
 public:
  explicit SetnxExpire(const LockContext& context)
      : env_(context.env),
        node_(context.redis().Connect(NodeId{1})),
        owners_(context.seed, context.client, context.thread) {}

  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override {
    Grant grant{.key = key, .hold = owners_.NextHold()};
    grant.owner = owners_.TextOf(grant.hold);
    const std::array<std::string_view, 3> setnx{"SETNX", key.name, grant.owner};
    const CallResult set = node_->Call(setnx, deadline);
    if (!set) return NotGranted(set.error(), std::move(grant));
    if (!set->IsInteger(1)) return Busy{};
    env_.Reach(Step::kMidAcquire);
    // The lease begins here, because the key has had no expiry so far. The reply is ignored.
    grant.valid_until = env_.Mono() + lease;
    [[maybe_unused]] const ExtendResult expires = Extend(grant, lease, deadline);
    return Granted{std::move(grant)};
  }

  // Does not compare the owner.
  ExtendResult Extend(const Grant& grant, Lease lease, Deadline deadline) override {
    const MonoTime valid_until = env_.Mono() + lease;
    const std::string lease_ms = std::to_string(ToMs(lease));
    const std::array<std::string_view, 3> expire{"PEXPIRE", grant.key.name, lease_ms};
    const CallResult result = node_->Call(expire, deadline);
    if (!result) return Undecided{};
    if (result->IsInteger(0)) return Lost{};
    return Extended{valid_until};
  }

  ReleaseResult Release(const Grant& grant, Deadline deadline) override {
    return DeleteWhateverIsThere(*node_, grant.key.name, deadline);
  }
  bool ReleasesAnothers() const override { return true; }

 private:
  Env& env_;
  std::unique_ptr<Connection> node_;
  Owners owners_;
};

}  // namespace

LockEntry SetnxExpireLock() {
  return {.name = "setnx-expire",
          .summary = "SETNX, then PEXPIRE as a second command; DEL",
          .sends = Sends{{"SETNX PEXPIRE DEL", "{}"}},
          .make = MakeLock<SetnxExpire>,
          .steps = {Step::kMidAcquire},
          .source = {.lease = "10s", .interval = "100ms", .timeout = "5s"}};
}

}  // namespace doublehold
