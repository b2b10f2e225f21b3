// Mutants of set-nx-px and of its re-entrant form.

#include <array>
#include <map>
#include <utility>

#include "lib/clients/redis.h"
#include "lib/testing/mutants/mutants.h"
#include "lib/testing/mutants/sound_set_nx_px.h"

namespace doublehold {
namespace {

// The release checks that the key exists, but does not compare its owner.
class WrongCompare final : public SoundSetNxPx {
 public:
  using SoundSetNxPx::SoundSetNxPx;
  ReleaseResult Release(const Grant& grant, Deadline deadline) override {
    static const Script script(
        "if redis.call('get', KEYS[1]) then return redis.call('del', KEYS[1]) else return 0 end");
    const std::array<std::string_view, 1> keys{grant.key.name};
    const std::array<std::string_view, 1> args{grant.owner};
    const CallResult result = node_->Eval(script, keys, args, deadline);
    if (!result) return ReleaseResult::kUnknown;
    return result->IsInteger(1) ? ReleaseResult::kReleased : ReleaseResult::kNotOwner;
  }
};

// Sends SET NX without PX.
class NoPx final : public SoundSetNxPx {
 public:
  using SoundSetNxPx::SoundSetNxPx;
  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override {
    Granted granted = GrantOf(owners_, env_, key, lease);
    const std::array<std::string_view, 4> set{"SET", key.name, granted.grant.owner, "NX"};
    const CallResult result = node_->Call(set, deadline);
    if (!result) return NotGranted(result.error(), std::move(granted.grant));
    if (result->IsNil()) return Busy{};
    return granted;
  }
};

// The lease counts from the reply instead of the invocation.
class CountedFromTheAnswer final : public SoundSetNxPx {
 public:
  using SoundSetNxPx::SoundSetNxPx;
  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override {
    AcquireResult result = SoundSetNxPx::TryAcquire(key, lease, deadline);
    if (auto* granted = std::get_if<Granted>(&result))
      granted->grant.valid_until = env_.Mono() + lease;
    return result;
  }
};

// A missing reply counts as a grant.
class NoAnswerIsYes final : public SoundSetNxPx {
 public:
  using SoundSetNxPx::SoundSetNxPx;
  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override {
    AcquireResult result = SoundSetNxPx::TryAcquire(key, lease, deadline);
    if (auto* unknown = std::get_if<Unknown>(&result)) return Granted{std::move(unknown->perhaps)};
    return result;
  }
};

// Mutant of set-nx-px-reentrant: every exit releases, inner ones too.
class InnerExitReleases final : public SoundSetNxPx {
 public:
  using SoundSetNxPx::SoundSetNxPx;
  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override {
    if (const auto entered = entered_.find(key.name); entered != entered_.end()) {
      Grant again = entered->second;
      again.hold = owners_.NextHold();
      return Granted{std::move(again)};
    }
    AcquireResult result = SoundSetNxPx::TryAcquire(key, lease, deadline);
    if (const auto* granted = std::get_if<Granted>(&result)) entered_[key.name] = granted->grant;
    return result;
  }
  ReleaseResult Release(const Grant& grant, Deadline deadline) override {
    entered_.erase(grant.key.name);
    return SoundSetNxPx::Release(grant, deadline);
  }

 private:
  std::map<std::string, Grant> entered_;
};

}  // namespace

std::span<const LockMutant> MutantsOfSetNxPx() {
  static const std::array<LockMutant, 5> mutants{{
      {"wrong-compare", "set-nx-px", MakeLock<WrongCompare>},
      {"no-px", "set-nx-px", MakeLock<NoPx>},
      {"counted-from-the-answer", "set-nx-px", MakeLock<CountedFromTheAnswer>},
      {"no-answer-is-yes", "set-nx-px", MakeLock<NoAnswerIsYes>},
      {"inner-exit-releases", "set-nx-px-reentrant", MakeLock<InnerExitReleases>},
  }};
  return mutants;
}

}  // namespace doublehold
