// Mutants of redisson.

#include <array>

#include "lib/locks/redis/redisson_family.h"
#include "lib/testing/mutants/mutants.h"

namespace doublehold {
namespace {

// The watchdog continues to extend a released grant.
class WatchdogGoesOn final : public RedissonFamily {
 public:
  explicit WatchdogGoesOn(const LockContext& context)
      : RedissonFamily(context, RenewRedisson), lease_ms_(std::to_string(ToMs(context.lease))) {}
  ReleaseResult Release(const Grant& grant, Deadline deadline) override {
    const CallResult result = GiveBack(grant, lease_ms_, "0", deadline);
    if (!result) return ReleaseResult::kUnknown;
    return result->IsNil() ? ReleaseResult::kNotOwner : ReleaseResult::kReleased;
  }

 private:
  std::string lease_ms_;
};

// The watchdog extends the key without comparing the owner.
ExtendResult RenewWhateverIsThere(Env& env, Nodes nodes, const Grant& grant, Lease lease,
                                  Deadline deadline) {
  const MonoTime valid_until = env.Mono() + lease;
  const std::string lease_ms = std::to_string(ToMs(lease));
  const std::array<std::string_view, 3> extend{"PEXPIRE", grant.key.name, lease_ms};
  const CallResult result = nodes.front()->Call(extend, deadline);
  if (!result) return Undecided{};
  if (result->IsInteger(1)) return Extended{valid_until};
  return Lost{};
}

class AnybodyRenewed final : public RedissonFamily {
 public:
  explicit AnybodyRenewed(const LockContext& context)
      : RedissonFamily(context, RenewWhateverIsThere) {}
};

// The owner text names the client, but not the thread.
class ClientOwns final : public RedissonFamily {
 public:
  explicit ClientOwns(const LockContext& context) : RedissonFamily(context, RenewRedisson) {
    owner_ = owners_.ClientUuid();
  }
};

}  // namespace

std::span<const LockMutant> MutantsOfRedisson() {
  static const std::array<LockMutant, 3> mutants{{
      {"watchdog-goes-on", "redisson", MakeLock<WatchdogGoesOn>},
      {"anybody-renewed", "redisson", MakeLock<AnybodyRenewed>},
      {"client-owns", "redisson", MakeLock<ClientOwns>},
  }};
  return mutants;
}

}  // namespace doublehold
