#include "checker/measures/short_pauses.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "checker/judge.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

// The requested lease is 10 ms, and a pause is planned to last 12 ms.
std::string WarningFor(const std::string& picture, Duration lasts = 12ms) {
  History history = FromLanes(picture);
  for (FaultFact& fault : history.facts.faults) fault.lasts = lasts;
  const std::vector<std::string> warnings = PauseWarnings(Evidence(history));
  return warnings.empty() ? "" : warnings.front();
}

constexpr char kTooShortPause[] = R"(
      c1:        A-a=================!==R-r
      pause c1:      [----------])";

TEST(ShortPauses, WarnsIfAGrantedLeaseIsLongerThanRequestedAndOutlastsAllPauses) {
  EXPECT_EQ(WarningFor(kTooShortPause),
            "no pause outlasted the lease of the holder that it stopped: pauses lasted 11.0 ms at "
            "most, and the leases of these holders 20.0 ms or more, where 10.0 ms was requested; "
            "so the lock was not tested with a pause past its lease");
}

TEST(ShortPauses, NoWarningIfOnePauseOutlastedItsLease) {
  EXPECT_EQ(WarningFor(kTooShortPause + std::string(R"(
      c2:                                      A-a====!==========R-r
      pause c2:                                    [---------])")),
            "");
}

TEST(ShortPauses, NoWarningIfNoPauseWasPlannedToOutlastALeaseOrStoppedAHolder) {
  EXPECT_EQ(WarningFor(kTooShortPause, 10ms), "");
  EXPECT_EQ(WarningFor(R"(
      c1:        A-a=====R-r
      pause c1:              [----------])"),
            "");
  EXPECT_EQ(WarningFor(R"(
      c1:        A-a=================!==R-r
      pause c2:      [----------])"),
            "");
  EXPECT_EQ(WarningFor(R"(
      c1:        A-a=================!==R-r
      pause n1:      [----------])"),
            "");
  EXPECT_EQ(WarningFor(R"(
      c1:        A-a=================!==R-r
      slow c1:       [----------])"),
            "");
}

TEST(ShortPauses, APauseFromTheGrantToTheReleaseStoppedTheHolder) {
  EXPECT_NE(WarningFor(R"(
      c1:        A-a=============R-r
      pause c1:    [-------------])"),
            "");
}

TEST(ShortPauses, TheVerdictHasTheWarning) {
  History history = FromLanes(kTooShortPause);
  history.facts.faults[0].lasts = 12ms;
  const RunVerdict verdict = Judge(history);
  EXPECT_TRUE(verdict.short_pauses);
  EXPECT_NE(ToText(verdict).find(
                "\nwarning: no pause outlasted the lease of the holder that it stopped: "),
            std::string::npos)
      << ToText(verdict);
  EXPECT_TRUE(ToJson(verdict).at("blind_spots").at("short_pauses").get<bool>());
}

}  // namespace
}  // namespace doublehold
