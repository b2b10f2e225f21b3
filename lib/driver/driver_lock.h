// A lock that a driver serves. A session has at most one pending request. A call without a reply by
// its deadline is awaited before the next request is sent. A grant that arrives too late is
// released at once.
#ifndef DOUBLEHOLD_LIB_DRIVER_DRIVER_LOCK_H_
#define DOUBLEHOLD_LIB_DRIVER_DRIVER_LOCK_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/base/env.h"
#include "lib/driver/answers.h"
#include "lib/locks/lock.h"
#include "lib/locks/owners.h"
#include "lib/locks/registry.h"

namespace doublehold {

// Whether the end of a lease is known: the library has leases and no watchdog.
bool LeasesEndKnown(std::span<const std::string> can);

// Returns the entry of lock `driver` for a library with these abilities.
LockEntry DriverEntryWith(std::span<const std::string> can);

class DriverLock final : public Lock {
 public:
  // Returns how long the library may wait for a lock in one attempt. The rest of the attempt's time
  // is for the reply, which must arrive before the deadline.
  static Duration WaitOf(Duration attempt) { return attempt / 2; }

  // `driver` and the Env must outlive this object; the rest is copied.
  DriverLock(const LockContext& context, DriverRequests& driver, DriverHello hello);
  // Waits for the pending call, at most for the call timeout, so that no grant is left without an
  // owner.
  ~DriverLock() override;
  DriverLock(const DriverLock&) = delete;
  DriverLock& operator=(const DriverLock&) = delete;

  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override;
  ExtendResult Extend(const Grant& grant, Lease lease, Deadline deadline) override;
  ReleaseResult Release(const Grant& grant, Deadline deadline) override;
  [[nodiscard]] bool ReleasesAnothers() const override { return hello_.Can("blind-release"); }
  [[nodiscard]] bool TakesKeysTogether() const override { return hello_.Can("keys-together"); }
  [[nodiscard]] bool ExtendsByItself() const override { return hello_.Can("watchdog"); }
  [[nodiscard]] bool ExtendsWithoutLease() const override { return hello_.Can("extend"); }

 private:
  // A pending call, with the data to record if it is answered late, never, or by an error.
  struct PendingCall {
    DriverOp op{};
    uint64_t hold = 0;
    uint16_t key = 0;
    Duration timeout{};
    uint64_t id = 0;
    MonoTime sent{};
    Duration waited{};  // how long the driver had waited for a processor before
  };
  struct DeferredRelease {
    std::string grant;
    uint64_t hold = 0;
    uint16_t key = 0;
  };

  std::optional<DriverAnswer> Ask(PendingCall call, const nlohmann::json& members,
                                  Deadline deadline);
  std::optional<DriverAnswer> AskRelease(const DeferredRelease& what, Deadline deadline);
  std::optional<DriverAnswer> AwaitReply(Deadline deadline);
  void RecordLateReply(EventType how, Duration took);
  void RecordError(const DriverAnswer& error, Duration took);
  void RecordWaitForCpu(Duration took);
  void RecordLoss(const Grant& grant);
  bool AwaitPending(Deadline deadline);
  bool ReleaseLateGrants(Deadline deadline);
  [[nodiscard]] MonoTime ValidUntil(MonoTime sent, Lease lease, const DriverAnswer& answer) const;

  Env& env_;
  DriverRequests& driver_;
  DriverHello hello_;
  int session_;
  Duration call_timeout_;
  Lease lease_;  // the plan's lease
  Owners owners_;
  std::optional<PendingCall> pending_;
  std::vector<DeferredRelease>
      late_grants_;  // late grants and failed releases, to be released in order
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_DRIVER_DRIVER_LOCK_H_
