// Limits that a user sets on a figure of a run (`--limit max-wait=5s`): each is judged as the claim
// of that name.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIMITS_LIMIT_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIMITS_LIMIT_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "checker/verdict/checker.h"
#include "lib/base/result.h"

namespace doublehold {

// As the registry says of its claim, in ns or a number: above 0.
Result<int64_t> ParseLimit(LimitKind kind, std::string_view word);

// Of a claim that has one; nothing: the history has none, or one that cannot be read.
std::optional<int64_t> LimitOf(const RunFacts& facts, std::string_view claim);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIMITS_LIMIT_H_
