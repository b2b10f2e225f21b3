// The timeline against a cluster that only writes down what it was told; time stands still unless a test lets it pass.
#include "compose/timeline.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace doublehold {
namespace {

using Lines = std::vector<std::string>;

class FakeCluster final : public Cluster {
 public:
  MonoTime Now() override { return now; }
  RuleId SetLink(LinkId /*link*/, LinkRule rule) override {
    rules[++last_rule] = std::move(rule);
    return last_rule;
  }
  RuleReport ClearLink(RuleId rule) override {
    rules.erase(rule);
    return {.frames = frames, .longest_delay = frames > 0 ? Duration(5ms) : Duration{}};
  }
  void Pause(ProcessRef process) override {
    log.push_back(fmt::format("pause {}", process.number));
  }
  void Resume(ProcessRef process) override {
    log.push_back(fmt::format("resume {}", process.number));
  }
  bool IsAlive(ProcessRef process) override { return !dead.contains(process); }
  void Kill(ProcessRef process) override {
    log.push_back(fmt::format("kill {}", process.number));
    dead.insert(process);
  }
  void Restart(int node, NodeRestart how) override {
    log.push_back(fmt::format("restart {}", node));
    on_back = std::move(how.on_back);
  }
  void Operate(int /*node*/, std::vector<std::string> /*command*/,
               std::function<void(CallResult)> answer) override {
    answer(Reply{});
  }
  SkewId Skew(ProcessRef /*process*/, const ClockSkew& /*skew*/) override { return 1; }
  std::optional<Duration> ObservedSkew(SkewId /*skew*/) override { return observed; }
  void Unskew(SkewId /*skew*/) override {}
  void CutReplication(int /*node*/) override {}
  int64_t MendReplication(int /*node*/) override { return 1; }
  void Promote(int node, Promotion /*how*/, std::function<void(bool)> done) override {
    log.push_back(fmt::format("promote {}", node));
    done(true);
  }
  void Detain(int client) override { log.push_back(fmt::format("detain {}", client)); }
  void LetGo(int client) override { log.push_back(fmt::format("let go {}", client)); }

