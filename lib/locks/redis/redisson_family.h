// What Redisson's locks have in common: owners, attempts, watchdog, wake-up channel. Format:
// docs/redisson-format.md.
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
#include "lib/locks/registry.h"
#include "lib/locks/watchdog.h"

namespace doublehold {

// Published by whoever frees a lock; a writer publishes the other one, which wakes readers in a
// crowd.
constexpr std::string_view kUnlockMessage = "0";
constexpr std::string_view kWriteUnlockMessage = "1";

// uuid:thread, the field of a session in the hash.
std::string RedissonOwner(const Owners& owners, int thread);

// Of RLock. Each takes the lock's key (Unlock: and the channel) and answers
//   Acquire(lease_ms, owner)                      nil: taken, or entered once more; else the holder's PTTL
//   Unlock(message, lease_ms, owner, keep)    1: freed and told; 0: an outer entry is left; nil: not more entries
//                                                 than `keep` are there, so nothing was done
//   Renew(lease_ms, owner)                        1: extended; 0: not the owner
const Script& RedissonAcquire();
const Script& RedissonUnlock();
const Script& RedissonRenew();
ExtendResult RenewRedisson(Env& env, Nodes nodes, const Grant& grant, Lease lease,
                           Deadline deadline);
std::string RedissonChannel(const LockKey& key);
// {name}, as it stands in the names of further keys: with the lock in one slot of a cluster.
std::string Braced(const LockKey& key);

// explicit-lease, renew-once, resend, and those of await_replicas.h.
std::vector<OptionSpec> RedissonOptions();

// A lock of the family on one node; a member says what it sends. Rules as of Lock.
class RedissonFamily : public Lock {
 public:
  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override;
  ExtendResult Extend(const Grant& grant, Lease lease, Deadline deadline) override;
  ReleaseResult Release(const Grant& grant, Deadline deadline) override;
  Subscription* WakeUps(const LockKey& key) override;
  bool ExtendsByItself() const override { return watchdog_ != nullptr; }

 protected:
  RedissonFamily(const LockContext& context, Watchdog::Renew renew);

  // Sends one attempt for grant.key; puts a token into the grant, where there is one. Nil: granted;
  // else the PTTL.
  virtual CallResult Ask(Grant& grant, const std::string& lease_ms, Deadline deadline);
  // Gives one entry back, should more than `keep` be there. Answers as RedissonUnlock does.
  virtual CallResult GiveBack(const Grant& grant, const std::string& lease_ms,
                              const std::string& keep, Deadline deadline);
  // Empty: it tells nobody.
  [[nodiscard]] virtual std::string ChannelOf(const LockKey& key) const;

  Env& env_;
  std::unique_ptr<Connection> node_;
  Owners owners_;
  std::string owner_;

 private:
  // Once; with the option resend, once more when there was no reply.
  CallResult Send(const std::function<CallResult(Deadline)>& command, Deadline deadline) const;

  Lease lease_;
  Watchdog::Renew renew_;
  bool resends_;
  AwaitedReplicas awaited_;
  std::vector<Grant> entered_;  // granted, and not yet given back
  std::map<std::string, std::unique_ptr<Subscription>> channels_;
  std::unique_ptr<Watchdog> watchdog_;  // null with an explicit lease
};

// RLock itself, which redisson-multi takes several of.
std::unique_ptr<Lock> MakeRedisson(const LockContext& context);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_REDIS_REDISSON_FAMILY_H_
