// setnx-getset: the value of the key is the instant when the lock is over, by the client's own wall clock. SETNX takes
// a free key; a key whose instant is past is taken over by GETSET, and won when it returned what GET had shown.
//
// Claims:  one holder at a time; a holder that dies is followed by another when its instant is past.
// Assumes: the clients' wall clocks agree; work ends within the lease.
// Attack:  a client whose clock is ahead takes over a valid lock (K08). The release deletes whatever is there, so a late
//          holder frees the next one's lock (K03). A loser's GETSET moves the winner's instant (K07).
// Source:  seed 000. Option finally-releases: the lock is taken inside the try whose finally releases, so who never had it
//          frees the holder's lock (K02).

#include <array>
#include <charconv>

#include "lib/locks/node_key.h"
#include "lib/locks/owners.h"
#include "lib/locks/registry.h"

namespace doublehold {
namespace {

constexpr std::string_view kLastResortSeconds = "86400";  // EXPIRE 24 h, against a crash
constexpr int kGetTries = 3;                              // on connection errors

class SetnxGetset final : public Lock {
 public:
  explicit SetnxGetset(const LockContext& context)
      : env_(context.env),
        node_(context.env.Connect(NodeId{1})),
        owners_(context.seed, context.client, context.thread),
        finally_releases_(context.options.Flag("finally-releases")) {}

  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override {
    const Instant over = InstantAfter(lease);
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

  // Writes a later instant without looking whose lock it is, as a holder that trusts its lease would.
  ExtendResult Extend(const Grant& grant, Lease lease, Deadline deadline) override {
    const Instant over = InstantAfter(lease);
    const std::string instant_ms = std::to_string(over.wall_ms);
    const std::array<std::string_view, 4> set{"SET", grant.key.name, instant_ms, "XX"};
    const CallResult result = node_->Call(set, deadline);
    if (!result) return Undecided{};
    if (result->IsNil()) return Lost{};
    return Extended{over.mono};
  }

  // Always "true" in the original: whoever's key it is, and whether or not it is there.
  ReleaseResult Release(const Grant& grant, Deadline deadline) override {
    return DeleteWhateverIsThere(*node_, grant.key.name, deadline);
  }

  ReleaseResult GiveUp(const LockKey& key, Deadline deadline) override {
    if (!finally_releases_) return ReleaseResult::kNotOwner;
    return DeleteWhateverIsThere(*node_, key.name, deadline);
  }
  bool FreesOnGivingUp() const override { return finally_releases_; }

 private:
  // When the lease is over, as the value says it and on the client's monotonic clock. The value is cut to whole
  // milliseconds, so the lease is up to one shorter than asked: counting it from the uncut instant would let two
  // leases overlap that the variant hands over one after the other.
  struct Instant {
    int64_t wall_ms = 0;
    MonoTime mono{};
  };
  Instant InstantAfter(Lease lease) {
    const MonoTime mono = env_.Mono();
    const WallTime wall = env_.Wall();
    const WallTime over = std::chrono::floor<std::chrono::milliseconds>(wall + lease);
    return {.wall_ms = ToMs(over), .mono = mono + (over - wall)};
  }

  AcquireResult TakeOver(Grant grant, int64_t now_ms, Deadline deadline) {
    const std::array<std::string_view, 2> get{"GET", grant.key.name};
    CallResult seen = node_->Call(get, deadline);
    for (int tries = 1; !seen && tries < kGetTries; ++tries) seen = node_->Call(get, deadline);
    if (!seen || seen->IsNil() || !IsPast(seen->text, now_ms)) return Busy{};
    const std::array<std::string_view, 3> getset{"GETSET", grant.key.name, grant.owner};
    const CallResult before = node_->Call(getset, deadline);
    if (!before) return NotGranted(before.error(), std::move(grant));
    // Nil: the holder released in between. The original throws here, leaving the key it just wrote.
    if (before->IsNil() || before->text != seen->text) return Busy{};
    return Take(std::move(grant), deadline);
  }

  // The grant stands whether or not the last resort could be set: the instant in the value frees the lock.
  AcquireResult Take(Grant grant, Deadline deadline) {
    const std::array<std::string_view, 3> expire{"EXPIRE", grant.key.name, kLastResortSeconds};
    env_.Reach(Step::kMidAcquire);
    [[maybe_unused]] const CallResult result = node_->Call(expire, deadline);
    return Granted{std::move(grant)};
  }

  static AcquireResult NotGranted(const CallFailure& failure, Grant grant) {
    if (failure.definite) return Busy{};
    return Unknown{std::move(grant)};
  }

  static bool IsPast(std::string_view instant, int64_t now_ms) {
    int64_t instant_ms = 0;
    const char* end = instant.data() + instant.size();
    const auto parsed = std::from_chars(instant.data(), end, instant_ms);
    return parsed.ec == std::errc{} && parsed.ptr == end && instant_ms <= now_ms;
  }

  Env& env_;
  std::unique_ptr<Connection> node_;
  Owners owners_;
  bool finally_releases_;
};

}  // namespace

LockEntry SetnxGetsetLock() {
  return {.name = "setnx-getset",
          .summary = "SETNX of the client's own expiry; past ones taken over by GETSET; DEL",
          .options = {{.name = "finally-releases",
                       .kind = OptionSpec::Kind::kFlag,
                       .fallback = "false",
                       .help = "whoever was not granted the lock releases it as well (K02)"}},
          .make = MakeLock<SetnxGetset>,
          .end_is_in_value = true};
}

}  // namespace doublehold
