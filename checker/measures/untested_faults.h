// Faults that did not act as planned, and so tested nothing or less than planned.
#ifndef DOUBLEHOLD_CHECKER_MEASURES_UNTESTED_FAULTS_H_
#define DOUBLEHOLD_CHECKER_MEASURES_UNTESTED_FAULTS_H_

#include <string>
#include <vector>

#include "checker/evidence/evidence.h"
#include "checker/measures/tally.h"

namespace doublehold {

// A sentence for each fault.
struct FaultShortfalls {
  // The planned effect was not reached, so no claim can be valid:
  // - a fault never took effect, or less often than planned;
  // - of many drawn faults none took effect, or less than half;
  // - the run's end healed each start of a fault before its planned end, and before it outlasted
  //   the lease (a jump of a clock acts at once, so it is no such fault):
  //
  //       c1:        A-a===========!
  //       pause c1:      [-------]          planned 12, lease 10, healed after 8
  //
  // - no pause outlasted the lease that its holder was granted (short_pauses.h).
  std::vector<std::string> untested;
  // The run's end healed the fault, but it had outlasted the lease, or another start tested it.
  std::vector<std::string> cut;
  // Some of many drawn faults found nothing to act on.
  std::vector<std::string> idle;
};

// `cut_short`: whether the run ended before its planned duration. The run's verdict says so, so
// faults that this end healed are not reported.
FaultShortfalls FindShortfalls(const Evidence& evidence, const Tally& tally, bool cut_short);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_MEASURES_UNTESTED_FAULTS_H_
