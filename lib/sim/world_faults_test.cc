// Faults of a simulated world that affect more than one message: replicas, restarts, scripts, clock
// drift, channels.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "lib/clients/clients.h"
#include "lib/clients/redis.h"
#include "lib/sim/testing/testing_scene.h"
#include "lib/sim/world_parts.h"

namespace doublehold::sim {
namespace {

using WorldFaultsLines = std::vector<std::string>;

// Returns the replies to client 1's commands at node 1. Each command is sent 10 ms after the reply
// before it, with a timeout of 100 ms. The command "script" runs a script that counts its runs.
WorldFaultsLines Ask(const WorldTerms& terms, const Deviations& deviations,
                     const WorldFaultsLines& commands) {
  static const Script script("return redis.call('incr', KEYS[1])");
  Scene scene(terms, deviations);
  scene.world->Start(1, TaskKind::kSession, 0, [&](Env& env) {
    const std::unique_ptr<Connection> node = env.clients().redis().Connect(NodeId{1});
    for (const std::string& command : commands) {
      std::vector<std::string_view> words;
      for (size_t at = 0; at < command.size();) {
        const size_t end = std::min(command.find(' ', at), command.size());
        words.push_back(std::string_view(command).substr(at, end - at));
        at = end + 1;
      }
      const std::array<std::string_view, 1> keys{"runs"};
      const Deadline deadline = env.Mono() + 100ms;
      scene.Say(env,
                Scene::TextOf(words.front() == "script" ? node->Eval(script, keys, {}, deadline)
                                                        : node->Call(words, deadline)));
      env.SleepUntil(env.Mono() + 10ms);
    }
  });
  return scene.Run();
}

WorldTerms With(std::vector<FaultForm> faults) { return {.faults = std::move(faults)}; }

TEST(WorldFaults, ANodeThatRestartsWithDataHasNoScripts) {
  const WorldFaultsLines commands{"SET k v PX 15", "script", "GET k", "script"};
  EXPECT_EQ(Ask(With({}), {}, commands),
            (WorldFaultsLines{"0.1 OK", "10.2 1", "20.3 nil", "30.4 2"}));
  // The restart hits the second command, whose connection breaks. The node's clock continues during
  // the restart, so the key expires. The script is sent again with its text.
  EXPECT_EQ(Ask(With({FaultForm::kRestartWithData}), {{.at = 1, .choice = 1}}, commands),
            (WorldFaultsLines{"0.1 OK", "10.2 perhaps", "20.3 nil", "30.5 1"}));
}

// Returns the offset of client 1's wall clock when the client begins, and the offset that the
// recorded fault reports, both in ms.
std::pair<int64_t, int64_t> OffAtBegin(const std::vector<FaultForm>& faults, uint32_t choice) {
  Scene scene(faults, {{.at = 0, .choice = choice}});
  int64_t off_ms = 0;
  scene.world->Start(1, TaskKind::kSession, 0, [&](Env& env) {
    off_ms = ToMs(env.Wall() - kWallAtStart) - ToMs(env.Mono() - kStart);
    env.SleepUntil(env.Mono() + 1ms);
  });
  (void)scene.Run();
  const std::vector<Event>& events = scene.world->events();
  return {off_ms, events.empty() ? 0 : ToMs(Duration(events.front().value[1]))};
}

TEST(WorldFaults, AClientsClockMayBeWrongBeforeItBegins) {
  const FaultForm ahead = FaultForm::kClientClock, back = FaultForm::kClientClockBack;
  EXPECT_EQ(OffAtBegin({ahead, back}, 0), std::pair(int64_t{0}, int64_t{0}));
  EXPECT_EQ(OffAtBegin({ahead, back}, 1), std::pair(int64_t{640}, int64_t{640}));
  EXPECT_EQ(OffAtBegin({ahead, back}, 2), std::pair(int64_t{-640}, int64_t{-640}));
  // A pause or a crash cannot hit a client before it begins, so the clock fault is the only
  // alternative.
  EXPECT_EQ(OffAtBegin({FaultForm::kPause, FaultForm::kCrash, back}, 1),
            std::pair(int64_t{-640}, int64_t{-640}));
}

TEST(WorldFaults, ANodesClockThatJumpsBackIsRecordedAsMovedBack) {
  const auto moved_ms = [](FaultForm fault) {
    Scene scene({fault}, {{.at = 0, .choice = 1}});
    scene.world->Start(1, TaskKind::kSession, 0, [&](Env& env) {
      scene.Say(env, Scene::Call(env, 1, {"GET", "k"}));
    });
    EXPECT_EQ(scene.Run().size(), 1U);
    return ToMs(Duration(scene.world->events().front().value[1]));
  };
  EXPECT_EQ(moved_ms(FaultForm::kNodeClock), 640);
  EXPECT_EQ(moved_ms(FaultForm::kNodeClockBack), -640);
}

TEST(WorldFaults, AScriptIsSentInFullToANodeWithoutScripts) {
  EXPECT_EQ(Ask(With({FaultForm::kForgetScripts}), {{.at = 1, .choice = 1}},
                {"script", "script", "script"}),
            (WorldFaultsLines{"0.1 1", "10.3 2", "20.4 3"}));
}

TEST(WorldFaults, AKilledNodeRefusesConnections) {
  EXPECT_EQ(Ask(With({FaultForm::kNodeCrash}), {{.at = 1, .choice = 1}},
                {"SET k v", "GET k", "GET k", "GET k"}),
            (WorldFaultsLines{"0.1 OK", "10.2 perhaps", "20.25 failed", "30.3 failed"}));
}

TEST(WorldFaults, ANodeThatRestartsRefusesConnectionsForTheRestartDelay) {
  WorldTerms terms = With({FaultForm::kRestartEmpty});
  terms.restart_delay = 15ms;
  EXPECT_EQ(Ask(terms, {{.at = 1, .choice = 1}}, {"SET k v", "GET k", "GET k", "GET k"}),
            (WorldFaultsLines{"0.1 OK", "10.2 perhaps", "20.25 failed", "30.35 nil"}));
}

TEST(WorldFaults, AFastNodeClockExpiresKeysEarly) {
  const WorldFaultsLines commands{"SET k v PX 25", "GET k", "GET k"};
  EXPECT_EQ(Ask(With({}), {}, commands), (WorldFaultsLines{"0.1 OK", "10.2 v", "20.3 v"}));
  EXPECT_EQ(Ask(With({FaultForm::kNodeFast}), {{.at = 0, .choice = 1}}, commands),
            (WorldFaultsLines{"0.1 OK", "10.2 nil", "20.3 nil"}));
}

TEST(WorldFaults, AFastClientClockGainsTwiceTheTimeThatPasses) {
  Scene scene(With({FaultForm::kClientFast}), {{.at = 0, .choice = 1}});
  WallTime begun{};
  Duration gained{};
  scene.world->Start(1, TaskKind::kSession, 0, [&](Env& env) {
    env.SleepUntil(env.Mono() + 1ms);
    begun = env.Wall();
    env.SleepUntil(env.Mono() + 10ms);
    gained = env.Wall() - begun;
  });
  scene.Run();
  EXPECT_EQ(gained, 30ms);
}

TEST(WorldFaults, AWriteAfterTheCutIsLostInTheFailover) {
  WorldTerms terms = With({FaultForm::kCutReplication, FaultForm::kFailover});
  const WorldFaultsLines commands{"SET a 1", "SET b 2", "GET a", "GET a", "GET b"};
  const auto after = [&](const Deviations& deviations) { return Ask(terms, deviations, commands); };
  // Without replicas, no fault choice is asked.
  EXPECT_EQ(after({}), (WorldFaultsLines{"0.1 OK", "10.2 OK", "20.3 1", "30.4 1", "40.5 2"}));
  terms.replicas = 1;
  // The promotion at the third command loses only the connection.
  EXPECT_EQ(after({{.at = 2, .choice = 2}}),
            (WorldFaultsLines{"0.1 OK", "10.2 OK", "20.3 perhaps", "30.4 1", "40.5 2"}));
  // After a cut before the second command, the promotion loses that command.
  EXPECT_EQ(after({{.at = 1, .choice = 1}, {.at = 2, .choice = 2}}),
            (WorldFaultsLines{"0.1 OK", "10.2 OK", "20.3 perhaps", "30.4 1", "40.5 nil"}));
}

TEST(WorldFaults, ACutEndsWithAFailover) {
  WorldTerms terms = With({FaultForm::kCutReplication, FaultForm::kFailover});
  terms.replicas = 1;
  EXPECT_EQ(Ask(terms, {{.at = 0, .choice = 1}, {.at = 1, .choice = 2}, {.at = 3, .choice = 2}},
                {"SET a 1", "GET a", "SET c 3", "GET c", "GET c", "GET a"}),
            (WorldFaultsLines{"0.1 OK", "10.2 perhaps", "20.3 OK", "30.4 perhaps", "40.5 3",
                              "50.6 nil"}));
}

TEST(WorldFaults, ReplicasAreBehindByTheLag) {
  WorldTerms terms = With({FaultForm::kFailover});
  terms.replicas = 1;
  const auto after_lag = [&](Duration lag) {
    terms.lag = lag;
    return Ask(terms, {{.at = 2, .choice = 1}}, {"SET a 1", "SET b 2", "GET a", "GET a", "GET b"});
  };
  EXPECT_EQ(after_lag(5ms),
            (WorldFaultsLines{"0.1 OK", "10.2 OK", "20.3 perhaps", "30.4 1", "40.5 2"}));
  EXPECT_EQ(after_lag(15ms),
            (WorldFaultsLines{"0.1 OK", "10.2 OK", "20.3 perhaps", "30.4 1", "40.5 nil"}));
  EXPECT_EQ(after_lag(25ms),
            (WorldFaultsLines{"0.1 OK", "10.2 OK", "20.3 perhaps", "30.4 nil", "40.5 nil"}));
}

TEST(WorldFaults, WaitCountsTheReplicasThatHaveTheWrite) {
  WorldTerms terms = With({FaultForm::kCutReplication});
  const WorldFaultsLines commands{"SET a 1", "WAIT 1 20"};
  EXPECT_EQ(Ask(terms, {}, commands), (WorldFaultsLines{"0.1 OK", "10.2 0"}));
  terms.replicas = 2;
  terms.lag = 3ms;
  EXPECT_EQ(Ask(terms, {}, commands), (WorldFaultsLines{"0.1 OK", "13.2 2"}));
  EXPECT_EQ(Ask(terms, {{.at = 0, .choice = 1}}, commands), (WorldFaultsLines{"0.1 OK", "30.2 0"}));
}

TEST(WorldFaults, AReplicaThatTakesOverHasAClockOfItsOwn) {
  WorldTerms terms = With({FaultForm::kNodeClock, FaultForm::kFailover});
  terms.replicas = 1;
  EXPECT_EQ(Ask(terms, {{.at = 1, .choice = 1}, {.at = 2, .choice = 2}},
                {"SET k v PX 100", "SET a 1", "GET k", "GET k"}),
            (WorldFaultsLines{"0.1 OK", "10.2 OK", "20.3 perhaps", "30.4 v"}));
}

TEST(WorldFaults, AReplicaThatIsLateLacksTenMilliseconds) {
  WorldTerms terms = With({FaultForm::kFailover, FaultForm::kLateFailover});
  terms.replicas = 1;
  terms.lag = 5ms;
  const auto after = [&](uint32_t choice) {
    return Ask(terms, {{.at = 2, .choice = choice}},
               {"SET a 1", "SET b 2", "GET a", "GET a", "GET b"});
  };
  EXPECT_EQ(after(1), (WorldFaultsLines{"0.1 OK", "10.2 OK", "20.3 perhaps", "30.4 1", "40.5 2"}));
  EXPECT_EQ(after(2),
            (WorldFaultsLines{"0.1 OK", "10.2 OK", "20.3 perhaps", "30.4 1", "40.5 nil"}));
}

TEST(WorldFaults, AReplicaThatIsLateHasWhatItConfirmed) {
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
            (WorldFaultsLines{"0.1 OK", "0.2 perhaps", "0.3 nil"}));
  EXPECT_EQ(ask({{"SET", "a", "1"}, {"WAIT", "1", "0"}, {"GET", "a"}, {"GET", "a"}}),
            (WorldFaultsLines{"0.1 OK", "1.2 1", "1.3 perhaps", "1.4 1"}));
}

TEST(WorldFaults, EachFailoverInARowLosesWhatItsReplicaLacks) {
  WorldTerms terms = With({FaultForm::kFailover});
  terms.replicas = 1;
  terms.lag = 15ms;
  const WorldFaultsLines commands{"SET a 1", "SET b 2", "GET b", "SET c 3",
                                  "GET b",   "GET a",   "GET b", "GET c"};
  EXPECT_EQ(Ask(terms, {{.at = 2, .choice = 1}}, commands),
            (WorldFaultsLines{"0.1 OK", "10.2 OK", "20.3 perhaps", "30.4 OK", "40.5 nil", "50.6 1",
                              "60.7 nil", "70.8 3"}));
  EXPECT_EQ(Ask(terms, {{.at = 2, .choice = 1}, {.at = 4, .choice = 1}}, commands),
            (WorldFaultsLines{"0.1 OK", "10.2 OK", "20.3 perhaps", "30.4 OK", "40.5 perhaps",
                              "50.6 1", "60.7 nil", "70.8 nil"}));
}

TEST(WorldFaults, AReplicaIsAsLateAfterAnotherTakeover) {
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

TEST(WorldFaults, AHandoverKeepsTheDataAndRefersClientsToTheNewMaster) {
  WorldTerms terms = With({FaultForm::kHandover});
  terms.replicas = 1;
  // A request on its way is sent once more: two messages later. The new master has no scripts.
  EXPECT_EQ(Ask(terms, {{.at = 1, .choice = 1}}, {"SET a 1", "GET a", "GET a", "script"}),
            (WorldFaultsLines{"0.1 OK", "10.3 1", "20.4 1", "30.6 1"}));
  // A command without a key is not referred.
  EXPECT_EQ(Ask(terms, {{.at = 1, .choice = 1}}, {"SET a 1", "WAIT 1 0", "GET a", "GET a"}),
            (WorldFaultsLines{"0.1 OK", "10.2 failed", "20.4 1", "30.5 1"}));
  // A replica that is cut off never gets all the data.
  terms.faults = {FaultForm::kCutReplication, FaultForm::kHandover};
  EXPECT_EQ(
      Ask(terms, {{.at = 1, .choice = 1}, {.at = 2, .choice = 2}}, {"SET a 1", "GET a", "GET a"}),
      (WorldFaultsLines{"0.1 OK", "10.2 1", "20.3 1"}));
}

// The request is held, its client gives up, and the old master refers a closed connection.
TEST(WorldFaults, NobodyFollowsAReferralOfAClientThatHasLeft) {
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
TEST(WorldFaults, AnIdleConnectionIsReferredWithItsNextRequest) {
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
  EXPECT_EQ(scene.Run(), (WorldFaultsLines{"0.1 1 nil", "5.2 2 nil", "10.3 2 nil", "10.3 1 nil",
                                           "15.4 2 nil", "20.4 1 nil"}));
}

// Client 1 is cut off with the former master at its second command, for 640 ms.
TEST(WorldFaults, ASplitBrainAnswersEachSideFromItsOwnData) {
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
  EXPECT_EQ(scene.Run(), (WorldFaultsLines{"0.1 1: OK", "10.2 1: OK", "14.1 2: old", "28.3 2: new",
                                           "30.3 1: cut", "60.4 1: 0", "1060.5 1: newer"}));
  const FaultFact& fault = scene.world->faults().front();
  EXPECT_EQ(fault.what, "node 1 cut off with client 1 for 640ms, and a replica promoted");
  // It counts as a fault of servers: other clients meet it too.
  EXPECT_EQ(scene.world->events().front().value[2], -1);
}

// The former master ends when the cut does, with the request that it is about to get.
TEST(WorldFaults, TheEndOfASplitBrainBreaksConnectionsToTheFormerMaster) {
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
  EXPECT_EQ(scene.Run(), (WorldFaultsLines{"0.1 OK", "640.1 perhaps", "650.1 OK"}));
}

// Client 1 is cut off with the first master, client 2 with the second. Then both have the third.
TEST(WorldFaults, EachClientThatIsCutOffStaysWithItsOwnServer) {
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
  EXPECT_EQ(scene.Run(), (WorldFaultsLines{"2.2 1 had nil", "4.2 2 had nil", "12.2 1 had 1",
                                           "14.2 2 had 2", "647.2 1 had nil", "649.2 2 had 1",
                                           "657.2 1 had 2", "659.2 2 had 1"}));
}

// Client 1 waits on a channel repeatedly, for at most a second each time. Client 2 publishes at 30
// ms and at 40 ms.
WorldFaultsLines Listen(const std::vector<FaultForm>& faults, const Deviations& deviations) {
  Scene scene(faults, deviations);
  scene.world->Start(1, TaskKind::kSession, 0, [&](Env& env) {
    const auto subscription = env.clients().redis().Subscribe(NodeId{1}, "news");
    while (env.SinceStartNs(env.Mono()) < ToNs(1s))
      scene.Say(env, subscription->Wait(env.Mono() + 1s) ? "news" : "none");
  });
  scene.world->Start(2, TaskKind::kSession, 0, [&](Env& env) {
    for (const Duration at : {30ms, 40ms}) {
      env.SleepUntil(env.Mono() + at);
      Scene::Call(env, 1, {"PUBLISH", "news", "!"});
    }
  });
  return scene.Run();
}

TEST(WorldFaults, AChannelMessageIsHeldOrLost) {
  EXPECT_EQ(Listen({}, {}),
            (WorldFaultsLines{"0.1 news", "30.1 news", "70.2 news", "1070.2 none"}));
  const std::vector<FaultForm> faults{FaultForm::kHoldNews, FaultForm::kDropNews};
  // The message behind the held message waits too. The two messages arrive as one wake-up.
  EXPECT_EQ(Listen(faults, {{.at = 0, .choice = 1}}),
            (WorldFaultsLines{"0.1 news", "670.1 news", "1670.1 none"}));
  EXPECT_EQ(Listen(faults, {{.at = 0, .choice = 2}}),
            (WorldFaultsLines{"0.1 news", "70.2 news", "1070.2 none"}));
}

TEST(WorldFaults, FaultsOnRequestsHitASubscriptionToo) {
  // When the request to subscribe is lost, the listener receives nothing.
  EXPECT_EQ(Listen({FaultForm::kDropRequest}, {{.at = 0, .choice = 1}}),
            (WorldFaultsLines{"1000 none"}));
  // When the connection breaks, the listener notices at once and subscribes again.
  EXPECT_EQ(Listen({FaultForm::kResetRequest}, {{.at = 0, .choice = 1}}),
            (WorldFaultsLines{"0.05 none", "0.15 news", "30.1 news", "70.2 news", "1070.2 none"}));
}

// The node restarts when it executes the first PUBLISH, which is lost.
TEST(WorldFaults, AListenerSubscribesAgainAfterItsNodeRestarts) {
  EXPECT_EQ(Listen({FaultForm::kRestartWithData}, {{.at = 1, .choice = 1}}),
            (WorldFaultsLines{"0.1 news", "30.1 none", "30.2 news", "70.2 news", "1070.2 none"}));
}

}  // namespace
}  // namespace doublehold::sim
