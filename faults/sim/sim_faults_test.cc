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
  EXPECT_EQ(Ask(terms, {{.at = 0, .choice = 1}}, {"script", "script"}), (Lines{"0.1 1", "10.2 3"}));
}

// A copy of MULTI or of a queued command would change the transaction. A second EXEC fails.
TEST(SimFaults, ATransactionIsCarriedOutOnce) {
  const WorldTerms terms = With(FaultForm::kDuplicateRequest);
  const Lines commands{"MULTI", "INCR n", "EXEC", "GET n"};
  for (const uint32_t at : {0U, 1U, 2U}) {
    EXPECT_EQ(Ask(terms, {{.at = at, .choice = 1}}, commands).back(), "30.4 1") << at;
  }
}

TEST(SimFaults, ADuplicateThatCannotBeSentIsRecordedAsFailed) {
  const auto ends = [](const Lines& commands, uint32_t at) {
    Scene scene(With(FaultForm::kDuplicateRequest), {{.at = at, .choice = 1}});
    scene.world->Start(1, TaskKind::kSession, 0, [&](Env& env) {
      const auto node = env.clients().redis().Connect(NodeId{1});
      for (const std::string& command : commands) {
        const std::vector<std::string_view> words{command};
        static_cast<void>(node->Call(words, env.Mono() + 100ms));
      }
    });
    static_cast<void>(scene.Run());
    return scene.world->events().back().type;
  };
  EXPECT_EQ(ends({"MULTI", "DBSIZE", "EXEC"}, 0), EventType::kFail);
  EXPECT_EQ(ends({"MULTI", "DBSIZE", "EXEC"}, 1), EventType::kFail);
  EXPECT_EQ(ends({"MULTI", "DBSIZE", "EXEC"}, 2), EventType::kOk);
  EXPECT_EQ(ends({"DBSIZE"}, 0), EventType::kOk);
}

TEST(SimFaults, ANodeThatIsCutOffExecutesARequestAndItsReplyIsLost) {
  const WorldTerms terms = With(FaultForm::kPartition);
  const Lines commands{"INCR n", "INCR n", "INCR n"};
  // Each call times out after 100 ms.
  EXPECT_EQ(Ask(terms, {{.at = 1, .choice = 1}}, commands),
            (Lines{"0.1 1", "110.1 perhaps", "220.1 perhaps"}));
  // Six calls begin before the cut ends. Of these, only the first was executed.
  const Lines more(9, "INCR n");
  EXPECT_EQ(Ask(terms, {{.at = 0, .choice = 1}}, more).back(), "680.3 4");
}

TEST(SimFaults, AreRecordedInTheWordsOfTheirKind) {
  const auto recorded = [](FaultForm form) {
    Scene scene(With(form), {{.at = 0, .choice = 1}});
    scene.world->Start(1, TaskKind::kSession, 0, [&](Env& env) {
      (void)Scene::Call(env, 1, {"GET", "k"});
    });
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
