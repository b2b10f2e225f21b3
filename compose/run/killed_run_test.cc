#include "compose/run/killed_run.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "checker/judge.h"
#include "compose/driver/driver.h"
#include "compose/run/merge_segments.h"
#include "compose/run/takeovers.h"
#include "lib/history/recorder.h"
#include "lib/plan/settings.h"

namespace doublehold {
namespace {

const Plan kPlan = BuildPlan(Settings::ParseToml("[experiment]\nlock.name = 'set-nx-px'\n"
                                                 "workload.duration = '60s'\n",
                                                 "killed.toml")
                                 .value()
                                 .TakeBelow("experiment"))
                       .value();

// A run that began at 1 s, and whose supervisor was alive at 3 s.
SharedRun KilledAfterTwoSeconds() {
  SharedRun shared = CreateSharedRun(kPlan).value();
  shared.OwnControl().start_ns = 1'000'000'000;
  shared.OwnControl().alive_ns = 3'000'000'000;
  return shared;
}

TEST(KilledRun, EndsWhenItsSupervisorWasLastAliveAndSaysThatItWasKilled) {
  SharedRun shared = KilledAfterTwoSeconds();
  Recorder client(shared.Segment(1, TaskKind::kSession));
  client.Append({.at_ns = 1'000, .client = 1, .op = Op::kAcquire, .value = {100, 0}});
  client.Append({.at_ns = 2'000'000'001, .client = 1, .op = Op::kAcquire, .type = EventType::kOk});
  Recorder(shared.OwnSegment())
      .Append({.at_ns = 500, .client = kSupervisor, .op = Op::kStall, .type = EventType::kInfo});
  const History history = CollectKilledRun(shared, kPlan);
  ASSERT_EQ(history.events.size(), 3U);
  EXPECT_EQ(history.events[0].op, Op::kStall);
  EXPECT_EQ(history.events[1].type, EventType::kInvoke);
  EXPECT_EQ(history.events[2].op, Op::kDied);
  EXPECT_EQ(history.events[2].client, kSupervisor);
  const RunVerdict verdict = Judge(history);
  EXPECT_EQ(verdict.overall, Outcome::kUnknown);
  EXPECT_EQ(verdict.warnings.at(0),
            "the run was cut short at 2.000 s (planned: 60s): its supervisor was killed");
  EXPECT_EQ(std::ranges::count(verdict.warnings, verdict.warnings.at(0)), 1);
  EXPECT_EQ(verdict.cut_short, verdict.warnings.at(0));
}

TEST(KilledRun, ThatHadNotBegunHasOnlyItsEnd) {
  SharedRun shared = CreateSharedRun(kPlan).value();
  shared.OwnControl().alive_ns = 3'000'000'000;
  const History history = CollectKilledRun(shared, kPlan);
  ASSERT_EQ(history.events.size(), 1U);
  EXPECT_EQ(history.events[0].at_ns, 0);
  EXPECT_EQ(Judge(history).overall, Outcome::kUnknown);
}

TEST(KilledRun, NamesTheTakeoversThatItsSupervisorSaw) {
  SharedRun shared = KilledAfterTwoSeconds();
  Recorder supervisor(shared.OwnSegment());
  Takeovers takeovers;
  RunFacts facts = CollectKilledRun(shared, kPlan).facts;
  for (const int node : {2, 1, 2}) {
    for (const Event& event : takeovers.Note(node, facts)) supervisor.Append(event);
  }
  EXPECT_EQ(CollectKilledRun(shared, kPlan).facts, facts);
}

}  // namespace
}  // namespace doublehold
