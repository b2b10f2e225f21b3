#include "checker/claims/limits/max_wait.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "checker/explain/cause.h"
#include "checker/judge.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

ClaimVerdict VerdictOnWaits(const std::string& picture, const std::string& limit = "10ms") {
  return CheckMaxWait(FromLanes(picture, {.limits = {{"max-wait", limit}}}), {});
}

TEST(MaxWait, IsViolatedByAWaitLongerThanTheLimit) {
  const ClaimVerdict verdict = VerdictOnWaits(R"(
      c1:   QA-aq==R-r QA-aq==R-r
      c2:    Q-A--------------x--A-a q)");
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(verdict.count, 1);
  EXPECT_EQ(verdict.opportunities, 3);
  EXPECT_EQ(verdict.unit, "waits");
  EXPECT_EQ(verdict.reason, "1 of 3 waits took longer than 10ms");
  EXPECT_EQ(
      verdict.violations.at(0).sentence,
      "client 2 waited for item-0 from 0.001 s on for 24.0 ms; others were granted it 2 times "
      "meanwhile; the limit is 10ms; no fault was active");
  EXPECT_EQ(verdict.violations.at(0).second->client, 1);
  EXPECT_EQ(verdict.margins.at(0).value, -14'000'000);
  EXPECT_EQ(VerdictOnWaits("c1: Q-A------aq", "9999999ns").outcome, Outcome::kViolated);
}

TEST(MaxWait, NamesTheHoldThatEndedTheWait) {
  History history = FromLanes("c1: Q-A--------aq", {.limits = {{"max-wait", "10ms"}}});
  history.events.back().hold = 101;
  EXPECT_EQ(CheckMaxWait(history, {}).violations.at(0).first.value_or(HoldRef{}).hold, 101U);
}

struct DrawnWait {
  std::string name;
  std::string picture;
  Outcome outcome = Outcome::kUnknown;
};

TEST(MaxWait, AddsUpAllTriesOfASessionSinceItsLastGrant) {
  const std::vector<DrawnWait> drawn{
      {"exactly the limit", "c1: Q-A------aq", Outcome::kValid},
      {"more than the limit", "c1: Q-A--------aq", Outcome::kViolated},
      {"more than the limit in two tries", "c1: Q-A--x-x    Q-A--aq", Outcome::kViolated},
      {"the time between tries does not count", "c1: Q-A-xx    Q-A-aq", Outcome::kValid},
      {"two granted waits are counted separately", "c1: Q-A---aq=R-rQ-A---aq=R-r", Outcome::kValid},
      {"given up after the limit", "c1: Q-A------x--x", Outcome::kViolated},
      {"given up within the limit", "c1: Q-A---x-x"},
      {"unfinished at the end of the run", "c1: Q-A-x\nc2:            A-x", Outcome::kViolated},
      {"unanswered at the end of the run, with a grant", "c1: Q-A----------a"},
      {"unanswered at the end of the run", "c1: Q-A\nc2:             A-x", Outcome::kViolated},
      {"the session held the key in between", "c1: Q-A-a=R-r    A--aq"},
      {"the session may have held the key in between", "c1: Q-A-----?x  Q-A-----aq"},
      {"the session was refused the key in between", "c1: Q-A-----xx  Q-A-----aq",
       Outcome::kViolated},
      {"over the limit before the session may have held the key", "c1: Q-A-x----------A-?-A-x--x",
       Outcome::kViolated},
      {"over the limit before the session held the key", "c1: Q-A-x----------A-a=R-r A-aq",
       Outcome::kViolated},
      {"an unanswered wait may have lasted to the end",
       "c1:    Q-A\nc2:    A-x\nprobe:             P-p"},
      {"an unanswered wait beside two granted waits",
       "c1:    Q-A\nc2:    QAaq\nc3:    QAaq\nprobe:             P-p"},
      {"waits for different keys", "c1:        Q-A--x-x\nc1 item-1:         Q-A--x-x"},
      {"waits of two sessions", "c1:   Q-A--x-x\nc1.2:           Q-A--x-x"},
      {"no wait", "c1: A-a=R-r"},
  };
  for (const DrawnWait& each : drawn) {
    const ClaimVerdict verdict = VerdictOnWaits(each.picture);
    EXPECT_EQ(verdict.outcome, each.outcome) << each.name << ": " << verdict.reason;
  }
  EXPECT_EQ(VerdictOnWaits("c1:    Q-A\nc2:    A-x\nprobe:             P-p").opportunities, 1);
}

TEST(MaxWait, SubtractsPausesOfTheClientAndStallsOfTheMachine) {
  const std::vector<DrawnWait> drawn{
      {"the waiting client was stopped", "c1:       Q-A---------aq\npause c1:    [----]"},
      {"the waiting client was stopped for exactly the excess",
       "c1:       Q-A---------aq\npause c1:    [--]"},
      {"the waiting client was stopped too briefly", "c1:       Q-A---------aq\npause c1:    []",
       Outcome::kViolated},
      {"another client was stopped", "c1:       Q-A---------aq\nc2:       A-x\npause c2:    [----]",
       Outcome::kViolated},
      {"the messages of the waiting client were delayed",
       "c1:       Q-A---------aq\ndelay c1:    [----]", Outcome::kViolated},
      {"the machine stalled the waiting client",
       "c1:         Q-A---------aq\nmachine c1:    (----)"},
      {"the machine stalled another client",
       "c1:         Q-A---------aq\nc2:         A-x\nmachine c2:    (----)"},
      {"the machine stalled the waiting client too briefly",
       "c1:         Q-A--------------aq\nmachine c1:    (----)", Outcome::kViolated},
      {"over the limit, and the machine stalled later",
       "c1:         Q-A---------------------------------------aq\nmachine n1:               "
       "(--------------------------)",
       Outcome::kViolated},
      {"the machine stalled another client before the wait",
       "c1:                    Q-A---------aq\nc2:         A-x\nmachine c2:    (----)",
       Outcome::kViolated},
      {"records were lost", "c1:      Q-A---------aq\nlost c1:     *"},
  };
  for (const DrawnWait& each : drawn) {
    const ClaimVerdict verdict = VerdictOnWaits(each.picture);
    EXPECT_EQ(verdict.outcome, each.outcome) << each.name << ": " << verdict.reason;
  }
}

