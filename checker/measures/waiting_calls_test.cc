#include "checker/measures/waiting_calls.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

std::vector<std::string> WarningsOfWaitingCalls(const std::string& picture,
                                                const std::string& claim = "reentry") {
  const History history = FromLanes(
      picture, {.lease = 100ms, .claims = {claim}, .library = LibraryFact{"lib", "1", {}}});
  return WaitingCallWarnings(Evidence(history));
}

TEST(WaitingCalls, WarnsIfAcquiresOfOthersWerePendingDuringMostReleases) {
  const std::string waiting = R"(
      c1:  A-a==R-r
      c2:    A---------a==R-r
      c1.2:            A------a==R-r)";
  EXPECT_EQ(WarningsOfWaitingCalls(waiting),
            std::vector<std::string>{
                "acquires of other clients waited inside the library during 2 of 3 releases; they "
                "hide false answers of releases, and nested exits that free the lock; --set "
                "lock.call-timeout=10ms shows more"});
  EXPECT_EQ(WarningsOfWaitingCalls(waiting, "release-result").size(), 1U);
  EXPECT_TRUE(WarningsOfWaitingCalls(waiting, "exclusion").empty());
}

TEST(WaitingCalls, AnAcquireThatBeginsAfterTheReleaseHidesNothing) {
  EXPECT_TRUE(WarningsOfWaitingCalls(R"(
      c1:  A-a==R--r      A-a==R-r
      c2:        A---a==R-r)")
                  .empty());
}

TEST(WaitingCalls, AnAcquireOfTheRefereeHidesNothing) {
  EXPECT_TRUE(WarningsOfWaitingCalls("c1:  A-a==R-r\nc0:  A---------").empty());
}

}  // namespace
}  // namespace doublehold
