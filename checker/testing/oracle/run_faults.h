// For tests: the faults of a random run. They really disturb its messages, clients and lock server.
#ifndef DOUBLEHOLD_CHECKER_TESTING_ORACLE_RUN_FAULTS_H_
#define DOUBLEHOLD_CHECKER_TESTING_ORACLE_RUN_FAULTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "checker/testing/oracle/random_run.h"
#include "lib/history/history.h"

namespace doublehold::brute {

// A fault is active from `from` to `to`. On a client, or on the lock server if `client` is -1.
struct RunFault {
  std::string kind;
  int32_t client = -1;
  int64_t from = 0, to = 0;
  int64_t acts_at = 0;  // when it removes keys, or returns with older data
  int64_t moves_by = 0;

  [[nodiscard]] bool ActsOn(int32_t other, int64_t now) const {
    return (client == -1 || client == other) && from <= now && now <= to;
  }
};

class RunFaults {
 public:
  RunFaults() = default;
  RunFaults(const Dice& dice, int clients);

  [[nodiscard]] const std::vector<RunFault>& all() const { return all_; }
  // How long a message of this client that is sent now is held, or a client is stopped.
  [[nodiscard]] int64_t HeldFor(int32_t client, int64_t now) const;
  [[nodiscard]] bool Loses(const Dice& dice, int32_t client, int64_t now) const;
  // The end of the fault that sends a message of this client twice; -1 if there is none.
  [[nodiscard]] int64_t RepeatsUntil(int32_t client, int64_t now) const;
  [[nodiscard]] bool HasKilled(int32_t client, int64_t now) const;
  void AddTo(History& history) const;

 private:
  std::vector<RunFault> all_;
};

}  // namespace doublehold::brute

#endif  // DOUBLEHOLD_CHECKER_TESTING_ORACLE_RUN_FAULTS_H_
