#include "compose/replay/execution_story.h"

#include <gtest/gtest.h>

#include <string>

#include "checker/judge.h"
#include "compose/explore/testing_explore.h"

namespace doublehold {
namespace {

std::string WriteStory(const Searched& searched, const char* choices) {
  const sim::Deviations deviations = *sim::ParseDeviations(choices);
  sim::GivenChoices given(deviations);
  Scenario scenario = ScenarioOf(searched);
  std::vector<Frame> frames;
  scenario.terms.frames = &frames;
  const History history = Simulate(scenario, given).history;
  EXPECT_TRUE(given.Fits());
  return ToText(DescribeSteps(history, Judge(history), frames));
}

TEST(ExecutionStory, DescribesTheStepsOfEachClientAndTheFaults) {
  EXPECT_EQ(WriteStory({.lock = "set-nx-px", .faults = {FaultForm::kPause}}, "0:1"),
            R"(   1      0.100 ms    client 1 asks for dh:item:0
   2      0.150 ms    client 1's acquire is carried out
   3      0.200 ms  ! client 1 stopped for 640ms
   4      0.200 ms    client 2 asks for dh:item:0 8 times until 399.384 ms, and is refused each time
   5    454.179 ms    client 2 is granted dh:item:0; its lease runs until 854.079 ms
   6    454.229 ms    client 2 reads stock 5
   7    640.200 ms  ! end of the fault: client 1 stopped for 640ms
   8    640.200 ms    client 1 is granted dh:item:0; its lease was over at 400.100 ms
   9    640.200 ms  * exclusion is violated: client 2, which holds since 454.179 ms, and client 1, since 640.200 ms
  10    640.250 ms    client 1 reads stock 5
  11    654.329 ms    client 2 writes 4, having read 5
  12    654.429 ms    client 2 confirms the order
  13    654.529 ms    client 2 releases dh:item:0
  14    840.300 ms  * stock is violated: )"
            "client 1's lease ended at 0.400 s while it was stopped (0.000-0.640 s); it wrote "
            "stock 4 at 0.840 s over client 2's 4, having read 5 at 0.640 s: 1 order was lost\n"
            R"(  15    840.350 ms    client 1 writes 4, having read 5
  16    840.450 ms    client 1 confirms the order
  17    840.550 ms    client 1's release of dh:item:0 is refused: not its owner
  18    840.800 ms    the referee can acquire dh:item:0, after 0.100 ms
  19    841.100 ms    at the end the stock is 4, of 2 orders
)");
}

TEST(ExecutionStory, DescribesUnansweredCallsAndLeakedKeys) {
  EXPECT_EQ(WriteStory({.lock = "setnx-expire", .faults = {FaultForm::kCrash}}, "0:1"),
            R"(   1      0.100 ms    client 2 begins to wait for dh:item:0
   2      0.100 ms    client 1 asks for dh:item:0, and no answer ever comes
   3      0.150 ms    client 1's acquire is carried out
   4      0.200 ms  ! client 1 killed
   5      0.200 ms    client 2 asks for dh:item:0 27 times until 1594.059 ms, and is refused each time
   6   1600.100 ms    client 2 gives up waiting for dh:item:0
   7   1702.200 ms    dh:item:0 is still there, and never expires
   8   1702.200 ms  * liveness is violated: )"
            "at 1.702 s the key had no expiry: a holder that died would block it for ever; before "
            "that, client 1 had been killed at 0.000 s\n"
            R"(   9   2502.200 ms    the referee cannot acquire dh:item:0, after 800.000 ms
  10   2502.400 ms    at the end the stock is 5, of 0 orders
)");
}

// Client 1 is stopped before it reads the answer to its write. Client 2 then reads what it wrote.
TEST(ExecutionStory, TellsOfACallWhenAServerCarriedItOut) {
  const std::string story =
      WriteStory({.lock = "set-nx-px-del", .faults = {FaultForm::kPause}}, "11:1");
  const size_t wrote = story.find("  200.350 ms    client 1 writes 4, having read 5\n");
  const size_t read = story.find("client 2 reads stock 4\n");
  const size_t answered = story.find("  840.400 ms    client 1 gets the answer to its write\n");
  EXPECT_LT(wrote, read) << story;
  EXPECT_LT(read, answered) << story;
  EXPECT_NE(answered, story.npos) << story;
}

TEST(ExecutionStory, TellsWhenACallWithoutAnAnswerWasCarriedOut) {
  for (const auto& [fault, carried_out] :
       {std::pair(FaultForm::kDropReply, true), std::pair(FaultForm::kDropRequest, false)}) {
    const std::string story = WriteStory({.lock = "set-nx-px", .faults = {fault}}, "0:1");
    EXPECT_NE(story.find("'s acquire is not answered\n"), story.npos) << story;
    EXPECT_EQ(story.find("'s acquire is carried out\n") != story.npos, carried_out) << story;
  }
}

TEST(ExecutionStory, SaysOfADelThatFindsNoKeyThatItDidNotCheckTheOwner) {
  const std::string story =
      WriteStory({.lock = "set-nx-px-del", .faults = {FaultForm::kPause}}, "10:1");
  EXPECT_NE(story.find("client 2 deletes dh:item:0 without checking its owner\n"), story.npos);
  EXPECT_NE(story.find("client 1 deletes dh:item:0 without checking its owner, but the key is "
                       "gone\n"),
            story.npos)
      << story;
}

TEST(ExecutionStory, SaysThatADelCameAfterItsCheck) {
  const std::string story = WriteStory({.lock = "set-nx-px-get-del", .faults = {}}, "");
  EXPECT_NE(story.find("client 1 deletes dh:item:0, whose owner it checked before\n"), story.npos)
      << story;
}

}  // namespace
}  // namespace doublehold
