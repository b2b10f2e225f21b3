// Tests how a verdict describes a recorded fault.
#include <gtest/gtest.h>

#include "checker/sentences/violation_text.h"
#include "compose/plan/plan_builder.h"
#include "compose/run/testing_timeline.h"
#include "compose/testing/plan_testing.h"

namespace doublehold {
namespace {

using testing::TimelineTest;

class FaultStory : public TimelineTest {
 protected:
  // Returns a verdict's description of the run's only fault, which lasts from 4 ms to 7 ms.
  std::string DescribeInVerdict(const std::string& toml) {
    const Plan plan = testing::Good(toml);
    Begin(plan.faults);
    for (const auto& [client, steps] : armed_) {
      if (steps != 0) timeline_->OnStep(client, Step::kAfterRead);
    }
    Settle();
    End();
    History history;
    history.facts = FactsOf(plan);
    history.events = events_;
    EXPECT_EQ(history.events.size(), 2u);
    for (size_t i = 0; i < history.events.size(); ++i)
      history.events[i].at_ns = i == 0 ? 4'000'000 : 7'000'000;
    const Disturbances disturbances = Observe(history);
    if (disturbances.episodes.size() != 1) return "no such episode";
    return FaultClause(disturbances, disturbances.episodes.front());
  }
};

TEST_F(FaultStory, APromotionNamesTheNewMasterAndItsDuration) {
  const std::string replicated = "lock.name = \"set-nx-px\"\ntopology.name = \"replicated\"\n";
  EXPECT_EQ(DescribeInVerdict(replicated + "[[fault]]\nkind = \"promote\"\nnodes = [2]\n"),
            "node 2 was made the master (0.004-0.007 s)");
}

TEST_F(FaultStory, APromotionAtAStepDoesNotNameTheClient) {
  const std::string replicated = "lock.name = \"set-nx-px\"\ntopology.name = \"replicated\"\n";
  EXPECT_EQ(DescribeInVerdict(replicated +
                              "[[fault]]\nkind = \"promote\"\nnodes = [2]\nhow = \"planned\"\non = "
                              "\"client 1 after-read\"\n"),
            "node 2 was made the master (0.004-0.007 s)");
}

}  // namespace
}  // namespace doublehold
