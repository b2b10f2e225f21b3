// What the answer to a release says of its session's own lock and cannot be true, though nobody
// else took it: what the claim `release-result` stands on, beside lost_locks.h.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_FALSE_ANSWERS_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_FALSE_ANSWERS_H_

#include <cstdint>
#include <vector>

#include "checker/evidence/calls.h"
#include "checker/evidence/evidence.h"
#include "checker/evidence/holds.h"

namespace doublehold {

//   c1:  A-a==!   >  R-r      kWasOver: lease and grace were over, and it says that it freed it
//   c1:  A-a==R-r  R-r        kWasFreed: it had freed it before
//   c1:  A-a==R-x  !          kWasThere: its lease ran, nobody else was granted the key, and it
//                             says that there was nothing of its own
//
// Only a library that says that its leases end is asked when one was over: what keeps a session of
// ours alive is not recorded. Nor of one with a watchdog, which extends unseen.
//
// Not certain, and so a doubt: where its session may have been granted the key once more, where
// another's acquire was not answered, or a release that frees without looking may have met it;
// where what a fault had kept back or lost before may be carried out now; of readers, who may keep
// each other's locks; and where a fault moved a clock, took keys away or killed somebody. On
// several nodes nothing is certain.
enum class Falsehood : uint8_t { kWasOver, kWasFreed, kWasThere };

struct FalseAnswer {
  const Call* release = nullptr;
  const Hold* own = nullptr;
  Falsehood what = Falsehood::kWasOver;
  int64_t at_ns = 0;  // when its lease was over, at the latest; was freed; would have been over
  bool certain = false;
};

// In the order in which their releases were called. Refers to the evidence.
std::vector<FalseAnswer> FindFalseAnswers(const Evidence& evidence);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_FALSE_ANSWERS_H_
