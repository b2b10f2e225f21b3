// Mutants that go wrong at the third fault: each handles the end of its patience badly.

#include <array>
#include <string>
#include <utility>

#include "lib/testing/mutants/mutants.h"
#include "lib/testing/mutants/sound_set_nx_px.h"

namespace doublehold {
namespace {

constexpr int kPatience = 3;

// The third acquire that is not answered counts as granted.
class ThirdSilenceIsYes final : public SoundSetNxPx {
 public:
  using SoundSetNxPx::SoundSetNxPx;
  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override {
    AcquireResult result = SoundSetNxPx::TryAcquire(key, lease, deadline);
    auto* unknown = std::get_if<Unknown>(&result);
    if (unknown == nullptr || ++silent_ < kPatience) return result;
    return Granted{std::move(unknown->perhaps)};
  }

 private:
  int silent_ = 0;
};

// After three acquires that were not answered, takes the lock by force.
class ThirdSilenceForces final : public SoundSetNxPx {
 public:
  using SoundSetNxPx::SoundSetNxPx;
  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override {
    if (silent_ < kPatience) {
      AcquireResult result = SoundSetNxPx::TryAcquire(key, lease, deadline);
      if (std::holds_alternative<Unknown>(result)) ++silent_;
      return result;
    }
    Granted granted = GrantOf(owners_, env_, key, lease);
    const std::string lease_ms = std::to_string(ToMs(lease));
    const std::array<std::string_view, 5> set{"SET", key.name, granted.grant.owner, "PX", lease_ms};
    const CallResult result = node_->Call(set, deadline);
    if (!result) return NotGranted(result.error(), std::move(granted.grant));
    return granted;
  }

 private:
  int silent_ = 0;
};

// After three failed calls of any kind, works without the lock service.
class FailsOpen final : public SoundSetNxPx {
 public:
  using SoundSetNxPx::SoundSetNxPx;
  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override {
    if (failed_ >= kPatience) return GrantOf(owners_, env_, key, lease);
    AcquireResult result = SoundSetNxPx::TryAcquire(key, lease, deadline);
    if (!std::holds_alternative<Granted>(result) && !std::holds_alternative<Busy>(result))
      ++failed_;
    return result;
  }
  ReleaseResult Release(const Grant& grant, Deadline deadline) override {
    const ReleaseResult result = SoundSetNxPx::Release(grant, deadline);
    if (result == ReleaseResult::kUnknown) ++failed_;
    return result;
  }

 private:
  int failed_ = 0;
};

// Tries to release three times, the last time without comparing the owner.
class ThirdReleaseForces final : public SoundSetNxPx {
 public:
  using SoundSetNxPx::SoundSetNxPx;
  ReleaseResult Release(const Grant& grant, Deadline deadline) override {
    for (int i = 1; i < kPatience; ++i) {
      const ReleaseResult result = SoundSetNxPx::Release(grant, deadline);
      if (result != ReleaseResult::kUnknown) return result;
      deadline = env_.Mono() + kAgain;
    }
    return DeleteWhateverIsThere(*node_, grant.key.name, deadline);
  }

 private:
  static constexpr Duration kAgain = 40ms;
};

// Has two owner texts, and changes to the other one when an acquire was not answered. So it has the
// first one again after two of them.
class OwnerRepeats final : public SoundSetNxPx {
 public:
  using SoundSetNxPx::SoundSetNxPx;
  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override {
    Granted granted = GrantOf(owners_, env_, key, lease);
    if (texts_[0].empty()) texts_ = {granted.grant.owner, granted.grant.owner + "-2"};
    granted.grant.owner = texts_.at(text_);
    StartSetNxPx(*node_, key.name, granted.grant.owner, lease, deadline);
    const NodeAnswer answer = FinishSetNxPx(*node_);
    if (answer == NodeAnswer::kYes) return granted;
    if (answer != NodeAnswer::kUnknown) return Busy{};
    text_ = 1 - text_;
    return Unknown{std::move(granted.grant)};
  }

 private:
  std::array<std::string, 2> texts_{};
  size_t text_ = 0;
};

// Counts the clients that ask, and lets in three at most. A client whose DECR is lost counts for
// ever.
class LostCountsStay final : public SoundSetNxPx {
 public:
  using SoundSetNxPx::SoundSetNxPx;
  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override {
    const std::string counter = "{" + key.name + "}:asking";
    const std::array<std::string_view, 2> more{"INCR", counter}, less{"DECR", counter};
    const CallResult asking = node_->Call(more, deadline);
    if (!asking) return Busy{};
    AcquireResult result = asking->integer > kPatience
                               ? AcquireResult(Busy{})
                               : SoundSetNxPx::TryAcquire(key, lease, deadline);
    (void)node_->Call(less, env_.Mono() + kPatience * 1ms);
    return result;
  }
};

// Fenced: after three acquires that were not answered, counts the tokens by itself.
class GuessesToken final : public SoundSetNxPx {
 public:
  using SoundSetNxPx::SoundSetNxPx;
  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override {
    AcquireResult result = SoundSetNxPx::TryAcquire(key, lease, deadline);
    if (std::holds_alternative<Unknown>(result)) ++silent_;
    auto* granted = std::get_if<Granted>(&result);
    if (granted == nullptr) return result;
    if (silent_ < kPatience) {
      const std::string counter = "{" + key.name + "}:token";
      const std::array<std::string_view, 2> next{"INCR", counter};
      const CallResult token = node_->Call(next, deadline);
      if (!token) return Unknown{std::move(granted->grant)};
      token_ = token->integer;
    } else {
      ++token_;
    }
    granted->grant.token = token_;
    return result;
  }

