// Two processes of one driver on one server, and what a conformance trial asks of them.
//
// Thread rule: one thread. What a driver says unasked may come on another.
// Failure: the first answer that is not as it must be is kept; all that follow are asked
// nevertheless.
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

constexpr Lease kTrialLease = std::chrono::seconds(1);  // one that is to end
// One that is not, however slow the machine is.
constexpr Lease kLongTrialLease = std::chrono::seconds(60);

class DriverParties {
 public:
  struct Caller {
    size_t party = 0;
    int session = 0;
  };
  struct Wanted {
    Duration wait{};
    int key_of = 0;  // which of this step's keys
    Lease lease = kLongTrialLease;
    bool reads = false;
  };

  // Starts both and says hello and setup. Otherwise what is wrong is kept, and what was asked.
  [[nodiscard]] bool Start(const std::string& command, const DriverOptions& options,
                           const NodeAddress& server);
  // From here on the keys are others, and nothing is wrong.
  void NextStep();
  void Note(std::string wrong);  // kept, if it is the first
  [[nodiscard]] const std::string& wrong() const { return wrong_; }
  [[nodiscard]] const std::string& asked() const { return asked_; }  // of a start that failed
  [[nodiscard]] const DriverHello& hello() const { return hello_; }

  // How a driver came to an end that was not asked for, in words; empty: it has not.
  [[nodiscard]] std::string End() const;
  // Whether the shell found no program to run, of a start that failed.
  [[nodiscard]] bool NoneRan() const;
  [[nodiscard]] bool Close();  // false: one of them still runs
  [[nodiscard]] bool IsLost(size_t party, const std::string& grant);

  uint64_t SendAcquire(Caller caller, const Wanted& wanted);
  DriverAnswer Answered(Caller caller, uint64_t id, std::string_view asked);
  DriverAnswer Acquire(Caller caller) { return Acquire(caller, Wanted{}); }
  DriverAnswer Acquire(Caller caller, const Wanted& wanted);
  DriverAnswer Release(Caller caller, const std::string& grant);
  DriverAnswer Extend(Caller caller, const std::string& grant);
  // Notes an answer of another kind.
  DriverAnswer Must(DriverAnswer::Kind kind, const std::string& what, DriverAnswer answer);

 private:
  struct Party {
    MemoryLog log;
    std::mutex mutex;
    std::set<std::string> lost;  // under it: the grants that it said are lost
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
