// Tests which differences between two worlds are a part of their states.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "lib/sim/redis/server.h"
#include "lib/sim/testing/testing_scene.h"
#include "lib/sim/world_parts.h"

namespace doublehold::sim {
namespace {

using StateBody = std::function<void(Env&)>;

struct StateSide {
  StateBody first, second;  // what the two clients do
  Deviations deviations{};
  bool remembers = false;  // whether past faults are remembered
  bool reads_clocks = true;
  int replicas = 0;
  Duration window{};
};

std::vector<GivenChoices::State> StatesAtFaultQuestions(const std::vector<FaultForm>& faults,
                                                        const StateSide& side) {
  WorldTerms terms{.replicas = side.replicas,
                   .window = side.window,
                   .faults = faults,
                   .clients_read_clocks = side.reads_clocks};
  if (!side.remembers) terms.remembered.reset();
  Scene scene(terms, side.deviations);
  scene.world->Start(1, TaskKind::kSession, 0, side.first);
  if (side.second) scene.world->Start(2, TaskKind::kSession, 0, side.second);
  (void)scene.Run();
  std::vector<GivenChoices::State> states;
  for (size_t i = 0; i < scene.choices.open().size(); ++i) {
    if (scene.choices.open()[i].kind == ChoiceKind::kFault)
      states.push_back(scene.choices.states()[i]);
  }
  return states;
}

// Compares the states at the last questions of two worlds, one letter for each question: = or x.
std::string CompareStates(const std::vector<FaultForm>& faults, const StateSide& a,
                          const StateSide& b) {
  const auto of_a = StatesAtFaultQuestions(faults, a), of_b = StatesAtFaultQuestions(faults, b);
  std::string equal;
  for (size_t i = 1; i <= std::min(of_a.size(), of_b.size()); ++i)
    equal += of_a[of_a.size() - i].digest == of_b[of_b.size() - i].digest ? '=' : 'x';
  return {equal.rbegin(), equal.rend()};
}

struct TimedCommand {
  Duration at{};
  std::vector<std::string_view> words;  // none: only waits
};
// Sends commands to node 1 at given times, each with a timeout of 5 ms.
StateBody Do(std::vector<TimedCommand> steps) {
  return [steps = std::move(steps)](Env& env) {
    const std::unique_ptr<Connection> node = env.clients().redis().Connect(NodeId{1});
    for (const TimedCommand& step : steps) {
      if (!env.SleepUntil(kStart + step.at)) return;
      if (!step.words.empty()) (void)node->Call(step.words, env.Mono() + 5ms);
    }
  };
}

const std::vector<FaultForm> kOnlyPauses{FaultForm::kPause};

TEST(WorldState, IncludesWhatAClientHasSeenAndWhatNodesHave) {
  const auto writes = [](std::string_view first, std::string_view last) {
    return Do({{1ms, {"SET", "k", first}}, {3ms, {"SET", "k", last}}});
  };
  const StateBody reads = Do({{2ms, {"GET", "k"}}, {9ms, {}}}), waits = Do({{9ms, {}}});
  // The value is 1 again at the last two questions, but the reader has read another one.
  EXPECT_EQ(CompareStates(kOnlyPauses, {reads, writes("1", "1")}, {reads, writes("1", "1")}),
            "=======");
  EXPECT_EQ(CompareStates(kOnlyPauses, {reads, writes("1", "1")}, {reads, writes("2", "1")}),
            "=xxxxxx");
  EXPECT_EQ(CompareStates(kOnlyPauses, {waits, writes("1", "1")}, {waits, writes("2", "1")}),
            "=xx==");
  EXPECT_EQ(CompareStates(kOnlyPauses, {waits, writes("1", "1")}, {waits, writes("1", "2")}),
            "===xx");
}

TEST(WorldState, IncludesWhatIsUnderWay) {
  // At the last question but one, the value is overwritten, and a reply with the old one is under
  // way.
  const auto side = [](std::string_view value) {
    return StateSide{Do({{1ms, {"SET", "k", value}}, {2ms, {"GET", "k"}}}), [](Env& env) {
                       env.SleepUntil(kStart + 2ms + 10us);
                       Scene::Call(env, 1, {"SET", "k", "3"}, 10us);
                       env.SleepUntil(kStart + 2ms + 80us);
                     }};
  };
  EXPECT_EQ(CompareStates(kOnlyPauses, side("1"), side("1")), "=======");
  EXPECT_EQ(CompareStates(kOnlyPauses, side("1"), side("2")), "=xxxxxx");
}

TEST(WorldState, ALostReplyIsALostRequestIfTheNodeHasTheSameData) {
  const std::vector<FaultForm> faults{FaultForm::kPause, FaultForm::kDropRequest,
                                      FaultForm::kDropReply};
  const auto after = [](std::vector<std::string_view> words, uint32_t at) {
    return StateSide{Do({{1ms, std::move(words)}, {9ms, {}}}), {}, {{.at = at, .choice = 1}}};
  };
  // Question 1 is the request, question 2 the reply.
  EXPECT_EQ(CompareStates(faults, after({"GET", "k"}, 1), after({"GET", "k"}, 2)), "==");
  EXPECT_EQ(CompareStates(faults, after({"SET", "k", "1"}, 1), after({"SET", "k", "1"}, 2)), "xx");
}

TEST(WorldState, IncludesNodesAsFaultsLeaveThem) {
  const StateBody body = Do({{1ms, {"SET", "k", "1", "PX", "100"}}, {2ms, {"PING"}}, {900ms, {}}});
  for (const FaultForm fault :
       {FaultForm::kNodePause, FaultForm::kNodeClock, FaultForm::kNodeFast, FaultForm::kNodeCrash,
        FaultForm::kRestartEmpty, FaultForm::kForgetScripts}) {
    // The fault hits the node before it executes the second command.
    const std::string equal = CompareStates({FaultForm::kPause, fault}, {body, {}, {}},
                                            {body, {}, {{.at = 4, .choice = 1}}});
    EXPECT_EQ(equal.back(), 'x') << EntryOf(fault).name;
  }
}

// Client 1 gives up before it can see a difference. In the end only client 2's idle connection has
// one: it is with the former master, or not.
TEST(WorldState, IncludesWhichConnectionsWillBeReferred) {
  const auto side = [](uint32_t choice) {
    return StateSide{.first =
                         [](Env& env) {
                           env.SleepUntil(kStart + 1ms);
                           Scene::Call(env, 1, {"GET", "k"}, 80us);
                           for (const Duration at : {30ms, 60ms}) {
                             env.SleepUntil(kStart + at);
                             Scene::Call(env, 1, {"PING"});
                           }
                         },
                     .second = Do({{500us, {"PING"}}, {90ms, {}}}),
                     .deviations = {{.at = 4, .choice = choice}},
                     .replicas = 1};
  };
  const std::vector<FaultForm> faults{FaultForm::kPause, FaultForm::kForgetScripts,
                                      FaultForm::kHandover};
  EXPECT_EQ(CompareStates(faults, side(1), side(1)).back(), '=');
  EXPECT_EQ(CompareStates(faults, side(1), side(2)).back(), 'x');
}

TEST(WorldState, IncludesWhatAFormerMasterHas) {
  const auto side = [](std::string_view value) {
    return StateSide{.first = Do({{1ms, {"PING"}}, {2ms, {"SET", "k", value}}, {9ms, {}}}),
                     .second = {},
                     .deviations = {{.at = 1, .choice = 1}},
                     .replicas = 1};
  };
  const std::vector<FaultForm> faults{FaultForm::kPause, FaultForm::kSplitBrain};
  EXPECT_EQ(CompareStates(faults, side("1"), side("1")).back(), '=');
  EXPECT_EQ(CompareStates(faults, side("1"), side("2")).back(), 'x');
}

// Both clients send a request at 1 ms. The requests arrive in this order, or in the other one.
TEST(WorldState, IsTheSameAfterIndependentEventsInEitherOrder) {
  const auto sets = [](int node, std::string_view value, Duration until) {
    return [=](Env& env) {
      env.SleepUntil(kStart + 1ms);
      Scene::Call(env, node, {"SET", "k", value});
      env.SleepUntil(kStart + until);
    };
  };
  const auto compare = [&](int node) {
    StateSide side{.first = sets(1, "1", 8ms), .second = sets(node, "2", 9ms), .window = 1us};
    StateSide swapped = side;
    swapped.deviations = {{.at = 4, .choice = 1, .kind = ChoiceKind::kOrder}};
    return CompareStates(kOnlyPauses, side, swapped);
  };
  EXPECT_EQ(compare(/*node=*/2), "xx==");
  EXPECT_EQ(compare(/*node=*/1), "xxxx");
}

// A key that is set after the node's clock was moved lives as long as without it.
TEST(WorldState, HasTheTimeLeftUntilKeysExpireAndNotTheNodesClock) {
  for (const std::string_view command :
       {"time", "expireat", "pexpireat", "expiretime", "pexpiretime", "lastsave", "object"})
    EXPECT_EQ(FindCommand(command), nullptr) << command << " tells or reads a time";
  const StateBody body = Do({{1ms, {"SET", "k", "1", "PX", "1000"}}, {900ms, {}}});
  const std::vector<FaultForm> faults{FaultForm::kPause, FaultForm::kNodeClock,
                                      FaultForm::kNodeFast};
  const auto with = [&](uint32_t choice) {
    return StateSide{body, {}, {{.at = 1, .choice = choice}}};
  };
  EXPECT_EQ(CompareStates(faults, {body, {}, {}}, with(1)), "==");
  EXPECT_EQ(CompareStates(faults, {body, {}, {}}, with(2)), "xx");
}

TEST(WorldState, IncludesClocksAndPastFaultsOnlyIfTheyMatter) {
  const std::vector<FaultForm> faults{FaultForm::kClientClock};
  const StateBody body = Do({{1ms, {}}, {2ms, {}}});
  const Deviations jumps{{.at = 1, .choice = 1}};
  EXPECT_EQ(CompareStates(faults, {body}, {body, {}, jumps}), "x");
  EXPECT_EQ(CompareStates(faults, {.first = body, .reads_clocks = false},
                          {.first = body, .deviations = jumps, .reads_clocks = false}),
            "=");
  EXPECT_EQ(
      CompareStates(faults, {.first = body, .reads_clocks = false},
                    {.first = body, .deviations = jumps, .remembers = true, .reads_clocks = false}),
      "x");
}

// A fault at a step begins only after the other events of the same instant.
TEST(WorldState, IncludesAFaultThatIsAboutToBegin) {
  const std::vector<FaultForm> faults{FaultForm::kClientClock, FaultForm::kClientClockBack};
  const StateBody stops = [](Env& env) {
    env.SleepUntil(kStart + 1ms);
    env.Reach(Step::kAfterAcquire);
  };
  const StateBody waits = Do({{1ms, {}}});
  const auto with = [&](uint32_t choice) {
    return StateSide{.first = stops,
                     .second = waits,
                     .deviations = {{.at = 3, .choice = choice}},
                     .reads_clocks = false};
  };
  EXPECT_EQ(CompareStates(faults, with(1), with(1)), "=");
  EXPECT_EQ(CompareStates(faults, with(1), with(2)), "x");
}

TEST(WorldState, CountsTheFaultsThatChangeNothing) {
  const std::vector<FaultForm> faults{FaultForm::kPause, FaultForm::kClientClock,
                                      FaultForm::kClientFast};
  const StateBody body = Do({{1ms, {}}});
  for (const bool reads_clocks : {true, false}) {
    const auto states =
        StatesAtFaultQuestions(faults, {.first = body, .reads_clocks = reads_clocks});
    ASSERT_EQ(states.size(), 2U);
    EXPECT_EQ(states[0].idle, reads_clocks ? 0U : 2U);
    EXPECT_EQ(states[1].idle, reads_clocks ? 0U : 2U);
  }
  EXPECT_EQ(
      StatesAtFaultQuestions(faults, {.first = body, .remembers = true, .reads_clocks = false})[1]
          .idle,
      0U);
  // A fault at a step lets other events of the instant go first.
  const StateBody stops = [](Env& env) { env.Reach(Step::kAfterAcquire); };
  EXPECT_EQ(StatesAtFaultQuestions(faults, {.first = stops, .reads_clocks = false}).back().idle,
            0U);
}

}  // namespace
}  // namespace doublehold::sim
