// What may keep a client from acquiring a free lock: faults, and stalls of the machine.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_EXCUSES_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_EXCUSES_H_

#include <cstdint>
#include <optional>

#include "checker/evidence/disturbances.h"
#include "checker/evidence/holds.h"

namespace doublehold {

// The latest end of the disturbances that overlap a span; its beginning if there are none. Nothing:
// an earlier fault may block the key for long.
std::optional<int64_t> UndisturbedSince(const Disturbances& disturbances, const Span& when,
                                        int32_t client);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_EXCUSES_H_