  // The event loop's timers run by the machine's clock.
  MonoTime now{std::chrono::steady_clock::now().time_since_epoch()};
  Lines log;
  std::set<ProcessRef> dead;
  std::map<RuleId, LinkRule> rules;
  RuleId last_rule = 0;
  std::function<void()> on_back;
  int64_t frames = 1;  // that a rule acted on
  std::optional<Duration> observed = 1s;
};

FaultPlan Pause(const std::string& name, std::optional<Trigger> on, std::optional<Trigger> until) {
  FaultPlan fault{.name = name, .kind = "pause"};
  fault.on = on;
  fault.until = until;
  return fault;
}
Trigger At(int client, Step step) { return {.client = client, .step = step}; }

class TimelineTest : public ::testing::Test {
 protected:
  void Begin(std::vector<FaultPlan> faults) {
    plan_.clients = 3;
    plan_.duration = std::chrono::hours(100'000);
    plan_.topology = "independent";
    plan_.nodes = 5;
    plan_.faults = std::move(faults);
    timeline_ = std::make_unique<Timeline>(
        io_, cluster_, plan_,
        Timeline::Hooks{.record =
                            [this](const Event& event) {
                              recorded_.push_back(fmt::format(
                                  "{} {} client {} node {}",
                                  plan_.faults.at(static_cast<size_t>(event.value[0])).name,
                                  Name(event.type), event.value[2], event.value[3]));
                            },
                        .arm = [this](int client, uint32_t steps) { armed_[client] = steps; }});
    timeline_->Begin();
    Settle();
  }
  void Reach(int client, Step step) {
    timeline_->OnStep(client, step);
    Settle();
  }
  // What was put off to the event loop happens; timers that lie ahead do not.
  void Settle() {
    io_.restart();
    io_.poll();
  }
  void End() {
    timeline_->End();
    Settle();
  }
  // Starts without their ends, by name.
  [[nodiscard]] int CountStarts(const std::string& name) const {
    int count = 0;
    for (const std::string& line : recorded_) count += line.starts_with(name + " invoke") ? 1 : 0;
    return count;
  }
  [[nodiscard]] bool IsArmed(int client, Step step) const {
    return (armed_.at(client) >> static_cast<unsigned>(step) & 1U) != 0;
  }

  boost::asio::io_context io_;
  FakeCluster cluster_;
  Plan plan_;
  std::unique_ptr<Timeline> timeline_;
  Lines recorded_;
  std::map<int, uint32_t> armed_;
};

TEST_F(TimelineTest, AFaultStartsAtItsStepAndEndsAtAnother) {
  Begin({Pause("p", At(1, Step::kAfterRead), At(2, Step::kAfterAcquire))});
  EXPECT_TRUE(IsArmed(1, Step::kAfterRead));
  EXPECT_EQ(armed_[2], 0u) << "nobody else announces anything";
  Reach(2, Step::kAfterAcquire);
  Reach(1, Step::kAfterAcquire);
  EXPECT_EQ(cluster_.log, Lines{});
  Reach(1, Step::kAfterRead);
  EXPECT_EQ(cluster_.log, Lines{"pause 1"});
  EXPECT_FALSE(IsArmed(1, Step::kAfterRead));
  EXPECT_TRUE(IsArmed(2, Step::kAfterAcquire));
  Reach(2, Step::kAfterAcquire);
  EXPECT_EQ(cluster_.log, (Lines{"pause 1", "resume 1"}));
  EXPECT_EQ(recorded_, (Lines{"p invoke client 1 node -1", "p ok client 1 node -1"}));
  EXPECT_EQ(armed_, (std::map<int, uint32_t>{{1, 0}, {2, 0}, {3, 0}})) << "it was to start once";
}

TEST_F(TimelineTest, AnyClientIsTheFirstOneThatComes) {
  Begin({Pause("p", At(0, Step::kAfterRead), At(0, Step::kAfterRelease))});
  for (const int client : {1, 2, 3}) EXPECT_TRUE(IsArmed(client, Step::kAfterRead));
  Reach(3, Step::kAfterRead);
  Reach(2, Step::kAfterRead);
  Reach(1, Step::kAfterRelease);
  EXPECT_EQ(cluster_.log, (Lines{"pause 3", "resume 3"}));
}

TEST_F(TimelineTest, AFaultComesAgainAsOftenAsItIsPlanned) {
  FaultPlan fault = Pause("p", At(1, Step::kAfterRead), At(1, Step::kAfterWrite));
  fault.times = 3;
  fault.every = Duration(1);
  Begin({fault});
  for (int round = 0; round < 5; ++round) {
    cluster_.now += 1s;
    Reach(1, Step::kAfterRead);
    Reach(1, Step::kAfterWrite);
  }
  EXPECT_EQ(CountStarts("p"), 3);
  EXPECT_EQ(recorded_.size(), 6u);
}

TEST_F(TimelineTest, AFaultWaitsForItsTimeBeforeItsStepCounts) {
  FaultPlan fault = Pause("p", At(1, Step::kAfterRead), At(1, Step::kAfterWrite));
  fault.from = std::chrono::hours(1);
  Begin({fault});
  EXPECT_FALSE(IsArmed(1, Step::kAfterRead));
  Reach(1, Step::kAfterRead);
  EXPECT_EQ(cluster_.log, Lines{});
}

TEST_F(TimelineTest, OneThatIsMeantForATimeOfAnotherStartsOnlyThen) {
  FaultPlan inner{.name = "inner", .kind = "slow"};
  inner.on = At(2, Step::kAfterRead);
  inner.until = At(2, Step::kAfterWrite);
  inner.during = "outer";
  Begin({Pause("outer", At(1, Step::kBeforeWrite), At(3, Step::kAfterRelease)), inner});
  Reach(2, Step::kAfterRead);
  EXPECT_EQ(CountStarts("inner"), 0);
  Reach(1, Step::kBeforeWrite);
  Reach(2, Step::kAfterRead);
  EXPECT_EQ(cluster_.log, (Lines{"pause 1", "detain 2"}));
}

TEST_F(TimelineTest, OneCanEndWithTheBeginOrTheEndOfAnother) {
  FaultPlan until_begin{.name = "until-begin", .kind = "slow"};
  until_begin.on = At(2, Step::kStart);
  until_begin.until_fault = FaultMoment{.fault = "p", .ended = false};
  FaultPlan until_end{.name = "until-end", .kind = "slow"};
  until_end.on = At(3, Step::kStart);
  until_end.until_fault = FaultMoment{.fault = "p", .ended = true};
  Begin({until_begin, until_end, Pause("p", At(1, Step::kAfterRead), At(2, Step::kAfterRead))});
  Reach(2, Step::kStart);
  Reach(3, Step::kStart);
  EXPECT_EQ(cluster_.log, (Lines{"detain 2", "detain 3"}));
  Reach(1, Step::kAfterRead);
  EXPECT_EQ(cluster_.log, (Lines{"detain 2", "detain 3", "pause 1", "let go 2"}));
  Reach(2, Step::kAfterRead);
  EXPECT_EQ(cluster_.log,
            (Lines{"detain 2", "detain 3", "pause 1", "let go 2", "resume 1", "let go 3"}));
}

TEST_F(TimelineTest, AMomentThatHasBeenEndsItAtOnce) {
  FaultPlan late{.name = "late", .kind = "slow"};
  late.on = At(2, Step::kStart);
  late.until_fault = FaultMoment{.fault = "p", .ended = false};
  Begin({late, Pause("p", At(1, Step::kAfterRead), At(3, Step::kAfterRead))});
  Reach(1, Step::kAfterRead);
  Reach(2, Step::kStart);
  EXPECT_EQ(cluster_.log, (Lines{"pause 1", "detain 2", "let go 2"}));
}

TEST_F(TimelineTest, WhatTwoFaultsDoAtOneStepIsDoneInTheOrderOfThePlan) {
  FaultPlan slow{.name = "slow", .kind = "slow"};
  slow.on = At(1, Step::kAfterRead);
  slow.length = 1s;
  Begin({Pause("p", At(1, Step::kAfterRead), At(2, Step::kStart)), slow});
  Reach(1, Step::kAfterRead);
  EXPECT_EQ(cluster_.log, (Lines{"pause 1", "detain 1"}));
}

TEST_F(TimelineTest, AFaultOnFramesEndsWhenTheLastOfThemHasGone) {
  FaultPlan drop{.name = "lost", .kind = "drop"};
  drop.client = 1;
  drop.nodes = {2};
  drop.on = At(1, Step::kStart);
  Begin({drop});
  Reach(1, Step::kStart);
  ASSERT_EQ(cluster_.rules.size(), 1u);
  EXPECT_EQ(CountStarts("lost"), 1);
  EXPECT_EQ(recorded_.size(), 1u);
  std::exchange(cluster_.rules.begin()->second.on_spent, nullptr)();
  EXPECT_EQ(cluster_.rules.size(), 1u) << "not from inside the rule itself";
  Settle();
  EXPECT_TRUE(cluster_.rules.empty());
  EXPECT_EQ(recorded_, (Lines{"lost invoke client 1 node 2", "lost ok client 1 node 2"}));
}

TEST_F(TimelineTest, AFaultOnFramesThatNoneCameByDidNotHappen) {
  FaultPlan drop{.name = "lost", .kind = "drop"};
  drop.client = 1;
  drop.on = At(1, Step::kStart);
  cluster_.frames = 0;
  Begin({drop});
  Reach(1, Step::kStart);
  End();
  EXPECT_EQ(recorded_, (Lines{"lost invoke client 1 node -1", "lost fail client 1 node -1"}));
}

TEST_F(TimelineTest, TheEndHealsWhatIsActiveAndStartsNothingMore) {
  Begin({Pause("p", At(1, Step::kAfterRead), At(2, Step::kAfterAcquire)),
         Pause("q", At(2, Step::kAfterRead), At(2, Step::kAfterAcquire))});
  Reach(1, Step::kAfterRead);
  End();
  EXPECT_EQ(cluster_.log, (Lines{"pause 1", "resume 1"}));
  Reach(2, Step::kAfterRead);
  EXPECT_EQ(cluster_.log, (Lines{"pause 1", "resume 1"}));
  EXPECT_EQ(armed_, (std::map<int, uint32_t>{{1, 0}, {2, 0}, {3, 0}}));
}

TEST_F(TimelineTest, WhatIsDoneToNodesIsNotDoneToTheClientWhoseStepItWaitedFor) {
  FaultPlan jump{.name = "clock", .kind = "jump"};
  jump.nodes = {3, 4};
  jump.by = 1s;
  jump.on = At(1, Step::kAfterRead);
  jump.until = At(2, Step::kAfterRead);
  Begin({jump});
  Reach(1, Step::kAfterRead);
  EXPECT_EQ(recorded_, Lines{"clock invoke client -1 node 3"});
}

TEST_F(TimelineTest, AFaultWithoutAStepStartsAtItsTime) {
  FaultPlan pause{.name = "p", .kind = "pause"};
  pause.client = 2;
  pause.until = At(1, Step::kAfterRead);
  Begin({pause});
  EXPECT_EQ(cluster_.log, Lines{"pause 2"});
}

TEST_F(TimelineTest, AClockThatWasNotReadWhileItWasMovedDidNothing) {
  FaultPlan jump{.name = "clock", .kind = "jump"};
  jump.nodes = {3};
  jump.by = 1s;
  cluster_.observed = std::nullopt;
  Begin({jump});
  End();
  EXPECT_EQ(recorded_, (Lines{"clock invoke client -1 node 3", "clock fail client -1 node 3"}));
}

TEST_F(TimelineTest, ASecondFaultCanBeArmedWhileAClientIsStopped) {
  FaultPlan jump{.name = "clock", .kind = "jump"};
  jump.nodes = {1};
  jump.by = 1s;
  jump.on = At(2, Step::kAfterAcquire);
  jump.during = "p";
  jump.length = 3600s;
  Begin({Pause("p", At(1, Step::kAfterRead), At(2, Step::kAfterRelease)), jump});
  Reach(2, Step::kAfterAcquire);
  EXPECT_EQ(CountStarts("clock"), 0);
  Reach(1, Step::kAfterRead);
  Reach(2, Step::kAfterAcquire);
  EXPECT_EQ(CountStarts("clock"), 1);
}

TEST_F(TimelineTest, ManyFaultsAreNoMoreWorkAtAStepThanFew) {
  std::vector<FaultPlan> faults;
  for (int i = 0; i < 20'000; ++i) {
    faults.push_back(Pause(fmt::format("p{}", i), At(1, Step::kAfterRead), At(2, Step::kStart)));
    faults.back().from = std::chrono::hours(1 + i);
  }
  faults.front().from = {};
  Begin(faults);
  // Were each of them asked at each of these, this would take minutes.
  for (int i = 0; i < 20'000; ++i) Reach(3, Step::kAfterRead);
  Reach(1, Step::kAfterRead);
  EXPECT_EQ(cluster_.log, Lines{"pause 1"});
}

TEST_F(TimelineTest, AClientIsKilledWhereItStandsAndThatIsOver) {
  FaultPlan crash{.name = "killed", .kind = "crash"};
  crash.on = At(2, Step::kMidAcquire);
  Begin({crash});
  Reach(2, Step::kMidAcquire);
  EXPECT_EQ(cluster_.log, Lines{"kill 2"});
  EXPECT_EQ(recorded_, (Lines{"killed invoke client 2 node -1", "killed ok client 2 node -1"}));
  EXPECT_EQ(armed_[2], 0U);
}

TEST_F(TimelineTest, WhatIsDeadAlreadyIsMetByNothing) {
  const ProcessRef client{ProcessRef::Kind::kClient, 2};
  const ProcessRef node{ProcessRef::Kind::kNode, 2};
  const FaultPlan on_node{.name = "f", .kind = "pause", .nodes = {2}};
  const FaultPlan on_client{.name = "f", .kind = "pause", .client = 2};
  FaultPlan crash_of_node = on_node;
  crash_of_node.kind = "crash";
  FaultPlan crash_of_client = on_client;
  crash_of_client.kind = "crash";
  struct Row {
    FaultPlan fault;
    ProcessRef dead;
    std::string ends;
  };
  for (const Row& row : std::vector<Row>{
           {on_client, client, "fail client 2 node -1"},
           {on_client, node, "ok client 2 node -1"},
           {on_node, node, "fail client -1 node 2"},
           {on_node, client, "ok client -1 node 2"},
           {crash_of_client, client, "fail client 2 node -1"},
           {crash_of_node, node, "fail client -1 node 2"},
           {crash_of_node, client, "ok client -1 node 2"},
       }) {
    cluster_.dead = {row.dead};
    recorded_.clear();
    Begin({row.fault});
    End();
    ASSERT_EQ(recorded_.size(), 2U);
    EXPECT_EQ(recorded_.back(), "f " + row.ends) << row.fault.kind;
  }
}

TEST_F(TimelineTest, OneThatIsKilledAtAStepIsNotKeptThere) {
  FaultPlan crash{.name = "killed", .kind = "crash"};
  crash.on = At(2, Step::kAfterRead);
  FaultPlan slow{.name = "kept", .kind = "slow"};
  slow.on = At(2, Step::kAfterRead);
  slow.length = 3600s;
  Begin({crash, slow});
  Reach(2, Step::kAfterRead);
  End();
  EXPECT_EQ(cluster_.log, Lines{"kill 2"});
  EXPECT_EQ(recorded_.at(2), "killed ok client 2 node -1");
  EXPECT_EQ(recorded_.at(3), "kept fail client 2 node -1");
}

TEST_F(TimelineTest, WhatTheEndOfTheRunHealsHasActedAndNothingBeginsAfterIt) {
  FaultPlan early{.name = "early", .kind = "pause", .length = 3600s, .client = 1};
  FaultPlan again{.name = "again", .kind = "pause", .every = 1s, .times = 2, .client = 2};
  again.until = At(3, Step::kAfterRead);
  Begin({early, again});
  // The supervisor itself was kept from running, beyond the time of the run.
  cluster_.now += plan_.duration;
  Reach(3, Step::kAfterRead);
  End();
  EXPECT_EQ(cluster_.log, (Lines{"pause 1", "pause 2", "resume 2", "resume 1"}));
  EXPECT_EQ(recorded_, (Lines{"early invoke client 1 node -1", "again invoke client 2 node -1",
                              "again ok client 2 node -1", "early ok client 1 node -1"}));
}

TEST_F(TimelineTest, ARestartEndsWhenItsNodeIsBackHoweverLongItWasToBeDown) {
  FaultPlan restart{.name = "restart", .kind = "restart", .length = 1ms, .data = "empty"};
  restart.nodes = {3};
  FaultPlan wait{.name = "wait", .kind = "slow"};
  wait.on = At(2, Step::kStart);
  wait.until_fault = FaultMoment{.fault = "restart", .ended = true};
  Begin({wait, restart});
  Reach(2, Step::kStart);
  EXPECT_EQ(cluster_.log, (Lines{"restart 3", "detain 2"}));
  EXPECT_EQ(recorded_, (Lines{"restart invoke client -1 node 3", "wait invoke client 2 node -1"}));
  cluster_.on_back();
  Settle();
  EXPECT_EQ(cluster_.log.back(), "let go 2");
  EXPECT_EQ(recorded_.at(2), "restart ok client -1 node 3");
}

TEST_F(TimelineTest, ARestartWhoseNodeIsNotBackAtTheEndFailed) {
  FaultPlan restart{.name = "restart", .kind = "restart", .data = "empty"};
  restart.nodes = {3};
  Begin({restart});
  End();
  EXPECT_EQ(recorded_.back(), "restart fail client -1 node 3");
}

}  // namespace
}  // namespace doublehold
