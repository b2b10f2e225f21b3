// setnx-getset-expired: the value of the key is the instant when the lock is over, by the client's own wall clock, and the
// key never expires. SETNX takes a free key. A key whose instant is past is written over by GETSET, and won when what that
// returned is past too, whatever GET had shown before. Released by GET, and DEL when the value there is not past yet.
//
// Claims:  one holder at a time; a holder that dies is followed by another when its instant is past.
// Assumes: the clients' wall clocks agree; work ends within the lease; nothing happens between two commands.
// Attack:  a client whose clock is ahead takes over a valid lock (K07, K08). A holder that was late sees the next one's
//          value, which is not past, and deletes it (K04); so does one whose DEL is (K05). A release between another's
//          GET and GETSET leaves that one's value in a free lock (K09). In its blocking form a waiter never looks at the
//          value, so a dead holder blocks it for ever (K10).
// Source:  seed 004.

#include <array>
#include <charconv>
#include <optional>

#include "lib/locks/node_key.h"
#include "lib/locks/owners.h"
#include "lib/locks/registry.h"

namespace doublehold {
namespace {

class SetnxGetsetExpired final : public Lock {
 public:
  explicit SetnxGetsetExpired(const LockContext& context)
      : env_(context.env),
        node_(context.env.Connect(NodeId{1})),
        owners_(context.seed, context.client, context.thread),
        takes_over_(context.options.Text("form") == "try") {}

  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override {
    const Instant over = InstantAfter(lease);
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

  // A missing key makes the original throw; the lock is free, and not by this.
  ReleaseResult Release(const Grant& grant, Deadline deadline) override {
    const std::array<std::string_view, 2> get{"GET", grant.key.name};
    const CallResult seen = node_->Call(get, deadline);
    if (!seen) return ReleaseResult::kUnknown;
    const std::optional<int64_t> instant_ms = InstantIn(*seen);
    if (!instant_ms || *instant_ms < NowMs()) return ReleaseResult::kNotOwner;
    env_.Reach(Step::kMidRelease);
    return DeleteWhateverIsThere(*node_, grant.key.name, deadline);
  }

 private:
  // When the lease is over: now + lease + 1 ms, as the source has it, in the value and on the client's monotonic clock.
  // What the value's cut to whole milliseconds takes away is taken away from both.
  struct Instant {
    int64_t wall_ms = 0;
    MonoTime mono{};
  };
  Instant InstantAfter(Lease lease) {
    const MonoTime mono = env_.Mono();
    const WallTime wall = env_.Wall();
    const WallTime over = std::chrono::floor<std::chrono::milliseconds>(wall + lease + 1ms);
    return {.wall_ms = ToMs(over), .mono = mono + (over - wall)};
  }

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

  static AcquireResult NotGranted(const CallFailure& failure, Grant grant) {
    if (failure.definite) return Busy{};
    return Unknown{std::move(grant)};
  }

  static std::optional<int64_t> InstantIn(const Reply& value) {
    int64_t instant_ms = 0;
    const char* end = value.text.data() + value.text.size();
    const auto parsed = std::from_chars(value.text.data(), end, instant_ms);
    if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
    return instant_ms;
  }

  Env& env_;
  std::unique_ptr<Connection> node_;
  Owners owners_;
  bool takes_over_;
};

}  // namespace

LockEntry SetnxGetsetExpiredLock() {
  return {.name = "setnx-getset-expired",
          .summary = "the same with no expiry in Redis, and any past value won; GET, then DEL",
          .options = {{.name = "form",
                       .kind = OptionSpec::Kind::kChoice,
                       .fallback = "try",
                       .help = "blocking: repeats SETNX and never looks at the value (K10)",
                       .choices = {"try", "blocking"}}},
          .make = MakeLock<SetnxGetsetExpired>,
          .end_is_in_value = true};
}

}  // namespace doublehold
