// A lock service that does what it should, for tests: clients that take its lock at random, with
// answers that are late or lost, and the history they would record. It can be given one defect.
#ifndef DOUBLEHOLD_CHECKER_TRUE_SERVICE_H_
#define DOUBLEHOLD_CHECKER_TRUE_SERVICE_H_

#include <cstdint>

#include "lib/base/prng.h"
#include "lib/history/history.h"

namespace doublehold {

enum class Defect : uint8_t {
  kNone,
  kReleasesUnchecked,  // a release frees whatever is there, however late it comes
  kLosesTokens,        // the counter of tokens starts again now and then
  kTakesStaleTokens,   // the store does not compare
  kNoQueue,            // whoever comes first when it is free is granted the key
  kInnerExitFrees,     // every exit of an owner frees the key
  kCountsTwice,        // an acquire counts 2 now and then
  kNoLock,             // everybody is granted the key at once
  kTriesAgain,         // a sale of unknown outcome is tried again
};

struct ServiceOptions {
  Defect defect = Defect::kNone;
  int sessions = 3;
  bool reentrant = false;  // owners may enter again, and are counted
  bool fair = false;       // a queue
  bool readers = false;
  bool punctual =
      true;  // nobody holds past the lease, so that what is under the lock must be right
  bool unchecked = false;  // releases free whatever is there; there are no leases then
  bool losses = true;      // answers, and what was asked for, may be lost or come late
  bool sells = true;       // from a stock; else reads and writes a record, and saves tasks
};

// The stock is written as `watch` does.
History RunService(const ServiceOptions& options, Prng& prng);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_TRUE_SERVICE_H_
