// Faults of a simulated node with replicas: one of them takes over.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/clients/clients.h"
#include "lib/clients/redis.h"
#include "lib/sim/testing/testing_scene.h"
#include "lib/sim/world_parts.h"

namespace doublehold::sim {
namespace {

using TakeoverLines = std::vector<std::string>;

TEST(Takeovers, AWriteAfterTheCutIsLostInTheFailover) {
  WorldTerms terms{.faults = {FaultForm::kCutReplication, FaultForm::kFailover}};
  const TakeoverLines commands{"SET a 1", "SET b 2", "GET a", "GET a", "GET b"};
  const auto after = [&](const Deviations& deviations) { return Ask(terms, deviations, commands); };
  // Without replicas, no fault choice is asked.
  EXPECT_EQ(after({}), (TakeoverLines{"0.1 OK", "10.2 OK", "20.3 1", "30.4 1", "40.5 2"}));
  terms.replicas = 1;
  // The promotion at the third command loses only the connection.
  EXPECT_EQ(after({{.at = 2, .choice = 2}}),
            (TakeoverLines{"0.1 OK", "10.2 OK", "20.3 perhaps", "30.4 1", "40.5 2"}));
  // After a cut before the second command, the promotion loses that command.
  EXPECT_EQ(after({{.at = 1, .choice = 1}, {.at = 2, .choice = 2}}),
            (TakeoverLines{"0.1 OK", "10.2 OK", "20.3 perhaps", "30.4 1", "40.5 nil"}));
}

TEST(Takeovers, ACutEndsWithAFailover) {
  WorldTerms terms{.replicas = 1, .faults = {FaultForm::kCutReplication, FaultForm::kFailover}};
  EXPECT_EQ(
      Ask(terms, {{.at = 0, .choice = 1}, {.at = 1, .choice = 2}, {.at = 3, .choice = 2}},
          {"SET a 1", "GET a", "SET c 3", "GET c", "GET c", "GET a"}),
      (TakeoverLines{"0.1 OK", "10.2 perhaps", "20.3 OK", "30.4 perhaps", "40.5 3", "50.6 nil"}));
}

TEST(Takeovers, ReplicasAreBehindByTheLag) {
  WorldTerms terms{.replicas = 1, .faults = {FaultForm::kFailover}};
  const auto after_lag = [&](Duration lag) {
    terms.lag = lag;
    return Ask(terms, {{.at = 2, .choice = 1}}, {"SET a 1", "SET b 2", "GET a", "GET a", "GET b"});
  };
  EXPECT_EQ(after_lag(5ms),
            (TakeoverLines{"0.1 OK", "10.2 OK", "20.3 perhaps", "30.4 1", "40.5 2"}));
  EXPECT_EQ(after_lag(15ms),
            (TakeoverLines{"0.1 OK", "10.2 OK", "20.3 perhaps", "30.4 1", "40.5 nil"}));
  EXPECT_EQ(after_lag(25ms),
            (TakeoverLines{"0.1 OK", "10.2 OK", "20.3 perhaps", "30.4 nil", "40.5 nil"}));
}

TEST(Takeovers, WaitCountsTheReplicasThatHaveTheWrite) {
  WorldTerms terms{.faults = {FaultForm::kCutReplication}};
  const TakeoverLines commands{"SET a 1", "WAIT 1 20"};
  EXPECT_EQ(Ask(terms, {}, commands), (TakeoverLines{"0.1 OK", "10.2 0"}));
  terms.replicas = 2;
  terms.lag = 3ms;
  EXPECT_EQ(Ask(terms, {}, commands), (TakeoverLines{"0.1 OK", "13.2 2"}));
  EXPECT_EQ(Ask(terms, {{.at = 0, .choice = 1}}, commands), (TakeoverLines{"0.1 OK", "30.2 0"}));
}

TEST(Takeovers, AReplicaThatTakesOverHasAClockOfItsOwn) {
  WorldTerms terms{.replicas = 1, .faults = {FaultForm::kNodeClock, FaultForm::kFailover}};
  EXPECT_EQ(Ask(terms, {{.at = 1, .choice = 1}, {.at = 2, .choice = 2}},
                {"SET k v PX 100", "SET a 1", "GET k", "GET k"}),
            (TakeoverLines{"0.1 OK", "10.2 OK", "20.3 perhaps", "30.4 v"}));
}

TEST(Takeovers, AReplicaThatIsLateLacksTenMilliseconds) {
  WorldTerms terms{
      .replicas = 1, .lag = 5ms, .faults = {FaultForm::kFailover, FaultForm::kLateFailover}};
  const auto after = [&](uint32_t choice) {
    return Ask(terms, {{.at = 2, .choice = choice}},
               {"SET a 1", "SET b 2", "GET a", "GET a", "GET b"});
  };
  EXPECT_EQ(after(1), (TakeoverLines{"0.1 OK", "10.2 OK", "20.3 perhaps", "30.4 1", "40.5 2"}));
  EXPECT_EQ(after(2), (TakeoverLines{"0.1 OK", "10.2 OK", "20.3 perhaps", "30.4 1", "40.5 nil"}));
}

TEST(Takeovers, AReplicaThatIsLateHasWhatItConfirmed) {
  const auto ask = [](const std::vector<std::vector<std::string_view>>& commands) {
    WorldTerms terms{.replicas = 1, .lag = 1ms, .faults = {FaultForm::kLateFailover}};
    // The fault hits the last command but one.
    Scene scene(terms, {{.at = static_cast<uint32_t>(commands.size()) - 2, .choice = 1}});
    scene.world->Start(1, TaskKind::kSession, 0, [&](Env& env) {
      for (const auto& command : commands) scene.Say(env, Scene::Call(env, 1, command));
    });
    return scene.Run();
  };
  EXPECT_EQ(ask({{"SET", "a", "1"}, {"GET", "a"}, {"GET", "a"}}),
            (TakeoverLines{"0.1 OK", "0.2 perhaps", "0.3 nil"}));
  EXPECT_EQ(ask({{"SET", "a", "1"}, {"WAIT", "1", "0"}, {"GET", "a"}, {"GET", "a"}}),
            (TakeoverLines{"0.1 OK", "1.2 1", "1.3 perhaps", "1.4 1"}));
}

TEST(Takeovers, EachFailoverInARowLosesWhatItsReplicaLacks) {
  WorldTerms terms{.replicas = 1, .lag = 15ms, .faults = {FaultForm::kFailover}};
  const TakeoverLines commands{"SET a 1", "SET b 2", "GET b", "SET c 3",
                               "GET b",   "GET a",   "GET b", "GET c"};
  EXPECT_EQ(Ask(terms, {{.at = 2, .choice = 1}}, commands),
            (TakeoverLines{"0.1 OK", "10.2 OK", "20.3 perhaps", "30.4 OK", "40.5 nil", "50.6 1",
                           "60.7 nil", "70.8 3"}));
  EXPECT_EQ(Ask(terms, {{.at = 2, .choice = 1}, {.at = 4, .choice = 1}}, commands),
            (TakeoverLines{"0.1 OK", "10.2 OK", "20.3 perhaps", "30.4 OK", "40.5 perhaps", "50.6 1",
                           "60.7 nil", "70.8 nil"}));
}

TEST(Takeovers, AReplicaIsAsLateAfterAnotherTakeover) {
  const WorldTerms terms{
      .replicas = 1,
      .faults = {FaultForm::kLateFailover, FaultForm::kHandover, FaultForm::kFailover}};
  const auto last_reply = [&](const Deviations& deviations) {
    Scene scene(terms, deviations);
    scene.world->Start(1, TaskKind::kSession, 0, [&](Env& env) {
      (void)Scene::Call(env, 1, {"SET", "k", "1"});
      for (int i = 0; i < 3; ++i) scene.Say(env, Scene::Call(env, 1, {"GET", "k"}));
    });
    return scene.Run().back().substr(4);
  };
  for (const uint32_t before : {2, 3}) {
    EXPECT_EQ(last_reply({{.at = 1, .choice = before}}), "1");
    EXPECT_EQ(last_reply({{.at = 1, .choice = before}, {.at = 2, .choice = 1}}), "nil");
  }
}

TEST(Takeovers, AHandoverKeepsTheDataAndRefersClientsToTheNewMaster) {
  WorldTerms terms{.replicas = 1, .faults = {FaultForm::kHandover}};
  // A request on its way is sent once more: two messages later. The new master has no scripts.
  EXPECT_EQ(Ask(terms, {{.at = 1, .choice = 1}}, {"SET a 1", "GET a", "GET a", "script"}),
            (TakeoverLines{"0.1 OK", "10.3 1", "20.4 1", "30.6 1"}));
  // A command without a key is not referred.
  EXPECT_EQ(Ask(terms, {{.at = 1, .choice = 1}}, {"SET a 1", "WAIT 1 0", "GET a", "GET a"}),
            (TakeoverLines{"0.1 OK", "10.2 failed", "20.4 1", "30.5 1"}));
  // A replica that is cut off never gets all the data.
  terms.faults = {FaultForm::kCutReplication, FaultForm::kHandover};
  EXPECT_EQ(
      Ask(terms, {{.at = 1, .choice = 1}, {.at = 2, .choice = 2}}, {"SET a 1", "GET a", "GET a"}),
      (TakeoverLines{"0.1 OK", "10.2 1", "20.3 1"}));
}

// The request is held, its client gives up, and the old master refers a closed connection.
TEST(Takeovers, NobodyFollowsAReferralOfAClientThatHasLeft) {
  WorldTerms terms{.replicas = 1, .faults = {FaultForm::kHoldRequest, FaultForm::kHandover}};
  const auto value_after = [&](const Deviations& deviations) {
    Scene scene(terms, deviations);
    scene.world->Start(1, TaskKind::kSession, 0, [&](Env& env) {
      (void)Scene::Call(env, 1, {"SET", "k", "1"}, 10ms);
    });
    scene.world->Start(2, TaskKind::kSession, 0, [&](Env& env) {
      env.SleepUntil(env.Mono() + 1ms);
      (void)Scene::Call(env, 1, {"GET", "k"});
      env.SleepUntil(env.Mono() + 1s);
      scene.Say(env, Scene::Call(env, 1, {"GET", "k"}));
    });
    return scene.Run().back();
  };
  EXPECT_EQ(value_after({{.at = 0, .choice = 1}}), "1001.2 1");
  EXPECT_EQ(value_after({{.at = 0, .choice = 1}, {.at = 2, .choice = 1}}), "1001.3 nil");
}

// The handover hits client 2's first request.
TEST(Takeovers, AnIdleConnectionIsReferredWithItsNextRequest) {
  WorldTerms terms{.replicas = 1, .faults = {FaultForm::kHandover}};
  Scene scene(terms, {{.at = 1, .choice = 1}});
  for (const int client : {1, 2}) {
    scene.world->Start(client, TaskKind::kSession, 0, [&scene, client](Env& env) {
      const std::unique_ptr<Connection> node = env.clients().redis().Connect(NodeId{1});
      for (int i = 0; i < 3; ++i) {
        if (client == 2) env.SleepUntil(env.Mono() + 5ms);
        const std::array<std::string_view, 2> words{"GET", "k"};
        scene.Say(env,
                  std::to_string(client) + " " + Scene::TextOf(node->Call(words, env.Mono() + 1s)));
        if (client == 1) env.SleepUntil(env.Mono() + 10ms);
      }
    });
  }
  EXPECT_EQ(scene.Run(), (TakeoverLines{"0.1 1 nil", "5.2 2 nil", "10.3 2 nil", "10.3 1 nil",
                                        "15.4 2 nil", "20.4 1 nil"}));
}

// Client 1 is cut off with the former master at its second command, for 640 ms.
TEST(Takeovers, ASplitBrainAnswersEachSideFromItsOwnData) {
  Scene scene(WorldTerms{.replicas = 1, .faults = {FaultForm::kSplitBrain}},
              {{.at = 1, .choice = 1}});
  scene.world->Start(1, TaskKind::kSession, 0, [&](Env& env) {
    const std::unique_ptr<Connection> node = env.clients().redis().Connect(NodeId{1});
    const auto call = [&](const std::vector<std::string_view>& words) {
      scene.Say(env, "1: " + Scene::TextOf(node->Call(words, env.Mono() + 1s)));
    };
    call({"SET", "k", "old"});
    env.SleepUntil(env.Mono() + 10ms);
    call({"SET", "k", "cut"});
    env.SleepUntil(env.Mono() + 20ms);
    call({"GET", "k"});
    call({"WAIT", "1", "30"});
    env.SleepUntil(env.Mono() + 1s);
    call({"GET", "k"});
  });
  scene.world->Start(2, TaskKind::kSession, 0, [&](Env& env) {
    for (const std::string_view value : {"new", "newer"}) {
      env.SleepUntil(env.Mono() + 14ms);
      scene.Say(env, "2: " + Scene::Call(env, 1, {"GET", "k"}));
      (void)Scene::Call(env, 1, {"SET", "k", value});
    }
  });
  EXPECT_EQ(scene.Run(), (TakeoverLines{"0.1 1: OK", "10.2 1: OK", "14.1 2: old", "28.3 2: new",
                                        "30.3 1: cut", "60.4 1: 0", "1060.5 1: newer"}));
  const FaultFact& fault = scene.world->faults().front();
  EXPECT_EQ(fault.what, "node 1 cut off with client 1 for 640ms, and a replica promoted");
  // It counts as a fault of servers: other clients meet it too.
  EXPECT_EQ(scene.world->events().front().value[2], -1);
}

// The former master ends when the cut does, with the request that it is about to get.
TEST(Takeovers, TheEndOfASplitBrainBreaksConnectionsToTheFormerMaster) {
  Scene scene(WorldTerms{.replicas = 1, .faults = {FaultForm::kSplitBrain}},
              {{.at = 0, .choice = 1}});
  scene.world->Start(1, TaskKind::kSession, 0, [&](Env& env) {
    const std::unique_ptr<Connection> node = env.clients().redis().Connect(NodeId{1});
    for (const Duration at : {0ms, 640ms, 650ms}) {
      env.SleepUntil(kStart + at);
      const std::array<std::string_view, 3> words{"SET", "k", "1"};
      scene.Say(env, Scene::TextOf(node->Call(words, env.Mono() + 1s)));
    }
  });
  EXPECT_EQ(scene.Run(), (TakeoverLines{"0.1 OK", "640.1 perhaps", "650.1 OK"}));
}

// Client 1 is cut off with the first master, client 2 with the second. Then both have the third.
TEST(Takeovers, EachClientThatIsCutOffStaysWithItsOwnServer) {
  Scene scene(WorldTerms{.replicas = 1, .faults = {FaultForm::kSplitBrain}},
              {{.at = 0, .choice = 1}, {.at = 1, .choice = 1}});
  for (const int client : {1, 2}) {
    scene.world->Start(client, TaskKind::kSession, 0, [&scene, client](Env& env) {
      for (const Duration at : {0ms, 10ms, 645ms, 655ms}) {
        env.SleepUntil(kStart + at + client * 2ms);
        const std::string own = std::to_string(client);
        const std::string had = Scene::Call(env, 1, {"GET", "k"});
        (void)Scene::Call(env, 1, {"SET", "k", own});
        scene.Say(env, own + " had " + had);
      }
    });
  }
  EXPECT_EQ(scene.Run(),
            (TakeoverLines{"2.2 1 had nil", "4.2 2 had nil", "12.2 1 had 1", "14.2 2 had 2",
                           "647.2 1 had nil", "649.2 2 had 1", "657.2 1 had 2", "659.2 2 had 1"}));
}

}  // namespace
}  // namespace doublehold::sim
