// A simulated world: time, tasks, messages and each fault, with one or two commands.
#include "lib/sim/world.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>

#include "lib/clients/clients.h"
#include "lib/clients/redis.h"
#include "lib/sim/testing/testing_scene.h"

namespace doublehold::sim {
namespace {

using WorldLines = std::vector<std::string>;

TEST(World, TimeAdvancesToTheNextEvent) {
  Scene scene;
  for (const int client : {1, 2}) {
    scene.world->Start(client, TaskKind::kSession, 0, [&scene, client](Env& env) {
      scene.Say(env, fmt::format("{} begins", client));
      env.SleepUntil(env.Mono() + 10ms * client);
      scene.Say(env, fmt::format("{} slept", client));
    });
  }
  EXPECT_EQ(scene.Run(), (WorldLines{"0 1 begins", "0 2 begins", "10 1 slept", "20 2 slept"}));
}

TEST(World, AMessageTakesTheLatencyEachWay) {
  Scene scene;
  scene.world->Start(1, TaskKind::kSession, 0, [&](Env& env) {
    scene.Say(env, Scene::Call(env, 1, {"SET", "k", "v"}));
    scene.Say(env, Scene::Call(env, 1, {"GET", "k"}));
    scene.Say(env, Scene::Call(env, 2, {"GET", "k"}));
  });
  EXPECT_EQ(scene.Run(), (WorldLines{"0.1 OK", "0.2 v", "0.3 nil"}));
}

TEST(World, RecordsRequestsAndRepliesIfFramesIsSet) {
  std::vector<Frame> frames;
  Scene scene(WorldTerms{.latency = 50us, .faults = {FaultForm::kHoldRequest}, .frames = &frames},
              {{.at = 1, .choice = 1}});
  scene.world->Start(1, TaskKind::kSession, 0, [](Env& env) {
    Scene::Call(env, 1, {"SET", "k", "v"});
    Scene::Call(env, 2, {"GET", "k"}, 1s);
  });
  scene.Run();
  EXPECT_EQ(ToJsonLines(frames),
            R"({"time":0,"client":1,"node":1,"direction":"request","command":"SET","arrived":50000}
{"time":50000,"client":1,"node":1,"direction":"reply","command":"SET","arrived":100000}
{"time":100000,"client":1,"node":2,"direction":"request","command":"GET","arrived":640150000}
{"time":640150000,"client":1,"node":2,"direction":"reply","command":"GET","arrived":640200000}
)") << "the second request is held for 640 ms";
}

// The replies that clients see after one fault. `deviation.at` is the index of the choice.
// `deviation.choice` selects one of the faults that are possible at this choice.
struct BegunFault {
  const char* what;
  std::vector<FaultForm> faults;
  Deviation deviation;
  WorldLines said;
};

// Client 1 sets a key and reads it. Client 2 reads it half a second later. Timeouts are 100 ms.
WorldLines SetAndGet(const std::vector<FaultForm>& faults, const Deviation& deviation) {
  Scene scene(faults, {deviation});
  scene.world->Start(1, TaskKind::kSession, 0, [&](Env& env) {
    scene.Say(env, Scene::Call(env, 1, {"SET", "k", "v", "PX", "600"}, 100ms));
    scene.Say(env, Scene::Call(env, 1, {"GET", "k"}, 100ms));
  });
  scene.world->Start(2, TaskKind::kSession, 0, [&](Env& env) {
    env.SleepUntil(env.Mono() + 500ms);
    scene.Say(env, "c2 " + Scene::Call(env, 1, {"GET", "k"}, 1s));
  });
  return scene.Run();
}

TEST(World, EachFaultHasItsEffect) {
  const BegunFault cases[] = {
      {"a client is stopped before it receives the reply",
       {FaultForm::kPause},
       {0, 1},
       {"500.1 c2 v", "640.1 OK", "640.2 nil"}},
      {"a client is killed before it receives the reply",
       {FaultForm::kCrash},
       {0, 1},
       {"500.1 c2 v"}},
      {"a request is held beyond its timeout, and executed later",
       {FaultForm::kHoldRequest},
       {0, 1},
       {"100 perhaps", "100.1 nil", "500.1 c2 nil"}},
      {"a reply is held",
       {FaultForm::kHoldReply},
       {0, 1},
       {"100 perhaps", "100.1 v", "500.1 c2 v"}},
      {"a request is lost",
       {FaultForm::kDropRequest},
       {0, 1},
       {"100 perhaps", "100.1 nil", "500.1 c2 nil"}},
      {"a reply is lost",
       {FaultForm::kDropReply},
       {0, 1},
       {"100 perhaps", "100.1 v", "500.1 c2 v"}},
      {"a connection breaks before the command, and the client opens another",
       {FaultForm::kResetRequest},
       {0, 1},
       {"0.05 perhaps", "0.15 nil", "500.1 c2 nil"}},
      {"a connection breaks after the command was executed",
       {FaultForm::kResetReply},
       {0, 1},
       {"0.1 perhaps", "0.2 v", "500.1 c2 v"}},
      {"a paused node executes the requests later",
       {FaultForm::kNodePause},
       {0, 1},
       {"100 perhaps", "200 perhaps", "640.1 c2 v"}},
      {"a node's clock jumps past the key's expiry",
       {FaultForm::kNodeClock},
       {1, 1},
       {"0.1 OK", "0.2 nil", "500.1 c2 nil"}},
      {"a node's clock jumps back, so the key lives longer",
       {FaultForm::kNodeClockBack},
       {1, 1},
       {"0.1 OK", "0.2 v", "500.1 c2 v"}},
      {"a node restarts empty, and the request in flight is lost",
       {FaultForm::kRestartEmpty},
       {1, 1},
       {"0.1 OK", "0.2 perhaps", "500.1 c2 nil"}},
  };
  for (const BegunFault& each : cases)
    EXPECT_EQ(SetAndGet(each.faults, each.deviation), each.said) << each.what;
}

// At these two steps a client may have read a clock since it continued, and has not yet acted on
// the time.
TEST(World, AClientIsStoppedAtAStep) {
  const auto reach = [](Step step, FaultForm fault) {
    Scene scene({fault}, {{.at = 1, .choice = 1}});
    scene.world->Start(1, TaskKind::kSession, 0, [&](Env& env) {
      env.SleepUntil(env.Mono() + 1ms);
      scene.Say(env, "before");
      env.Reach(step);
      scene.Say(env, "behind");
      env.SleepUntil(env.Mono() + 1ms);
      scene.Say(env, "later");
    });
    return scene.Run();
  };
  for (const Step step : {Step::kAfterAcquire, Step::kMidRelease}) {
    EXPECT_EQ(reach(step, FaultForm::kPause), (WorldLines{"1 before", "641 behind", "642 later"}));
    EXPECT_EQ(reach(step, FaultForm::kCrash), (WorldLines{"1 before"}));
  }
  EXPECT_EQ(reach(Step::kAfterRead, FaultForm::kPause),
            (WorldLines{"1 before", "1 behind", "642 later"}));
}

TEST(World, AKilledClientRecordsNothingAndItsTasksEnd) {
  Scene scene({FaultForm::kCrash}, {{.at = 0, .choice = 1}});
  bool ended = false, watcher_ended = false;
  scene.world->Start(1, TaskKind::kSession, 0, [&](Env& env) {
    {
      const auto watcher = env.Spawn(TaskKind::kWatchdog, [&](Env& own) {
        while (own.SleepUntil(own.Mono() + 10ms)) own.Record({.op = Op::kExtend});
        watcher_ended = true;
      });
      env.SleepUntil(env.Mono() + 5ms);
      env.Record({.op = Op::kAcquire});
      EXPECT_EQ(Scene::Call(env, 1, {"SET", "k", "v"}), "failed");
    }
    ended = true;
  });
  scene.Run();
  EXPECT_TRUE(ended && watcher_ended);
  for (const Event& event : scene.world->events()) EXPECT_EQ(event.op, Op::kFault);
}

TEST(World, StoppingATaskWaitsForItsEnd) {
  Scene scene;
  scene.world->Start(1, TaskKind::kSession, 0, [&](Env& env) {
    {
      const auto other = env.Spawn(TaskKind::kWatchdog, [&](Env& own) {
        while (own.SleepUntil(own.Mono() + 40ms)) scene.Say(own, "again");
        scene.Say(own, Scene::Call(own, 1, {"PTTL", "k"}));
      });
      env.SleepUntil(env.Mono() + 100ms);
    }
    scene.Say(env, "gone");
  });
  EXPECT_EQ(scene.Run(), (WorldLines{"40 again", "80 again", "100.1 -2", "100.1 gone"}));
}

TEST(World, EventsWithinTheWindowMayBeReordered) {
  const auto order = [](Deviations deviations) {
    Scene scene({}, std::move(deviations), 1ms);
    for (const int client : {1, 2}) {
      scene.world->Start(client, TaskKind::kSession, 0, [&scene, client](Env& env) {
        scene.Say(env, fmt::format("{} {}", client, Scene::Call(env, 1, {"SETNX", "k", "v"})));
      });
    }
    return scene.Run();
  };
  EXPECT_EQ(order({}), (WorldLines{"0.1 1 1", "0.1 2 0"}));
  EXPECT_EQ(order({{.at = 0, .choice = 1, .kind = ChoiceKind::kOrder}}),
            (WorldLines{"0.1 2 1", "0.1 1 0"}));
}

TEST(World, ADeferredEventHappensAfterAllSimultaneousEvents) {
  Scene scene({}, {{.at = 0, .choice = 1, .kind = ChoiceKind::kOrder}}, 1ms);
  for (const int thread : {1, 2, 3})
    scene.world->Start(1, TaskKind::kSession, thread,
                       [&scene, thread](Env& env) { scene.Say(env, std::to_string(thread)); });
  EXPECT_EQ(scene.Run(), (WorldLines{"0 2", "0 3", "0 1"}));
}

// Client 1 is stopped at 0.1 ms. It continues at 640.1 ms, when the end of its pause is recorded.
// Client 2 is due to continue just before.
TEST(World, AnEventMayBeDeferredBehindTheEndOfAPause) {
  Scene scene({FaultForm::kPause},
              {{.at = 2, .choice = 1}, {.at = 3, .choice = 1, .kind = ChoiceKind::kOrder}}, 1ms);
  for (const int client : {1, 2}) {
    scene.world->Start(client, TaskKind::kSession, 0, [&scene, client](Env& env) {
      env.SleepUntil(env.Mono() + (client == 1 ? 100us : 640'050us));
      scene.Say(env, std::to_string(client));
    });
  }
  EXPECT_EQ(scene.Run(), (WorldLines{"640.1 1", "640.1 2"}));
  ASSERT_EQ(scene.world->events().size(), 2u);
  EXPECT_EQ(scene.world->events()[1].at_ns, 640'100'000);
}

// The first wait ends with the confirmation of the subscription. Earlier messages are missed.
TEST(World, AChannelMessageWakesTheWaitingTask) {
  Scene scene;
  scene.world->Start(1, TaskKind::kSession, 0, [&](Env& env) {
    const auto subscription = env.clients().redis().Subscribe(NodeId{1}, "news");
    for (const Duration longest : {10ms, 10ms, 100ms})
      scene.Say(env, subscription->Wait(env.Mono() + longest) ? "news" : "none");
  });
  scene.world->Start(2, TaskKind::kSession, 0, [&](Env& env) {
    env.SleepUntil(env.Mono() + 30ms);
    Scene::Call(env, 1, {"PUBLISH", "news", "!"});
  });
  EXPECT_EQ(scene.Run(), (WorldLines{"0.1 news", "10.1 none", "30.1 news"}));
}

TEST(World, AnEndlessExecutionIsCutOff) {
  Deviations none;
  GivenChoices choices(none);
  Workbench bench;
  const WorldTerms terms{.clients = 1, .most_steps = 1000};
  World world(terms, choices, bench);
  world.Start(1, TaskKind::kSession, 0, [](Env& env) {
    while (env.SleepUntil(env.Mono() + 1ms)) {
    }
  });
  world.Run(/*with_faults=*/true);
  EXPECT_TRUE(world.cut_off());
}

}  // namespace
}  // namespace doublehold::sim
