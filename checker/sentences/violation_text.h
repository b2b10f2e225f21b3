// The sentences of a verdict: who, when, what, and which fault was at work.
#ifndef DOUBLEHOLD_CHECKER_SENTENCES_VIOLATION_TEXT_H_
#define DOUBLEHOLD_CHECKER_SENTENCES_VIOLATION_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "checker/evidence/disturbances.h"
#include "checker/evidence/holds.h"
#include "checker/evidence/overlaps.h"

namespace doublehold {

// "client 3 was stopped (2.101-3.104 s)"; with `it` the client's name is "it".
std::string FaultClause(const Scene& scene, const FaultEpisode& episode, int32_t it = 0);
// The same of several, with "and"; "no fault was active" of none.
std::string FaultsClause(const Scene& scene, const std::vector<const FaultEpisode*>& episodes);

// What was behind a hold whose lease was over.
struct StaleStory {
  std::string text;    // "client 3's lease ended at 2.418 s while it was stopped (2.101-3.104 s)"
  std::string suffix;  // said at the end of the sentence: "; no fault was active"
  int32_t fault = -1;
  bool by_stall = false;
};
// `at_ns`: when the stale hold did harm; `until_ns`: until when it was held, or had not yet
// written.
StaleStory TellStale(const Scene& scene, const Hold& stale, int32_t other, int64_t at_ns,
                     int64_t until_ns);

// The violation that an overlap of two holds is.
Violation TellOverlap(const Scene& scene, const Holds& holds, const OverlapFound& overlap);

// Something that a session did and should not have, told with why it could.
struct Deed {
  SessionId by;
  const Hold* under = nullptr;   // the hold it was done under; null: none
  const Hold* harmed = nullptr;  // somebody else's
  const Hold* beside = nullptr;  // one of its own that it was to leave as it is
  uint16_t key = 0;
  Span when;
  std::string what;         // "freed client 5's lock"
  bool of_service = false;  // it is the service's, whatever clients do late
};
Violation TellDeed(const Scene& scene, const Deed& deed);

// Where no fault was active, names the last that had begun before, of those whose `kind` is true:
// for harm that outlives what caused it.
void NameEarlierFault(const Scene& scene, Violation& violation, bool (*kind)(const FaultFact&));

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_SENTENCES_VIOLATION_TEXT_H_
