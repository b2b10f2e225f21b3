// A lock that returns the results that a test lists, and logs its calls.
#ifndef DOUBLEHOLD_LIB_TESTING_SCRIPTED_LOCK_H_
#define DOUBLEHOLD_LIB_TESTING_SCRIPTED_LOCK_H_

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "lib/locks/lock.h"
#include "lib/testing/world.h"

namespace doublehold::testing {

struct Attempt {
  enum class Outcome : uint8_t { kGranted, kBusy, kUnknown };
  Outcome outcome = Outcome::kBusy;
  Duration takes{};
  Duration retry_hint{};  // for a busy attempt
};

// Returns the outcomes in order. The last outcome repeats.
class ScriptedLock final : public Lock {
 public:
  ScriptedLock(World& world, std::vector<Attempt> attempts)
      : world_(world), attempts_(attempts.begin(), attempts.end()) {}

  // A log with lines such as "50 acquire", "60 release 2": time in ms, operation, hold. GiveUp is
  // logged only if it frees the lock.
  std::vector<std::string> said;
  LockKey last_key;   // of the last attempt
  int64_t token = 0;  // token of every grant
  ReleaseResult release_answer = ReleaseResult::kReleased;
  Subscription* wake_ups = nullptr;
  bool frees_on_giving_up = false;
  ReleaseResult give_up_answer = ReleaseResult::kNotOwner;  // if nothing is freed
  bool stays_locked_on_throw = false;
  bool releases_anothers = false;
  bool extends_by_itself = false;
  bool takes_keys_together = false;
  bool extends_without_lease = false;
  bool has_leases = true;                 // false: no grant ends by itself
  std::optional<ExtendResult> extension;  // result of every extension; default: extended

  // Sets the outcomes of the following attempts.
  void Then(std::vector<Attempt> attempts) { attempts_.assign(attempts.begin(), attempts.end()); }

  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override;
  ExtendResult Extend(const Grant& grant, Lease lease, Deadline deadline) override;
  ReleaseResult Release(const Grant& grant, Deadline deadline) override;
  ReleaseResult GiveUp(const LockKey& key, Deadline deadline) override;
  bool FreesOnGivingUp() const override { return frees_on_giving_up; }
  bool StaysLockedOnThrow() const override { return stays_locked_on_throw; }
  bool ReleasesAnothers() const override { return releases_anothers; }
  bool ExtendsByItself() const override { return extends_by_itself; }
  bool TakesKeysTogether() const override { return takes_keys_together; }
  bool ExtendsWithoutLease() const override { return extends_without_lease; }
  Subscription* WakeUps(const LockKey& /*key*/) override { return wake_ups; }

 private:
  void Say(const std::string& what);

  World& world_;
  std::deque<Attempt> attempts_;
  uint64_t holds_ = 0;
};

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_TESTING_SCRIPTED_LOCK_H_
