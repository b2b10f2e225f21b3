// Limits that a user sets on a figure of a run (`--limit max-wait=5s`). The claim of the same name
// judges the limit.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIMITS_LIMIT_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIMITS_LIMIT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "checker/evidence/disturbances.h"
#include "checker/verdict/checker.h"
#include "lib/base/result.h"

namespace doublehold {

// Parses a limit: a time above 0, returned in ns, or a count of at least 1. The registry lists the
// `kind` for each claim.
Result<int64_t> ParseLimit(LimitKind kind, std::string_view word);

// Returns the limit that the run set for a claim; nullopt if there is none or it is unreadable.
std::optional<int64_t> LimitOf(const RunFacts& facts, std::string_view claim);

// Returns a violation of a limit ("2 commands") in a span. Names the faults of that time: they are
// no excuse. `first`: a hold of the client; may be null.
Violation DescribeExcessWithin(const Disturbances& disturbances, uint16_t key, const Span& when,
                               const Hold* first, const std::string& sentence,
                               std::string_view limit);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIMITS_LIMIT_H_
