// Faults of a simulated world that affect more than one message: restarts, scripts, clock drift,
// channels.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "lib/clients/clients.h"
#include "lib/clients/redis.h"
#include "lib/sim/testing/testing_scene.h"
#include "lib/sim/world_parts.h"

namespace doublehold::sim {
namespace {

using WorldFaultsLines = std::vector<std::string>;

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
