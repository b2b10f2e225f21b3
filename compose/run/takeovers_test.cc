#include "compose/run/takeovers.h"

#include <gtest/gtest.h>

#include "checker/judge.h"
#include "checker/testing/testing_causes.h"

namespace doublehold {
namespace {

// Both clients have a valid lease, because the second server does not have the first grant.
TEST(Takeovers, ATakeoverByOthersIsTheCauseOfAGrantThatItLost) {
  History history = FromLanes(testing::kBoth, {.claims = {"lease-exclusion"}});
  EXPECT_EQ(testing::CauseOf(history, "lease-exclusion"), "unexplained");
  Takeovers takeovers;
  std::vector<Event> events;
  for (Event event : takeovers.Note(1, history.facts)) {
    event.at_ns = history.events[2].at_ns;
    events.push_back(event);
  }
  history.events.insert(history.events.begin() + 3, events.begin(), events.end());
  EXPECT_EQ(testing::CauseOf(history, "lease-exclusion"), "failover");
  EXPECT_NE(testing::FirstOf(history, "lease-exclusion")
                .sentence.find("another server had taken over from node 1 at "),
            std::string::npos)
      << testing::FirstOf(history, "lease-exclusion").sentence;
}

TEST(Takeovers, ANodeHasOneFaultForAllItsTakeovers) {
  RunFacts facts{.faults = {{.name = "pause-1", .kind = "pause", .what = ""}}};
  Takeovers takeovers;
  takeovers.Note(1, facts);
  takeovers.Note(2, facts);
  EXPECT_EQ(takeovers.Note(1, facts)[1].value[0], 1);
  ASSERT_EQ(facts.faults.size(), 3U);
  EXPECT_EQ(facts.faults[1].planned, 2);
  EXPECT_EQ(facts.faults[2].planned, 1);
}

}  // namespace
}  // namespace doublehold
