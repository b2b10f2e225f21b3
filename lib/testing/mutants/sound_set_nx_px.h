// The correct operations of set-nx-px; each mutant overrides one of them.
#ifndef DOUBLEHOLD_LIB_TESTING_MUTANTS_SOUND_SET_NX_PX_H_
#define DOUBLEHOLD_LIB_TESTING_MUTANTS_SOUND_SET_NX_PX_H_

#include <memory>
#include <utility>

#include "lib/clients/redis.h"
#include "lib/locks/owners.h"
#include "lib/locks/redis/key_operations.h"
#include "lib/locks/registry.h"

namespace doublehold {

// A new grant whose lease begins now.
inline Granted GrantOf(Owners& owners, Env& env, const LockKey& key, Lease lease) {
  Grant grant{.key = key, .hold = owners.NextHold()};
  grant.owner = owners.TextOf(grant.hold);
  grant.valid_until = env.Mono() + lease;
  return {std::move(grant)};
}

class SoundSetNxPx : public Lock {
 public:
  explicit SoundSetNxPx(const LockContext& context)
      : env_(context.env),
        node_(context.redis().Connect(NodeId{1})),
        owners_(context.seed, context.client, context.thread) {}

  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override {
    return AcquireSetNxPx(env_, *node_, owners_, key, lease, deadline);
  }
  ExtendResult Extend(const Grant& grant, Lease lease, Deadline deadline) override {
    return ExtendIfOwned(env_, *node_, grant, lease, deadline);
  }
  ReleaseResult Release(const Grant& grant, Deadline deadline) override {
    return ReleaseIfOwned(*node_, grant, deadline);
  }

 protected:
  Env& env_;
  std::unique_ptr<Connection> node_;
  Owners owners_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_TESTING_MUTANTS_SOUND_SET_NX_PX_H_
