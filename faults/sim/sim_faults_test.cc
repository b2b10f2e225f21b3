#include "faults/sim/sim_faults.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lib/sim/testing/testing_scene.h"

namespace doublehold {
namespace {

using sim::Ask;
using sim::Deviations;
using sim::Scene;
using sim::WorldTerms;
using Lines = std::vector<std::string>;

WorldTerms With(FaultForm fault) {
  return {.faults = {fault}, .make_outside_faults = MakeSimFaults};
}

TEST(SimFaults, ADuplicatedRequestIsExecutedTwiceAndHasTheFirstReply) {
  const WorldTerms terms = With(FaultForm::kDuplicateRequest);
  const Lines commands{"INCR n", "INCR n"};
  EXPECT_EQ(Ask(terms, {}, commands), (Lines{"0.1 1", "10.2 2"}));
  EXPECT_EQ(Ask(terms, {{.at = 0, .choice = 1}}, commands), (Lines{"0.1 1", "10.2 3"}));
  EXPECT_EQ(Ask(terms, {{.at = 1, .choice = 1}}, {"INCR n", "INCR n", "GET n"}),
            (Lines{"0.1 1", "10.2 2", "20.3 3"}));
  EXPECT_EQ(Ask(terms, {{.at = 0, .choice = 1}}, {"script", "script"}),
            (Lines{"0.1 1", "10.2 3"}));
}

// The client would receive a reply that it does not expect.
TEST(SimFaults, NoCommandOfATransactionIsSentTwice) {
  const WorldTerms terms = With(FaultForm::kDuplicateRequest);
  const Lines commands{"MULTI", "INCR n", "EXEC", "GET n"};
  for (const uint32_t at : {0U, 1U, 2U}) {
    EXPECT_EQ(Ask(terms, {{.at = at, .choice = 1}}, commands).back(), "30.4 1") << at;
  }
}

TEST(SimFaults, ANodeThatIsCutOffExecutesARequestAndItsReplyIsLost) {
  const WorldTerms terms = With(FaultForm::kPartition);
  const Lines commands{"INCR n", "INCR n", "INCR n"};
  // Each call waits for 100 ms.
  EXPECT_EQ(Ask(terms, {{.at = 1, .choice = 1}}, commands),
            (Lines{"0.1 1", "110.1 perhaps", "220.1 perhaps"}));
  // Six calls begin before the cut ends. Of these, only the first was executed.
  const Lines more(9, "INCR n");
  EXPECT_EQ(Ask(terms, {{.at = 0, .choice = 1}}, more).back(), "680.3 4");
}

TEST(SimFaults, AreRecordedInTheWordsOfTheirKind) {
  const auto recorded = [](FaultForm form) {
    Scene scene(With(form), {{.at = 0, .choice = 1}});
    scene.world->Start(1, TaskKind::kSession, 0,
                       [&](Env& env) { (void)Scene::Call(env, 1, {"GET", "k"}); });
    (void)scene.Run();
    const FaultFact& fault = scene.world->faults().at(0);
    std::string text = fault.name + ": " + fault.what;
    for (const Event& event : scene.world->events())
      text += fmt::format(", {} {} {}", event.at_ns / 1'000, event.value[2], event.value[3]);
    return text;
  };
  EXPECT_EQ(recorded(FaultForm::kDuplicateRequest),
            "duplicate-request-1: 1 request GET from client 1 to node 1 sent twice, 0 1 1, 0 1 1");
  EXPECT_EQ(recorded(FaultForm::kPartition),
            "partition-1: every client cut off from node 1, 50 -1 1, 640050 -1 1");
}

}  // namespace
}  // namespace doublehold
