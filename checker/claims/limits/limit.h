// Limits that a user sets on a figure of a run (`--limit max-wait=5s`). Each is judged as the claim
// of that name.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIMITS_LIMIT_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIMITS_LIMIT_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "checker/verdict/checker.h"
#include "lib/base/result.h"

namespace doublehold {

// Parses a limit of the kind that the registry gives its claim: ns or a number, above 0.
Result<int64_t> ParseLimit(LimitKind kind, std::string_view word);

// The limit of a claim; nothing: the history has none, or an unreadable one.
std::optional<int64_t> LimitOf(const RunFacts& facts, std::string_view claim);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIMITS_LIMIT_H_
