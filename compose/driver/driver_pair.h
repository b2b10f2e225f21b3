// Two processes of one driver on one server, and the requests of a conformance trial.
//
// Thread rule: used by one thread. The driver's lost-lock notifications may arrive on another
// thread. Failure: keeps the first wrong answer, and still sends the later requests.
#ifndef DOUBLEHOLD_COMPOSE_DRIVER_DRIVER_PAIR_H_
#define DOUBLEHOLD_COMPOSE_DRIVER_DRIVER_PAIR_H_

#include <array>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compose/driver/driver.h"
#include "compose/os/memory_log.h"

namespace doublehold {

constexpr Lease kTrialLease = std::chrono::seconds(1);  // a lease that expires during the check
// A lease that does not expire, even on a slow machine.
constexpr Lease kLongTrialLease = std::chrono::seconds(60);

class DriverParties {
 public:
  struct Caller {
    size_t party = 0;
    int session = 0;
  };
  struct AcquireRequest {
    Duration wait{};
    int key_of = 0;  // selects one of this step's keys
    Lease lease = kLongTrialLease;
    bool reads = false;
    std::vector<int> also_of{};  // further keys of the same attempt
  };

  // Starts both drivers and sends hello and setup. If it returns false, asked() is the failed
  // request and wrong() is the reason.
  [[nodiscard]] bool Start(const std::string& command, const DriverOptions& options,
                           const NodeAddress& server);
  // Begins a step with new keys and without errors.
  void NextStep();
  void Note(std::string wrong);  // keeps only the first error of a step
  [[nodiscard]] const std::string& wrong() const { return wrong_; }
  // The request that failed in Start.
  [[nodiscard]] const std::string& asked() const { return asked_; }
  [[nodiscard]] const DriverHello& hello() const { return hello_; }

  // Describes how a driver ended unexpectedly. Returns an empty text if both are running.
  [[nodiscard]] std::string End() const;
  // After a failed Start: whether the shell found no program to run.
  [[nodiscard]] bool NoneRan() const;
  [[nodiscard]] bool Close();  // false: a driver still runs after bye
  [[nodiscard]] bool IsLost(size_t party, const std::string& grant);

  uint64_t SendAcquire(Caller caller, const AcquireRequest& wanted);
  DriverAnswer Answered(Caller caller, uint64_t id, std::string_view asked);
  DriverAnswer Acquire(Caller caller) { return Acquire(caller, AcquireRequest{}); }
  DriverAnswer Acquire(Caller caller, const AcquireRequest& wanted);
  DriverAnswer Release(Caller caller, const std::string& grant);
  DriverAnswer Extend(Caller caller, const std::string& grant);
  // Notes an error unless the answer has this kind. Returns the answer.
  DriverAnswer Must(DriverAnswer::Kind kind, const std::string& what, DriverAnswer answer);

 private:
  struct Party {
    MemoryLog log;
    std::mutex mutex;
    std::set<std::string> lost;  // the grants that the driver reported as lost; guarded by mutex
    std::unique_ptr<DriverChannel> channel;
  };

  std::array<Party, 2> parties_;
  DriverHello hello_;
  int step_ = 0;
  std::string wrong_;
  std::string asked_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_DRIVER_DRIVER_PAIR_H_
