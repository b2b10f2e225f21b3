// For tests: checks the causes of violations in drawn histories.
#ifndef DOUBLEHOLD_CHECKER_TESTING_TESTING_CAUSES_H_
#define DOUBLEHOLD_CHECKER_TESTING_TESTING_CAUSES_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "checker/explain/cause.h"
#include "checker/judge.h"
#include "checker/testing/ascii_history.h"

namespace doublehold::testing {

// Two overlapping holds with valid leases.
inline const std::string kBoth = R"(
      c1:          A-a================R-r
      c2:                    A-a==R-r)";

// Judges the history. Returns the first violation of a claim, or an empty violation.
inline Violation FirstOf(const History& history, const std::string& claim) {
  const RunVerdict verdict = Judge(history);
  const auto found = std::ranges::find(verdict.claims, claim, &ClaimVerdict::claim);
  const bool none = found == verdict.claims.end() || found->violations.empty();
  return none ? Violation{} : found->violations.front();
}

// Judges the history. Returns the cause of the first violation of a claim, or "".
inline std::string CauseOf(const History& history, const std::string& claim) {
  const Violation first = FirstOf(history, claim);
  if (first.sentence.empty()) return "";
  EXPECT_FALSE(first.because.empty());
  return std::string(Name(first.cause));
}

struct DrawnCause {
  std::string claim;
  std::string lanes;
  std::string cause;
  LaneOptions options{};
};

inline void ExpectCauses(const std::vector<DrawnCause>& cases) {
  for (DrawnCause one : cases) {
    one.options.claims = {one.claim};
    // Shortens the lease, so that the lease of a killed holder has ended before the probe.
    if (one.claim == "liveness") one.options.asked_lease = one.options.lease / 2;
    EXPECT_EQ(CauseOf(FromLanes(one.lanes, one.options), one.claim), one.cause) << one.lanes;
  }
}

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_CHECKER_TESTING_TESTING_CAUSES_H_
