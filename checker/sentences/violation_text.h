// Writes the sentences of a verdict: who, when, what, and which fault was active.
#ifndef DOUBLEHOLD_CHECKER_SENTENCES_VIOLATION_TEXT_H_
#define DOUBLEHOLD_CHECKER_SENTENCES_VIOLATION_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "checker/evidence/disturbances.h"
#include "checker/evidence/holds.h"
#include "checker/evidence/overlaps.h"
#include "checker/evidence/why.h"

namespace doublehold {

// Names a fault and its time: "client 3 was stopped (2.101-3.104 s)". The client with the number
// `it` is called "it".
std::string FaultClause(const Disturbances& disturbances, const FaultEpisode& episode,
                        int32_t it = 0);
// The clauses of several faults, joined by "and". For none: "no fault was active", or, if faults
// acted on the store alone, "no fault was acting on the lock".
std::string FaultsClause(const Disturbances& disturbances,
                         const std::vector<const FaultEpisode*>& episodes);

// Names what may explain an observation otherwise: "client 2's release at 0.1 s was not answered".
std::string WhyClause(const Disturbances& disturbances, const Why& why);

// Describes why a hold outlived its lease.
struct StaleStory {
  std::string text;    // "client 3's lease ended at 2.418 s while it was stopped (2.101-3.104 s)"
  std::string suffix;  // the end of the sentence: "; no fault was active"
  int32_t fault = -1;
  bool explained_by_stall = false;
};
// `other`: the client of the other hold; 0: none. `at_ns`: when the stale hold did harm.
// `until_ns`: the end of the stale hold, or the time of its write.
StaleStory TellStale(const Disturbances& disturbances, const Hold& stale, int32_t other,
                     int64_t at_ns, int64_t until_ns);

// Describes the violation that an overlap of two holds proves.
Violation TellOverlap(const Disturbances& disturbances, const Holds& holds,
                      const OverlapFound& overlap);

// An operation of a session that should not have happened or succeeded.
struct WrongOperation {
  SessionId by;
  const Hold* under = nullptr;   // the hold under which it was done; null: none
  const Hold* harmed = nullptr;  // another session's hold
  const Hold* beside = nullptr;  // another hold of the session, which should not have changed
  uint16_t key = 0;
  Span when;
  std::string what;         // "freed client 5's lock"
  bool of_service = false;  // the service is to blame, however late clients are
  bool on_store = false;    // an operation on the store, so a fault of the store may explain it
};
Violation DescribeWrongOperation(const Disturbances& disturbances, const WrongOperation& operation);

// If no fault was active, names the last fault before the violation for which `kind` is true, but
// no fault on the store alone. A fault can cause a violation after the fault has ended.
void NameEarlierFault(const Disturbances& disturbances, Violation& violation,
                      bool (*kind)(const FaultFact&) = IsAny);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_SENTENCES_VIOLATION_TEXT_H_
