// Two processes of one driver on one server, and the requests of a conformance trial.
//
// Thread rule: used by one thread. The driver's lost-lock notifications may arrive on another.
// Failure: keeps the first wrong answer, and still sends the later requests.
#ifndef DOUBLEHOLD_COMPOSE_DRIVER_DRIVER_PAIR_H_
#define DOUBLEHOLD_COMPOSE_DRIVER_DRIVER_PAIR_H_

#include <array>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "compose/driver/driver.h"
#include "compose/os/memory_log.h"

namespace doublehold {

constexpr Lease kTrialLease = std::chrono::seconds(1);  // a lease that is to expire
// A lease that does not expire, even on a slow machine.
constexpr Lease kLongTrialLease = std::chrono::seconds(60);

class DriverParties {
 public:
  struct Caller {
    size_t party = 0;
    int session = 0;
  };
  struct Wanted {
    Duration wait{};
    int key_of = 0;  // selects one of this step's keys
    Lease lease = kLongTrialLease;
    bool reads = false;
  };

  // Starts both drivers and sends hello and setup. If it returns false, wrong() and asked() say
  // why.
  [[nodiscard]] bool Start(const std::string& command, const DriverOptions& options,
                           const NodeAddress& server);
  // Begins a step with new keys and without errors.
  void NextStep();
  void Note(std::string wrong);  // kept only if it is the first
  [[nodiscard]] const std::string& wrong() const { return wrong_; }
  // The request of a start that failed.
  [[nodiscard]] const std::string& asked() const { return asked_; }
  [[nodiscard]] const DriverHello& hello() const { return hello_; }

  // How a driver ended unexpectedly; empty: both are running.
  [[nodiscard]] std::string End() const;
  // After a failed start: whether the shell found no program.
  [[nodiscard]] bool NoneRan() const;
  [[nodiscard]] bool Close();  // false: one of them is still running
  [[nodiscard]] bool IsLost(size_t party, const std::string& grant);

  uint64_t SendAcquire(Caller caller, const Wanted& wanted);
  DriverAnswer Answered(Caller caller, uint64_t id, std::string_view asked);
  DriverAnswer Acquire(Caller caller) { return Acquire(caller, Wanted{}); }
  DriverAnswer Acquire(Caller caller, const Wanted& wanted);
  DriverAnswer Release(Caller caller, const std::string& grant);
  DriverAnswer Extend(Caller caller, const std::string& grant);
  // Notes an error unless the answer is of this kind.
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
