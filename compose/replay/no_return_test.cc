// Tests that the curve of no return jumps at the known cause of a violation.
#include "compose/replay/no_return.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "checker/rates/trials.h"
#include "compose/explore/replay_string.h"
#include "compose/explore/scenario_settings.h"

namespace doublehold {
namespace {

constexpr int64_t kFew = 150;  // continuations from each step

// One execution, as `replay` shows it.
struct Shown {
  explicit Shown(const std::string& text)
      : replay(*ParseReplayString(text)),
        scenario(ScenarioOf(*SimulatedPlan(replay.settings), replay)) {
    sim::GivenChoices given(replay.choices);
    std::vector<Frame> frames;
    Scenario recorded = scenario;
    recorded.terms.frames = &frames;
    history = Simulate(recorded, given).history;
    EXPECT_TRUE(given.Fits()) << text;
    verdict = Judge(history);
    steps = DescribeSteps(history, verdict, frames);
  }
  [[nodiscard]] Result<NoReturnCurve> Curve(const NoReturnTerms& terms) const {
    return ComputeNoReturn(scenario, replay.choices, steps, verdict, terms);
  }

  ReplayString replay;
  Scenario scenario;
  History history;
  RunVerdict verdict;
  std::vector<ExecutionStep> steps;
};

std::string MakeReplay(const std::string& settings, const std::string& rest) {
  return "v1/lock.lease=400ms;retry.interval=0.2 lease;retry.timeout=4 lease;workload.clients=2;"
         "workload.stock=5;workload.think=0s;workload.work=0.5 lease;"
         "workload.work-distribution=fixed;" +
         settings + "/1/" + rest;
}
const std::string kPausedHolder = MakeReplay("lock.name=set-nx-px", "pause/3:1");
const std::string kHarmlessPause = MakeReplay("lock.name=set-nx-px", "pause/2:1");
const std::string kRedlockFive =
    "lock.name=redlock;topology.nodes=5;workload.store-timeout=0.1 lease";
const std::string kFencedWrites = "lock.name=fenced;workload.fence-on=writes";

struct KnownCause {
  const char* name;
  std::string replay;
  const char* claim;
  const char* cause;  // the step of the largest jump
};
void PrintTo(const KnownCause& known, std::ostream* out) { *out << known.name; }

class NoReturnOf : public ::testing::TestWithParam<KnownCause> {};

TEST_P(NoReturnOf, TheLargestJumpIsAtTheKnownCause) {
  const Shown shown(GetParam().replay);
  const Result<NoReturnCurve> curve = shown.Curve({.claim = GetParam().claim, .each = kFew});
  ASSERT_TRUE(curve.has_value()) << curve.error().message;
  const size_t jump = curve->LargestJump();
  ASSERT_GT(jump, 0u);
  EXPECT_EQ(shown.steps[curve->points[jump].step - 1].text, GetParam().cause)
      << ToText(*curve, shown.steps);
  EXPECT_LT(curve->points[jump - 1].Share(), 0.5);
  for (size_t i = jump; i < curve->points.size(); ++i)
    EXPECT_EQ(curve->points[i].Share(), 1) << "nothing is open after step " << i;
}

TEST_P(NoReturnOf, TheLastPointIsBeforeTheViolation) {
  const Shown shown(GetParam().replay);
  const Result<NoReturnCurve> curve = shown.Curve({.claim = GetParam().claim, .each = kFew});
  ASSERT_TRUE(curve.has_value()) << curve.error().message;
  const auto found = std::ranges::find(shown.steps, GetParam().claim, &ExecutionStep::claim);
  ASSERT_NE(found, shown.steps.end());
  EXPECT_TRUE(std::ranges::all_of(shown.steps.begin() + curve->points.back().step, found,
                                  [](const auto& step) { return !step.claim.empty(); }));
  EXPECT_EQ(curve->points.back().Share(), 1);
}

INSTANTIATE_TEST_SUITE_P(
    KnownAnswers, NoReturnOf,
    ::testing::Values(
        KnownCause{"K14_exclusion", kPausedHolder, "exclusion", "client 1 stopped for 640ms"},
        KnownCause{"K14_stock", kPausedHolder, "stock", "client 1 stopped for 640ms"},
        // Client 1 holds nodes 1 to 3.
        KnownCause{"K25", MakeReplay(kRedlockFive, "drop-request,node-clock/12:1-27:1-54:1"),
                   "lease-exclusion", "node 3's clock jumps ahead by 640ms"},
        // Client 1 is stopped with stock 5 read, and with token 1. It writes before client 2, so
        // the store has not seen token 2.
        KnownCause{"K33", MakeReplay(kFencedWrites, "pause/3:1-21:1"), "stock",
                   "client 2 stopped for 640ms"}),
    [](const auto& info) { return info.param.name; });

TEST(NoReturn, EqualInputGivesAnEqualCurveWithAnyNumberOfThreads) {
  const Shown shown(kPausedHolder);
  const auto write = [&](unsigned int jobs) {
    return ToText(*shown.Curve({.each = kFew, .jobs = jobs}), shown.steps);
  };
  const std::string one = write(1);
  EXPECT_EQ(write(1), one);
  EXPECT_EQ(write(3), one);
}

// Without jitter, only the place of the pause is open. So the first share estimates the share of
// places at which a pause violates the claim.
TEST(NoReturn, TheFirstShareIsThatOfAllPlacesOfTheFault) {
  const std::string settings = "lock.name=set-nx-px;retry.jitter=0";
  const Shown plain(MakeReplay(settings, "pause/"));
  sim::GivenChoices given(plain.replay.choices);
  Simulate(plain.scenario, given);
  TrialCount all{.of = std::ssize(given.open())};
  for (const auto& question : given.open()) {
    const sim::Deviations one{{.at = question.at, .choice = 1}};
    sim::GivenChoices paused(one);
    const RunVerdict verdict = Judge(Simulate(plain.scenario, paused).history);
    if (verdict.claims[0].outcome == Outcome::kViolated) ++all.violated;
  }
  ASSERT_GT(all.violated, 0);
  const Shown shown(MakeReplay(settings, "pause/3:1"));
  const auto curve = shown.Curve({.claim = shown.verdict.claims[0].claim, .each = 1'000});
  ASSERT_TRUE(curve.has_value()) << curve.error().message;
  const double share = static_cast<double>(all.violated) / static_cast<double>(all.of);
  const Interval exact = ClopperPearsonOf(curve->points[0].violated);
  EXPECT_LT(exact.low, share);
  EXPECT_GT(exact.high, share);
}

TEST(NoReturn, ADeferredEventIsNamedBesideItsStep) {
  const Shown shown(MakeReplay("lock.name=redlock", "node-clock,order/5:1-22:1"));
  const auto curve = shown.Curve({.each = kFew});
  ASSERT_TRUE(curve.has_value()) << curve.error().message;
  const std::string sentence = DescribeJump(*curve, shown.steps);
  EXPECT_TRUE(sentence.ends_with("; before it, an event was deferred.")) << sentence;
}

// Client 2 must write while client 1 works, from 640 ms on. Its last wait before 400 ms decides
// when it is granted the lock.
TEST(NoReturn, RefusedAttemptsAreNamedBesideTheNextStep) {
  const Shown shown(MakeReplay("lock.name=set-nx-px", "pause/1:1"));
  const auto curve = shown.Curve({.claim = "stock", .each = kFew});
  ASSERT_TRUE(curve.has_value()) << curve.error().message;
  const std::string sentence = DescribeJump(*curve, shown.steps);
  EXPECT_TRUE(
      sentence.ends_with("client 1's lease of dh:item:0 ends, and it still holds the lock; "
                         "before it, further attempts were refused."))
      << sentence;
}

TEST(NoReturn, AScenarioThatIsAlwaysViolatedHasNoJump) {
  const Shown shown("v1/lock.name=none;workload.clients=2/1/pause/");
  const auto curve = shown.Curve({.each = 10});
  ASSERT_TRUE(curve.has_value()) << curve.error().message;
  EXPECT_EQ(curve->LargestJump(), 0u) << ToText(*curve, shown.steps);
  EXPECT_TRUE(DescribeJump(*curve, shown.steps)
                  .ends_with("it is 100 % at the start, and 100 % at step " +
                             std::to_string(curve->points.back().step) + "."))
      << DescribeJump(*curve, shown.steps);
}

TEST(NoReturn, ARiseWithinChanceIsNoJump) {
  const auto jump = [](int64_t first, int64_t second) {
    const NoReturnCurve curve{
        .claim = "stock",
        .points = {{.step = 0, .violated = {.of = 1'000, .violated = first}},
                   {.step = 1, .violated = {.of = 1'000, .violated = second}}}};
    return curve.LargestJump();
  };
  EXPECT_EQ(jump(200, 230), 0u);
  EXPECT_EQ(jump(200, 300), 1u);
  EXPECT_EQ(jump(300, 200), 0u);
  NoReturnCurve unknown{.claim = "stock",
                        .points = {{.step = 0, .violated = {.of = 50, .undecided = 50}},
                                   {.step = 1, .violated = {.of = 50, .violated = 50}}}};
  EXPECT_EQ(unknown.LargestJump(), 1u);
}

TEST(NoReturn, ErrorsSayWhyThereIsNoCurve) {
  const struct {
    const std::string& replay;
    const char* claim;
    const char* why;
  } cases[] = {
      {kHarmlessPause, "", "--curve: this execution violates no claim"},
      {kHarmlessPause, "stock", "--curve: this execution violates no claim"},
      {kPausedHolder, "stok", "'stok' is unknown (did you mean 'stock'?)"},
      {kPausedHolder, "liveness", "--claim: violated claim 'liveness' is unknown"},
  };
  for (const auto& each : cases) {
    const Shown shown(each.replay);
    const Result<NoReturnCurve> curve = shown.Curve({.claim = each.claim, .each = 1});
    ASSERT_FALSE(curve.has_value()) << each.why;
    EXPECT_NE(curve.error().message.find(each.why), std::string::npos) << curve.error().message;
  }
}

// A continuation keeps its prefix because of this.
TEST(Redraw, KeepsTheEventsBeforeItAndChangesSomeAfter) {
  Shown shown(kPausedHolder);
  size_t changed = 0;
  for (size_t kept = 0; kept <= shown.history.events.size(); ++kept) {
    shown.scenario.terms.redraw = sim::Redraw{.after_events = kept, .seed = 7};
    sim::GivenChoices given(shown.replay.choices);
    const History history = Simulate(shown.scenario, given).history;
    ASSERT_GE(history.events.size(), kept);
    EXPECT_TRUE(std::equal(history.events.begin(),
                           history.events.begin() + static_cast<std::ptrdiff_t>(kept),
                           shown.history.events.begin()))
        << kept;
    if (history.events != shown.history.events) ++changed;
  }
  EXPECT_GT(changed, 0u);
  EXPECT_LT(changed, shown.history.events.size());
}

}  // namespace
}  // namespace doublehold
