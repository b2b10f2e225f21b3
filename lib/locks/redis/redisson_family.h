// Shared parts of Redisson's locks: owners, attempts, watchdog, wake-up channel.
// docs/redisson-format.md describes the data in Redis.
#ifndef DOUBLEHOLD_LIB_LOCKS_REDIS_REDISSON_FAMILY_H_
#define DOUBLEHOLD_LIB_LOCKS_REDIS_REDISSON_FAMILY_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/locks/lock.h"
#include "lib/locks/owners.h"
#include "lib/locks/redis/await_replicas.h"
#include "lib/locks/redis/key_operations.h"
#include "lib/locks/registry.h"
#include "lib/locks/watchdog.h"

namespace doublehold {

// Messages that a release publishes. A writer's release publishes the second message, which wakes
// all waiting readers.
constexpr std::string_view kUnlockMessage = "0";
constexpr std::string_view kWriteUnlockMessage = "1";

// Returns uuid:thread, the session's field in the hash.
std::string RedissonOwner(const Owners& owners, int thread);

// The scripts of RLock. Each takes the lock's key; Unlock also takes the channel.
// Acquire: (lease_ms, owner) returns nil when acquired or re-entered, otherwise the holder's PTTL.
// Unlock:  (message, lease_ms, owner, keep) returns 1 when freed and published, 0 when an outer
//          entry is left. If no more than `keep` entries exist, changes nothing and returns nil.
// Renew:   (lease_ms, owner) returns 1 when extended, 0 when the caller is not the owner.
const Script& RedissonAcquire();
const Script& RedissonUnlock();
const Script& RedissonRenew();
ExtendResult RenewRedisson(Env& env, Nodes nodes, const Grant& grant, Lease lease,
                           Deadline deadline);
std::string RedissonChannel(const LockKey& key);
// Returns {name}. The names of further keys contain {name}, so that a cluster keeps these keys in
// the lock's slot.
std::string Braced(const LockKey& key);

// Returns the options explicit-lease, renew-once, resend, and those of await_replicas.h.
std::vector<OptionSpec> RedissonOptions();
std::vector<OptionTrait> RedissonOptionTraits();

// A lock of the family on one node. Subclasses override the commands. The rules of Lock apply.
class RedissonFamily : public Lock {
 public:
  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override;
  ExtendResult Extend(const Grant& grant, Lease lease, Deadline deadline) override;
  ReleaseResult Release(const Grant& grant, Deadline deadline) override;
  Subscription* WakeUps(const LockKey& key) override;
  bool ExtendsByItself() const override { return watchdog_ != nullptr; }

 protected:
  RedissonFamily(const LockContext& context, RenewOnNodes renew);

  // Sends one attempt for grant.key, and sets the grant's token if the variant has tokens. Returns
  // nil when granted, otherwise the PTTL.
  virtual CallResult Ask(Grant& grant, const std::string& lease_ms, Deadline deadline);
  // Removes one entry if there are more than `keep`. Returns what RedissonUnlock returns.
  virtual CallResult GiveBack(const Grant& grant, const std::string& lease_ms,
                              const std::string& keep, Deadline deadline);
  // Returns the channel of a key. Returns "" if releases are not published.
  [[nodiscard]] virtual std::string ChannelOf(const LockKey& key) const;

  Env& env_;
  RedisClients& redis_;
  std::unique_ptr<Connection> node_;
  Owners owners_;
  std::string owner_;

 private:
  // Sends the command. With the option resend, sends it once more when there was no reply.
  CallResult Send(const std::function<CallResult(Deadline)>& command, Deadline deadline) const;

  Lease lease_;
  RenewOnNodes renew_;
  bool resends_;
  AwaitedReplicas awaited_;
  std::vector<Grant> entered_;  // granted and not yet released
  std::map<std::string, std::unique_ptr<Subscription>> channels_;
  std::unique_ptr<Watchdog> watchdog_;  // null with an explicit lease
};

// Makes an RLock; redisson-multi uses several.
std::unique_ptr<Lock> MakeRedisson(const LockContext& context);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_REDIS_REDISSON_FAMILY_H_
