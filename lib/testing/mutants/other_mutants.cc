// Mutants of setnx-getset and of fenced.

#include <array>
#include <optional>
#include <utility>

#include "lib/clients/redis.h"
#include "lib/locks/owners.h"
#include "lib/locks/redis/expiry_in_value.h"
#include "lib/locks/redis/key_operations.h"
#include "lib/testing/mutants/mutants.h"
#include "lib/testing/mutants/sound_set_nx_px.h"

namespace doublehold {
namespace {

// Ignores the reply to GETSET. A client that saw an expired value is granted the lock.
class GetsetIgnored final : public Lock {
 public:
  explicit GetsetIgnored(const LockContext& context)
      : env_(context.env),
        node_(context.redis().Connect(NodeId{1})),
        owners_(context.seed, context.client, context.thread) {}

  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override {
    const ValueInstant over = InstantAfter(env_, lease);
    Grant grant{.key = key,
                .owner = std::to_string(over.wall_ms),
                .hold = owners_.NextHold(),
                .valid_until = over.mono};
    const CallResult set = Ask({"SETNX", key.name, grant.owner}, deadline);
    if (!set) return NotGranted(set.error(), std::move(grant));
    if (set->IsInteger(1)) return Granted{std::move(grant)};
    const std::array<std::string_view, 2> get{"GET", key.name};
    const CallResult seen = node_->Call(get, deadline);
    if (!seen) return Busy{};
    const std::optional<int64_t> instant_ms = InstantIn(*seen);
    if (!instant_ms || *instant_ms > over.wall_ms - ToMs(lease)) return Busy{};
    const CallResult before = Ask({"GETSET", key.name, grant.owner}, deadline);
    if (!before) return NotGranted(before.error(), std::move(grant));
    return Granted{std::move(grant)};
  }
  ExtendResult Extend(const Grant& grant, Lease lease, Deadline deadline) override {
    return ExtendInstant(env_, *node_, grant, lease, deadline);
  }
  ReleaseResult Release(const Grant& grant, Deadline deadline) override {
    return DeleteWhateverIsThere(*node_, grant.key.name, deadline);
  }
  bool ReleasesAnothers() const override { return true; }

 private:
  CallResult Ask(std::array<std::string_view, 3> command, Deadline deadline) {
    return node_->Call(command, deadline);
  }

  Env& env_;
  std::unique_ptr<Connection> node_;
  Owners owners_;
};

// Reads the token counter without incrementing it.
class SameToken final : public SoundSetNxPx {
 public:
  using SoundSetNxPx::SoundSetNxPx;
  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override {
    static const Script script(
        "if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then "
        "return tonumber(redis.call('get', KEYS[2]) or '1') end return nil");
    Granted granted = GrantOf(owners_, env_, key, lease);
    const std::string lease_ms = std::to_string(ToMs(lease));
    const std::string counter = "{" + key.name + "}:token";
    const std::array<std::string_view, 2> keys{key.name, counter};
    const std::array<std::string_view, 2> args{granted.grant.owner, lease_ms};
    const CallResult result = node_->Eval(script, keys, args, deadline);
    if (!result) return NotGranted(result.error(), std::move(granted.grant));
    if (result->kind != Reply::Kind::kInteger) return Busy{};
    granted.grant.token = result->integer;
    return granted;
  }
};

}  // namespace

std::span<const LockMutant> MutantsOfOthers() {
  static const std::array<LockMutant, 2> mutants{{
      {"getset-ignored", "setnx-getset", MakeLock<GetsetIgnored>},
      {"same-token", "fenced", MakeLock<SameToken>},
  }};
  return mutants;
}

}  // namespace doublehold
