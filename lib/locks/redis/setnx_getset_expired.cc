// setnx-getset-expired: the key's value is the instant when the lease ends, by the client's own
// wall clock, and the key has no expiry. SETNX takes a free key. GETSET overwrites an expired
// value. The client has won if the value that GETSET returns has expired too, even if it differs
// from the value of GET. A release sends GET, and then DEL if the value has not expired.
//
// Claims:  one holder at a time; a dead holder is followed by another after its instant.
// Assumes: the clients' wall clocks agree; work ends within the lease; nothing happens between two
//          commands.
// Attack:  a client whose clock is ahead takes over a valid lock (K07, K08). A late holder reads
//          the next holder's value, which has not expired, and deletes the key (K04). A DEL that
//          arrives late also deletes the next holder's key (K05). A release between another
//          client's GET and GETSET leaves this client's value in a free lock (K09). The blocking
//          form never reads the value, so a dead holder blocks its waiters for ever (K10). Three
//          attacks are those on set-nx-px: stop the holder (K14), delay its write (K15), lose the
//          server's memory (K18).
// Source:  seed 004: leases of 5 s. The blocking form of the seed does not pause between its tries.
//          Here it waits by the retry policy, like every lock.

#include <array>
#include <optional>

#include "lib/clients/redis.h"
#include "lib/locks/owners.h"
#include "lib/locks/redis/expiry_in_value.h"
#include "lib/locks/redis/key_operations.h"
#include "lib/locks/registry.h"

namespace doublehold {
namespace {

class SetnxGetsetExpired final : public Lock {
 public:
  explicit SetnxGetsetExpired(const LockContext& context)
      : env_(context.env),
        node_(context.redis().Connect(NodeId{1})),
        owners_(context.seed, context.client, context.thread),
        takes_over_(context.options.Text("form") == "try") {}

  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override {
    // The source adds one millisecond to the lease.
    const ValueInstant over = InstantAfter(env_, lease + 1ms);
    Grant grant{.key = key,
                .owner = std::to_string(over.wall_ms),
                .hold = owners_.NextHold(),
                .valid_until = over.mono};
    const std::array<std::string_view, 3> setnx{"SETNX", key.name, grant.owner};
    const CallResult set = node_->Call(setnx, deadline);
    if (!set) return NotGranted(set.error(), std::move(grant));
    if (set->IsInteger(1)) return Granted{std::move(grant)};
    if (!takes_over_) return Busy{};
    return TakeOver(std::move(grant), deadline);
  }

  ExtendResult Extend(const Grant& grant, Lease lease, Deadline deadline) override {
    return ExtendInstant(env_, *node_, grant, lease + 1ms, deadline);
  }

  // If the key is missing, the source throws. Here the result is kNotOwner, because this release
  // freed no lock.
  ReleaseResult Release(const Grant& grant, Deadline deadline) override {
    const std::array<std::string_view, 2> get{"GET", grant.key.name};
    const CallResult seen = node_->Call(get, deadline);
    if (!seen) return ReleaseResult::kUnknown;
    const std::optional<int64_t> instant_ms = InstantIn(*seen);
    if (!instant_ms || *instant_ms < NowMs()) return ReleaseResult::kNotOwner;
    env_.Reach(Step::kMidRelease);
    return DeleteWhateverIsThere(*node_, grant.key.name, deadline);
  }
  bool ReleasesAnothers() const override { return true; }

 private:
  int64_t NowMs() { return ToMs(env_.Wall()); }

  AcquireResult TakeOver(Grant grant, Deadline deadline) {
    const std::array<std::string_view, 2> get{"GET", grant.key.name};
    const CallResult seen = node_->Call(get, deadline);
    if (!seen) return Busy{};
    const std::optional<int64_t> instant_ms = InstantIn(*seen);
    if (!instant_ms || *instant_ms >= NowMs()) return Busy{};
    const std::array<std::string_view, 3> getset{"GETSET", grant.key.name, grant.owner};
    const CallResult before = node_->Call(getset, deadline);
    if (!before) return NotGranted(before.error(), std::move(grant));
    const std::optional<int64_t> before_ms = InstantIn(*before);
    if (!before_ms || *before_ms >= NowMs()) return Busy{};
    return Granted{std::move(grant)};
  }

  Env& env_;
  std::unique_ptr<Connection> node_;
  Owners owners_;
  bool takes_over_;
};

}  // namespace

LockEntry SetnxGetsetExpiredLock() {
  return {.name = "setnx-getset-expired",
          .summary =
              "setnx-getset without an expiry in Redis; any expired value can be taken over; GET, "
              "then DEL",
          .options = {{.name = "form",
                       .kind = OptionSpec::Kind::kChoice,
                       .fallback = "try",
                       .help = "try: read the value and take over an expired one; blocking: repeat "
                               "SETNX only (K10)",
                       .choices = {"try", "blocking"}}},
          .sends = Sends{{"SETNX GET GETSET DEL SET", "{}"}},
          .make = MakeLock<SetnxGetsetExpired>,
          .traits = {Trait::kClientClocks, Trait::kLooksFirst},
          .steps = {Step::kMidRelease},
          .end_is_in_value = true,
          .source = {.lease = "5s", .interval = "0s", .timeout = "10s"}};
}

}  // namespace doublehold
