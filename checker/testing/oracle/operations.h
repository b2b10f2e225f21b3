// For tests: what each session did, read off a history without the checkers' help.
#ifndef DOUBLEHOLD_CHECKER_TESTING_ORACLE_OPERATIONS_H_
#define DOUBLEHOLD_CHECKER_TESTING_ORACLE_OPERATIONS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "checker/testing/oracle/orders.h"
#include "lib/history/history.h"

namespace doublehold::brute {

struct Deed {
  Op op = Op::kAcquire;
  SessionId session;
  uint64_t hold = 0;
  int64_t from = 0;
  int64_t to = kEver;                    // kEver: not answered
  EventType outcome = EventType::kInfo;  // likewise
  std::array<int64_t, 4> asked{}, answer{};
  int before = -1;  // the deed that the session did before, of those that are taken

  [[nodiscard]] bool Ok() const { return outcome == EventType::kOk; }
  [[nodiscard]] bool Perhaps() const { return outcome == EventType::kInfo; }
  // When it took effect, if it did.
  [[nodiscard]] Step AsStep() const {
    return {.from = from, .to = Perhaps() ? kEver : to, .perhaps = Perhaps(), .after = before};
  }
};

// Those of these operations, in the order of their beginnings.
std::vector<Deed> DeedsOf(const History& history, std::vector<Op> ops);

}  // namespace doublehold::brute

#endif  // DOUBLEHOLD_CHECKER_TESTING_ORACLE_OPERATIONS_H_
