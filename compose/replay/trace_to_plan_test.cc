#include "compose/replay/trace_to_plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "checker/explain/cause.h"
#include "compose/explore/testing_explore.h"

namespace doublehold {
namespace {

std::string Describe(const FaultPlan& fault) {
  std::string text = fmt::format("{} {}", fault.name, fault.kind);
  if (fault.client) text += fmt::format(" client={}", *fault.client);
  for (const int node : fault.nodes) text += fmt::format(" node={}", node);
  if (!fault.command.empty())
    text += fmt::format(" {} {} {}", fault.direction, fault.command, fault.nth);
  if (fault.on) text += fmt::format(" on={} {}", fault.on->client, Name(fault.on->step));
  if (fault.from > Duration::zero()) text += " from=" + FormatDuration(fault.from);
  if (fault.length > Duration::zero()) text += " for=" + FormatDuration(fault.length);
  if (fault.by != Duration::zero()) text += " by=" + FormatDuration(fault.by);
  if (fault.rate != 1.0) text += fmt::format(" rate={}", fault.rate);
  return text + (fault.data.empty() ? "" : " data=" + fault.data);
}

struct Aimed {
  const char* lock;
  std::vector<FaultForm> faults;
  const char* choices;
  // The faults of the real plan without the delayed starts, or the error if there is no such plan.
  std::string real;
  int delays = 0;
  SettingTexts more{};
};

std::string TextOfRealPlan(const Aimed& aimed) {
  const Searched searched{
      .lock = aimed.lock, .faults = aimed.faults, .more = aimed.more, .delays = aimed.delays};
  const auto choices = sim::ParseDeviations(aimed.choices);
  EXPECT_TRUE(choices.has_value());
  const Result<Plan> plan = TranslateToRealPlan(ScenarioOf(searched), *choices);
  if (!plan) return plan.error().message;
  EXPECT_EQ(plan->sections, 1);
  EXPECT_EQ(Describe(plan->faults.front()), "later-2 slow client=2 on=2 start for=50ms");
  std::string text;
  for (size_t i = 1; i < plan->faults.size(); ++i)
    text += (i > 1 ? "; " : "") + Describe(plan->faults[i]);
  return text;
}

TEST(RealPlan, HasFaultsOnTheSameMessageOrAtTheSameStep) {
  const std::vector<Aimed> cases{
      {"set-nx-px", {}, "", ""},
      {"set-nx-px",
       {FaultForm::kPause},
       "0:1",
       "pause-1 pause client=1 on=1 after-acquire for=640ms"},
      {"set-nx-px",
       {FaultForm::kHoldRequest},
       "4:1",
       "hold-request-1 hold client=2 node=1 request SET 3 on=2 start for=640ms"},
      {"set-nx-px",
       {FaultForm::kDropReply},
       "0:1",
       "drop-reply-1 drop client=1 node=1 reply SET 1 on=1 start"},
      {"set-nx-px",
       {FaultForm::kResetRequest},
       "0:1",
       "reset-request-1 reset client=1 node=1 request SET 1 on=1 start"},
      {"set-nx-px",
       {FaultForm::kNodeClock},
       "1:1",
       "node-clock-1 jump node=1 from=40ms for=50s by=640ms"},
      {"set-nx-px",
       {FaultForm::kNodeClockBack},
       "0:1",
       "node-clock-back-1 jump node=1 on=1 start for=50s by=-640ms"},
      {"set-nx-px",
       {FaultForm::kRestartEmpty},
       "0:1",
       "restart-empty-1 restart node=1 on=1 start for=50ms data=empty"},
      {"set-nx-px",
       {FaultForm::kRestartWithData},
       "0:1",
       "restart-with-data-1 restart node=1 on=1 start for=50ms data=aof"},
      {"set-nx-px",
       {FaultForm::kNodeFast},
       "0:1",
       "node-fast-1 drift node=1 on=1 start for=50s rate=3"},
      {"set-nx-px",
       {FaultForm::kClientFast},
       "2:1",
       "client-fast-1 drift client=1 on=1 after-acquire for=50s rate=3"},
      {"set-nx-px",
       {FaultForm::kClientClock},
       "2:1",
       "client-clock-1 jump client=1 on=1 after-acquire for=50s by=640ms"},
      {"set-nx-px",
       {FaultForm::kPause, FaultForm::kClientClockBack},
       "1:1",
       "client-clock-back-1 jump client=2 on=2 start for=50s by=-640ms"},
      {"set-nx-px",
       {FaultForm::kCrash, FaultForm::kNodeCrash},
       "0:1",
       "node-crash-1 crash node=1 on=1 start"},
      {"set-nx-px",
       {FaultForm::kForgetScripts, FaultForm::kNodePause},
       "0:1-1:2",
       "forget-scripts-1 forget-scripts node=1 on=1 start; node-pause-2 pause node=1 from=40ms "
       "for=640ms"},
      {"set-nx-px",
       {FaultForm::kDropRequest},
       "9:1",
       "drop-request-1 drop client=2 node=1 request SET 5 on=2 start"},
      {"set-nx-px",
       {FaultForm::kPause},
       "2:1",
       "--real: pause where client 2 continues: cannot be reproduced, because the client announces "
       "no step there"},
      {"set-nx-px",
       {FaultForm::kNodePause},
       "4:1",
       "--real: node-pause where client 2's SET 4 to node 1 is executed: cannot be reproduced, "
       "because the client announces no step there"},
      {"redlock",
       {FaultForm::kPause},
       "4:1",
       "--real: pause where client 1 continues: cannot be reproduced, because the client reads a "
       "clock before it announces after-acquire",
       0,
       {{"topology.nodes", "3"}}},
      {"redlock",
       {FaultForm::kPause},
       "5:1",
       "pause-1 pause client=1 on=1 after-acquire for=640ms",
       0,
       {{"topology.nodes", "3"}}},
      {"redlock",
       {FaultForm::kCrash},
       "4:1",
       "crash-1 crash client=1 on=1 after-acquire",
       0,
       {{"topology.nodes", "3"}}},
      {"redisson",
       {FaultForm::kDropNews},
       "0:1",
       "--real: drop-news: the proxy cannot act on published messages"},
      {"set-nx-px",
       {FaultForm::kPause},
       "0:1",
       "--real: reordered events cannot be reproduced on real servers",
       1},
      {"set-nx-px",
       {FaultForm::kPause},
       "1:1",
       "--real: the run would take 90s, longer than the limit of 50s; use a shorter lock.lease",
       0,
       {{"lock.lease", "40s"}}},
  };
  for (const Aimed& aimed : cases)
    EXPECT_EQ(TextOfRealPlan(aimed), aimed.real) << aimed.lock << ' ' << aimed.choices;
}

TEST(RealPlan, ComparesClaimByClaim) {
  const auto verdict = [](Outcome exclusion, Outcome stock) {
    RunVerdict of;
    of.claims = {{.claim = "exclusion", .outcome = exclusion},
                 {.claim = "stock", .outcome = stock}};
    return of;
  };
  const RunVerdict fine = verdict(Outcome::kValid, Outcome::kValid);
  const RunVerdict sold = verdict(Outcome::kValid, Outcome::kViolated);
  const RunVerdict open = verdict(Outcome::kUnknown, Outcome::kValid);
  EXPECT_FALSE(Compare(fine, fine).differs || Compare(fine, fine).open);
  EXPECT_FALSE(Compare(open, open).differs || Compare(open, open).open);
  EXPECT_TRUE(Compare(fine, sold).differs);
  EXPECT_FALSE(Compare(fine, sold).open);
  EXPECT_TRUE(Compare(fine, open).open);
  EXPECT_FALSE(Compare(fine, open).differs);
  EXPECT_EQ(Compare(fine, sold).text,
            "claim                   simulated  real\n"
            "exclusion               valid      valid\n"
            "stock                   valid      violated  <-\n");
}

TEST(RealPlan, ADifferenceThatDependsOnShortTimesIsOpen) {
  RunVerdict simulated;
  simulated.claims = {{.claim = "stock", .outcome = Outcome::kViolated}};
  RunVerdict real = simulated;
  const std::map<std::string, TimingDependence> dependences{
      {"stock", {.on = "messages that take 250us", .outcome = Outcome::kValid}}};
  EXPECT_FALSE(Compare(simulated, real, dependences).open);
  real.claims[0].outcome = Outcome::kValid;
  const Agreement agreement = Compare(simulated, real, dependences);
  EXPECT_TRUE(agreement.open);
  EXPECT_FALSE(agreement.differs);
  EXPECT_EQ(agreement.text,
            "claim                   simulated  real\n"
            "stock                   violated   valid  <-\n"
            "\n"
            "stock depends on short times: simulated with messages that take 250us, it is valid\n");
}

TEST(RealPlan, ComparesCausesIfBothAreKnown) {
  const auto violated = [](std::vector<Cause> causes) {
    RunVerdict of;
    of.claims = {{.claim = "exclusion", .outcome = Outcome::kViolated}};
    for (const Cause cause : causes) of.claims[0].violations.push_back({.cause = cause});
    return of;
  };
  const RunVerdict stopped = violated({Cause::kStopped});
  EXPECT_FALSE(Compare(stopped, violated({Cause::kOverran, Cause::kStopped})).differs);
  EXPECT_FALSE(Compare(stopped, violated({Cause::kUnexplained})).differs);
  EXPECT_FALSE(Compare(violated({Cause::kUnexplained}), stopped).differs);
  const Agreement other = Compare(stopped, violated({Cause::kOverAtGrant}));
  EXPECT_TRUE(other.differs);
  EXPECT_EQ(other.text,
            "claim                   simulated  real\n"
            "exclusion               violated   violated  <- cause: stopped simulated, "
            "over-at-grant real\n");
}

TEST(RealPlan, AFaultThatDidNotBeginLeavesTheComparisonOpen) {
  RunVerdict simulated;
  simulated.claims = {{.claim = "release", .outcome = Outcome::kUnknown}};
  RunVerdict real = simulated;
  real.not_fired = {"hold-request-1"};
  const Agreement agreement = Compare(simulated, real);
  EXPECT_TRUE(agreement.open);
  EXPECT_FALSE(agreement.differs);
  EXPECT_EQ(agreement.text,
            "claim                   simulated  real\n"
            "release                 unknown    unknown\n"
            "\n"
            "hold-request-1 did not begin on the real servers\n");
}

}  // namespace
}  // namespace doublehold