// The second acquire may have been granted, so the later try does not count.
TEST(MaxWait, AWaitLastsUntilAnAcquireThatMayHaveBeenGranted) {
  const ClaimVerdict verdict = VerdictOnWaits("c1: Q-A-x----------A-?x  Q-A--x-x");
  EXPECT_EQ(verdict.outcome, Outcome::kViolated) << verdict.reason;
  EXPECT_EQ(verdict.margins.at(0).value, -5'000'000);
}

// Client 1 gave up its first try before the acquire timed out. Later, the timeout is removed: the
// acquire is never answered.
TEST(MaxWait, AnUnansweredAcquireOfAnEndedTryMayHaveBeenGranted) {
  History history = FromLanes("c1: Q-A-----?x  Q-A-----aq", {.limits = {{"max-wait", "10ms"}}});
  const auto is_timeout = [](const Event& event) {
    return event.op == Op::kAcquire && event.type == EventType::kInfo;
  };
  const auto timeout = std::ranges::find_if(history.events, is_timeout);
  ASSERT_NE(timeout, history.events.end());
  timeout->at_ns = (timeout + 1)->at_ns + 1;
  SortByTime(history.events);
  const ClaimVerdict late = CheckMaxWait(history, {});
  EXPECT_EQ(late.outcome, Outcome::kUnknown);
  EXPECT_NE(late.reason.find(", but was granted the key meanwhile, or may have been"),
            std::string::npos)
      << late.reason;
  std::erase_if(history.events, is_timeout);
  EXPECT_EQ(CheckMaxWait(history, {}).outcome, Outcome::kUnknown);
}

// Client 1 gave up its first try before the acquire was granted. It held the key in its second try.
TEST(MaxWait, AnAcquireThatIsGrantedAfterItsTryCounts) {
  History history =
      FromLanes("c1: Q-A-----ax  Q-----------xR-r", {.limits = {{"max-wait", "10ms"}}});
  const auto grant = std::ranges::find_if(history.events, [](const Event& event) {
    return event.op == Op::kAcquire && event.type == EventType::kOk;
  });
  ASSERT_NE(grant, history.events.end());
  grant->at_ns = (grant + 1)->at_ns + 1;
  SortByTime(history.events);
  EXPECT_EQ(CheckMaxWait(history, {}).outcome, Outcome::kUnknown);
}

TEST(MaxWait, IsUnknownWithoutAReadableLimit) {
  const std::string picture = "c1: Q-A--------aq";
  const auto reason = [&](const std::map<std::string, std::string>& limits) {
    const ClaimVerdict verdict = CheckMaxWait(FromLanes(picture, {.limits = limits}), {});
    EXPECT_EQ(verdict.outcome, Outcome::kUnknown);
    return verdict.reason;
  };
  EXPECT_EQ(reason({}), "the run was given no limit of a wait");
  EXPECT_EQ(reason({{"max-wait", "soon"}}), reason({}));
  EXPECT_EQ(reason({{"max-wait", "0s"}}), reason({}));
  EXPECT_EQ(reason({{"commands-per-hold", "5"}}), reason({}));
}

std::string JudgeWaitCause(const std::string& picture, const std::string& lock) {
  const RunVerdict verdict = Judge(
      FromLanes(picture, {.claims = {"max-wait"}, .lock = lock, .limits = {{"max-wait", "10ms"}}}));
  return std::string(Name(verdict.claims.at(0).violations.at(0).cause));
}

TEST(MaxWait, IsCausedByTheMissingQueueOnlyWithoutAFault) {
  const std::string starved =
      "c1:         QA-aq==R-r QA-aq==R-r\nc2:         Q-A--------------x--A-a q";
  EXPECT_EQ(JudgeWaitCause(starved, "set-nx-px"), "no-queue");
  EXPECT_EQ(JudgeWaitCause(starved, "redisson-fair"), "unexplained");
  EXPECT_EQ(JudgeWaitCause(starved + "\npause c1:      []", "set-nx-px"), "unexplained");
  EXPECT_EQ(JudgeWaitCause("c1: Q-A--------aq", "set-nx-px"), "unexplained");
  const std::string in_turn = R"(
      c1:  QA-aq=====R-r
      c3:    Q-A--------aq=====R-r
      c2:      Q-A----------------aq=R-r)";
  EXPECT_EQ(JudgeWaitCause(in_turn, "set-nx-px"), "unexplained")
      << "a queue would grant in the same order";
  const std::string too_late = R"(
      c1:  QA-aq===============R-r
      c2:    Q-A-x------------------A-aq=R-r
      c3:               Q-A-x-A-aq=R-r)";
  EXPECT_EQ(JudgeWaitCause(too_late, "set-nx-px"), "unexplained")
      << "client 2 was overtaken only after the limit";
  const std::string between_its_tries = R"(
      c1:        QA-aq=R-r
      c2:  Q-A-xx            Q-A--------aq)";
  EXPECT_EQ(JudgeWaitCause(between_its_tries, "set-nx-px"), "unexplained")
      << "client 2 was overtaken between its tries";
}

}  // namespace
}  // namespace doublehold
