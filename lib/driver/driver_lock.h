// A lock that a driver serves. A session has one request under way at a time: what was not answered
// by its deadline is awaited before the next is sent, and a grant that comes too late is released
// at once.
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

// Whether the end of a lease is known: it can end, and nothing extends it unseen.
bool LeasesEndKnown(std::span<const std::string> can);

// Lock `driver`, of one that can this.
LockEntry DriverEntryWith(std::span<const std::string> can);

class DriverLock final : public Lock {
 public:
  // How long a library is to wait for a lock, of what an attempt may take: one that does answers
  // well before the deadline.
  static Duration WaitOf(Duration attempt) { return attempt / 2; }

  // `driver` and the Env outlive it; the rest is copied.
  DriverLock(const LockContext& context, DriverRequests& driver, DriverHello hello);
  // What is under way is awaited for as long as any call is, so that nothing is left granted to
  // nobody.
  ~DriverLock() override;
  DriverLock(const DriverLock&) = delete;
  DriverLock& operator=(const DriverLock&) = delete;

  AcquireResult TryAcquire(const LockKey& key, Lease lease, Deadline deadline) override;
  ExtendResult Extend(const Grant& grant, Lease lease, Deadline deadline) override;
  ReleaseResult Release(const Grant& grant, Deadline deadline) override;
  [[nodiscard]] bool ReleasesAnothers() const override { return hello_.Can("blind-release"); }

 private:
  // A call, and what is recorded of it should it not be answered within its own time-out.
  struct UnderWay {
    DriverOp op{};
    uint64_t hold = 0;
    uint16_t key = 0;
    Duration timeout{};
    uint64_t id = 0;
    MonoTime sent{};
  };
  struct Owed {
    std::string grant;
    uint64_t hold = 0;
    uint16_t key = 0;
  };

  std::optional<DriverAnswer> Ask(UnderWay call, const nlohmann::json& members, Deadline deadline);
  std::optional<DriverAnswer> AskRelease(const Owed& what, Deadline deadline);
  std::optional<DriverAnswer> AwaitIt(Deadline deadline);
  void RecordLateReply(EventType how, Duration took);
  void RecordLoss(const Grant& grant);
  bool Settle(Deadline deadline);
  bool PayOwed(Deadline deadline);
  [[nodiscard]] MonoTime ValidUntil(MonoTime sent, Lease lease, const DriverAnswer& answer) const;

  Env& env_;
  DriverRequests& driver_;
  DriverHello hello_;
  int session_;
  Duration call_timeout_;
  Lease lease_;  // of the plan
  Owners owners_;
  std::optional<UnderWay> under_way_;
  std::vector<Owed> owed_;  // of nobody's, to be released, in that order
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_DRIVER_DRIVER_LOCK_H_
