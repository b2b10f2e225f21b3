// For tests: plays of clients that take a key one after another, or at once; and when each of them
// held it, read off their history without the checkers' help.
#ifndef DOUBLEHOLD_CHECKER_TESTING_ORACLE_HOLDING_H_
#define DOUBLEHOLD_CHECKER_TESTING_ORACLE_HOLDING_H_

#include <cstdint>
#include <vector>

#include "checker/testing/oracle/operations.h"
#include "lib/base/prng.h"
#include "lib/history/history.h"

namespace doublehold::brute {

// Of a service that keeps its promises, or grants what is taken. In each either an owner may enter
// again, or readers share, or neither.
History AnyHolding(Prng& prng);

struct Holding {
  Deed grant;
  bool shared = false;
  // When its session invoked its release; of one never released, the last that the session did
  // before it began anew.
  int64_t end = 0;
  int64_t gone = kEver;  // that release was answered
  // Until when nothing gave it back: `end`; of one never released, when its session asked for the
  // key again.
  int64_t kept = 0;
};
std::vector<Holding> HoldingsOf(const History& history);

}  // namespace doublehold::brute

#endif  // DOUBLEHOLD_CHECKER_TESTING_ORACLE_HOLDING_H_
