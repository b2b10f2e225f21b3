// Finds faults and stalls of the machine that may keep a client from acquiring a free lock.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_EXCUSES_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_EXCUSES_H_

#include <cstdint>
#include <optional>

#include "checker/claims/library/in_the_way.h"
#include "checker/evidence/disturbances.h"
#include "checker/evidence/holds.h"

namespace doublehold {

// A client that asks for a key, and when others may be in its way.
struct Asker {
  int32_t client = 0;
  const TimesInTheWay& others;
};

// Returns the latest end of the stalls within `when`, and of the faults for which `counts` is true,
// that may have delayed the client. A stop, slowdown or stall of another client counts only if that
// client may hold some of several nodes meanwhile, or may be ahead in a queue. Returns the start of
// `when` if there was no such disturbance. Returns kForeverNs if too many servers were killed for a
// majority.
int64_t DisturbedUntil(const Disturbances& disturbances, const Span& when, const Asker& asker,
                       bool (*counts)(const FaultFact&));

// Returns DisturbedUntil, for all faults. Returns nullopt if a fault before or within `when` may
// block the key long after its end.
std::optional<int64_t> UndisturbedSince(const Disturbances& disturbances, const Span& when,
                                        const Asker& asker);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_EXCUSES_H_
