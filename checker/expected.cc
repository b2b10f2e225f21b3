// Compares the outcomes and causes of a run's claims with the expected ones.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "checker/explain/cause.h"
#include "checker/judge.h"

namespace doublehold {
namespace {

// If several causes are possible, all of them must be expected.
bool HasExpectedCause(const std::vector<std::string>& expected, const Violation& violation) {
  const auto is_expected = [&expected](Cause cause) {
    return std::ranges::find(expected, Name(cause)) != expected.end();
  };
  return is_expected(violation.cause) ||
         (!violation.perhaps.empty() && std::ranges::all_of(violation.perhaps, is_expected));
}

}  // namespace

std::optional<std::string> ExpectedOf(const RunFacts& facts, const std::string& claim) {
  if (facts.expect.empty()) return std::nullopt;
  const auto expected = facts.expect.find(claim);
  return expected == facts.expect.end() ? "valid" : expected->second;
}

bool IsAsExpected(const RunFacts& facts, const ClaimVerdict& claim) {
  const std::string expected = ExpectedOf(facts, claim.claim).value_or("valid");
  if (expected != "any" && expected != Name(claim.outcome)) return false;
  return WhyOtherCause(facts, claim).empty();
}

std::string WhyOtherCause(const RunFacts& facts, const ClaimVerdict& claim) {
  const auto found = facts.expect_cause.find(claim.claim);
  if (found == facts.expect_cause.end() || claim.outcome != Outcome::kViolated) return "";
  const std::vector<std::string>& expected = found->second;
  if (expected.empty()) return "";
  bool has_first = ExpectedOf(facts, claim.claim) != "violated";
  for (const Violation& violation : claim.violations) {
    if (violation.cause == Cause::kMachine) continue;  // never makes a claim violated
    if (!HasExpectedCause(expected, violation)) {
      return fmt::format(
          "{} was expected to be violated because of {}, but was violated because of {} ({}): {}",
          claim.claim, fmt::join(expected, ", "), Name(violation.cause), violation.because,
          violation.sentence);
    }
    has_first = has_first || Name(violation.cause) == expected.front();
  }
  return has_first
             ? ""
             : fmt::format(
                   "{} was expected to be violated because of {}, but no described violation has "
                   "this cause",
                   claim.claim, expected.front());
}

}  // namespace doublehold
