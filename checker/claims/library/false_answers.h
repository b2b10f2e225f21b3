// Finds answers of releases that cannot be true, although nobody else took the lock. With
// lost_locks.h, the basis of the claim `release-result`.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_FALSE_ANSWERS_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_FALSE_ANSWERS_H_

#include <cstdint>
#include <vector>

#include "checker/evidence/calls.h"
#include "checker/evidence/evidence.h"
#include "checker/evidence/holds.h"

namespace doublehold {

//   c1:  A-a==!   >  R-r      kWasOver: success was reported after lease and grace
//   c1:  A-a==R-r  R-r        kWasFreed: success was reported again, though it had freed it before
//   c1:  A-a==R-x  !          kWasThere: its lease ran, nobody else was granted the key, and the
//                             release reported that the lock was not its own
//
// kWasOver applies only to a library that declares that its leases end. For a built-in lock the
// history does not record what renews the lease; a library with a watchdog renews unseen.
//
// An answer is only a doubt in these cases:
// - the session may have been granted the key once more;
// - another's acquire was not answered, or an unchecked release may have met this lock;
// - a message that a fault delayed or lost may take effect now;
// - the hold was shared: readers may keep each other's locks alive;
// - a fault moved a clock, removed keys or killed a process;
// - the lock is on several nodes.
enum class Falsehood : uint8_t { kWasOver, kWasFreed, kWasThere };

struct FalseAnswer {
  const Call* release = nullptr;
  const Hold* own = nullptr;
  Falsehood what = Falsehood::kWasOver;
  int64_t at_ns = 0;  // latest end of its lease; when it was freed; when its lease would have ended
  bool certain = false;
};

// Returns the answers in the order of their releases' invocation. Refers to the evidence.
std::vector<FalseAnswer> FindFalseAnswers(const Evidence& evidence);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_FALSE_ANSWERS_H_
