// setnx-getset: the key's value is the instant when the lease ends, by the client's own wall clock.
// SETNX takes a free key. GETSET takes over an expired key. The client has won if GETSET returns
// the value that GET returned before.
//
// Claims:  one holder at a time; a dead holder is followed by another after its instant.
// Assumes: the clients' wall clocks agree; work ends within the lease.
// Attack:  a client whose clock is ahead takes over a valid lock (K08). The release deletes any
//          value, so a late holder frees the next holder's lock (K03). A loser's GETSET overwrites
//          the winner's instant (K07) and removes the key's expiry of 24 h. A release between
//          another client's GET and GETSET leaves this client's value in a free lock until the
//          value's instant. Three attacks are those on set-nx-px: stop the holder (K14), delay its
//          write (K15), lose the server's memory (K18).
// Source:  seed 000: leases of 20 s (the annotation says 10 s); 22 tries, 50 ms apart. Option
//          finally-releases: the acquire is inside the try block whose finally releases, so a
//          client that was not granted the lock frees the holder's lock (K02).

#include <array>
#include <optional>

#include "lib/clients/redis.h"
#include "lib/locks/owners.h"
#include "lib/locks/redis/expiry_in_value.h"
#include "lib/locks/redis/key_operations.h"
#include "lib/locks/registry.h"

namespace doublehold {
namespace {

constexpr std::string_view kLastResortSeconds = "86400";  // 24 h, in case a holder crashes
constexpr int kGetTries = 3;                              // limits retries on connection errors

class SetnxGetset final : public Lock {
 public:
  explicit SetnxGetset(const LockContext& context)
      : env_(context.env),
        node_(context.redis().Connect(NodeId{1})),
        owners_(context.seed, context.client, context.thread),
        finally_releases_(context.options.Flag("finally-releases")) {}

  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override {
    const ValueInstant over = InstantAfter(env_, lease);
    const int64_t now_ms = over.wall_ms - ToMs(lease);
    Grant grant{.key = key,
                .owner = std::to_string(over.wall_ms),
                .hold = owners_.NextHold(),
                .valid_until = over.mono};
    const std::array<std::string_view, 3> setnx{"SETNX", key.name, grant.owner};
    const CallResult set = node_->Call(setnx, deadline);
    if (!set) return NotGranted(set.error(), std::move(grant));
    if (set->IsInteger(1)) return Take(std::move(grant), deadline);
    return TakeOver(std::move(grant), now_ms, deadline);
  }

  ExtendResult Extend(const Grant& grant, Lease lease, Deadline deadline) override {
    return ExtendInstant(env_, *node_, grant, lease, deadline);
  }

  // The release of the source always returns true. It compares no owner and ignores whether the key
  // exists.
  ReleaseResult Release(const Grant& grant, Deadline deadline) override {
    return DeleteWhateverIsThere(*node_, grant.key.name, deadline);
  }

  ReleaseResult GiveUp(const LockKey& key, Deadline deadline) override {
    if (!finally_releases_) return ReleaseResult::kNotOwner;
    return DeleteWhateverIsThere(*node_, key.name, deadline);
  }
  bool FreesOnGivingUp() const override { return finally_releases_; }
  bool ReleasesAnothers() const override { return true; }

 private:
  AcquireResult TakeOver(Grant grant, int64_t now_ms, Deadline deadline) {
    const std::array<std::string_view, 2> get{"GET", grant.key.name};
    CallResult seen = node_->Call(get, deadline);
    for (int tries = 1; !seen && tries < kGetTries; ++tries) seen = node_->Call(get, deadline);
    if (!seen) return Busy{};
    const std::optional<int64_t> instant_ms = InstantIn(*seen);
    if (!instant_ms || *instant_ms > now_ms) return Busy{};
    const std::array<std::string_view, 3> getset{"GETSET", grant.key.name, grant.owner};
    const CallResult before = node_->Call(getset, deadline);
    if (!before) return NotGranted(before.error(), std::move(grant));
    // Nil means that the holder released in between. The source throws here, and leaves the key
    // that it just wrote.
    if (before->IsNil() || before->text != seen->text) return Busy{};
    return Take(std::move(grant), deadline);
  }

  // Grants even if EXPIRE failed, because the instant in the value ends the lease.
  AcquireResult Take(Grant grant, Deadline deadline) {
    const std::array<std::string_view, 3> expire{"EXPIRE", grant.key.name, kLastResortSeconds};
    env_.Reach(Step::kMidAcquire);
    [[maybe_unused]] const CallResult result = node_->Call(expire, deadline);
    return Granted{std::move(grant)};
  }

  Env& env_;
  std::unique_ptr<Connection> node_;
  Owners owners_;
  bool finally_releases_;
};

}  // namespace

LockEntry SetnxGetsetLock() {
  return {.name = "setnx-getset",
          .summary =
              "SETNX of an expiry time by the client's clock; an expired one is taken over by "
              "GETSET; DEL",
          .options = {{.name = "finally-releases",
                       .kind = OptionSpec::Kind::kFlag,
                       .fallback = "false",
                       .help = "release the lock even if it was not granted (K02)"}},
          .sends = Sends{{"SETNX GET GETSET EXPIRE DEL SET", "{}"}},
          .make = MakeLock<SetnxGetset>,
          .traits = {Trait::kClientClocks},
          .steps = {Step::kMidAcquire},
          .end_is_in_value = true,
          .source = {.lease = "10s", .interval = "50ms", .retries = 21, .timeout = "10s"}};
}

}  // namespace doublehold