 private:
  int silent_ = 0;
  int64_t token_ = 0;
};

// Has the lock on one node, and moves to the next node after three acquires that were not answered.
class MovesOn final : public Lock {
 public:
  explicit MovesOn(const LockContext& context)
      : env_(context.env), owners_(context.seed, context.client, context.thread) {
    for (int i = 1; i <= context.nodes; ++i) nodes_.push_back(context.redis().Connect(NodeId{i}));
  }
  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override {
    AcquireResult result = AcquireSetNxPx(env_, *nodes_[at_], owners_, key, lease,
                                          std::min(deadline, env_.Mono() + lease / 10));
    if (std::holds_alternative<Unknown>(result) && ++silent_ == kPatience) at_ = 1;
    return result;
  }
  ExtendResult Extend(const Grant& grant, Lease lease, Deadline deadline) override {
    return ExtendIfOwned(env_, *nodes_[at_], grant, lease, deadline);
  }
  ReleaseResult Release(const Grant& grant, Deadline deadline) override {
    return ReleaseIfOwned(*nodes_[at_], grant, deadline);
  }

 private:
  Env& env_;
  std::vector<std::unique_ptr<Connection>> nodes_;
  Owners owners_;
  size_t at_ = 0;
  int silent_ = 0;
};

// Asks all nodes, and is content if those that answer agree and are `least` or more.
template <size_t least>
class AsksThoseThatAnswer final : public Lock {
 public:
  explicit AsksThoseThatAnswer(const LockContext& context)
      : env_(context.env), owners_(context.seed, context.client, context.thread) {
    for (int i = 1; i <= context.nodes; ++i) nodes_.push_back(context.redis().Connect(NodeId{i}));
  }
  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline /*deadline*/) override {
    Granted granted = GrantOf(owners_, env_, key, lease);
    size_t yes = 0, no = 0;
    for (const auto& node : nodes_) {
      StartSetNxPx(*node, key.name, granted.grant.owner, lease, env_.Mono() + lease / 20);
      const NodeAnswer answer = FinishSetNxPx(*node);
      if (answer == NodeAnswer::kYes) ++yes;
      if (answer == NodeAnswer::kNo) ++no;
    }
    if (no == 0 && yes >= least) return granted;
    (void)Release(granted.grant, {});
    return Busy{};
  }
  ExtendResult Extend(const Grant& /*grant*/, Lease /*lease*/, Deadline /*deadline*/) override {
    return Undecided{};
  }
  ReleaseResult Release(const Grant& grant, Deadline /*deadline*/) override {
    size_t yes = 0;
    for (const auto& node : nodes_) {
      if (ReleaseIfOwned(*node, grant, env_.Mono() + 20ms) == ReleaseResult::kReleased) ++yes;
    }
    return yes > 0 ? ReleaseResult::kReleased : ReleaseResult::kUnknown;
  }

 private:
  Env& env_;
  std::vector<std::unique_ptr<Connection>> nodes_;
  Owners owners_;
};

}  // namespace

std::span<const LockMutant> MutantsOfTheThirdFault() {
  static const std::array<LockMutant, 10> mutants{{
      {"third-silence-is-yes", "set-nx-px", MakeLock<ThirdSilenceIsYes>},
      {"third-silence-forces", "set-nx-px", MakeLock<ThirdSilenceForces>},
      {"fails-open", "set-nx-px", MakeLock<FailsOpen>},
      {"third-release-forces", "set-nx-px", MakeLock<ThirdReleaseForces>},
      {"owner-repeats", "set-nx-px", MakeLock<OwnerRepeats>},
      {"lost-counts-stay", "set-nx-px", MakeLock<LostCountsStay>},
      {"guesses-token", "fenced", MakeLock<GuessesToken>},
      {"moves-on", "redlock", MakeLock<MovesOn>},
      {"one-that-answers", "redlock", MakeLock<AsksThoseThatAnswer<1>>},
      {"none-that-answers", "redlock", MakeLock<AsksThoseThatAnswer<0>>},
  }};
  return mutants;
}

}  // namespace doublehold
