#include "checker/explain/violation_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "checker/evidence/names.h"
#include "checker/explain/ascii_timeline.h"
#include "checker/judge.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

constexpr char kStopped[] = R"(
      c1:          A-a=g===!========W-w=R-x      | 5 5>4
      c2:                       A-a==R-r
      pause c1:          [---------]
      final:                                   * | 4/1)";

ClaimVerdict JudgeExclusion(const std::string& lanes) {
  return Judge(FromLanes(lanes)).claims.at(0);
}

std::string JoinSteps(const std::string& lanes) {
  const ClaimVerdict verdict = JudgeExclusion(lanes);
  std::string story;
  for (const StoryStep& step : verdict.violations.at(0).steps)
    story += At(step.at_ns) + ": " + step.text + "\n";
  return story;
}

TEST(Narrate, DescribesBothHoldsInTimeOrder) {
  EXPECT_EQ(JoinSteps(kStopped),
            "0.002 s: client 1 was granted the key, having asked at 0.000 s; its lease ran until "
            "0.008 s\n"
            "0.004 s: client 1 read stock 5\n"
            "0.006 s: client 1 was stopped (0.006-0.016 s)\n"
            "0.008 s: client 1's lease was over\n"
            "0.015 s: client 2 was granted the key, having asked at 0.013 s; its lease ran until "
            "1.013 s\n"
            "0.017 s: client 1 wrote 4, having read 5; that was answered at 0.019 s\n"
            "0.018 s: client 2 released the key, which was answered at 0.020 s\n"
            "0.021 s: client 1 tried to release the key, and was refused: not its owner\n");
}

// A release by DEL does not check the owner.
TEST(Narrate, TellsWhatAReleaseWithoutACheckOfTheOwnerFreed) {
  const std::string lanes = R"(
      c1:    A-a==!========R-f
      c2:             A-a============R-x
      c3:                      A-a=========R-r)";
  const auto tell = [&](bool unchecked, bool library, const std::string& lock = "drawn") {
    History history = FromLanes(lanes, {.lock = lock});
    if (library) history.facts.library = LibraryFact{"mine", "1", {"lease"}};
    for (Event& event : history.events) {
      if (event.op == Op::kRelease && event.type == EventType::kFail && unchecked)
        event.value = {1};
    }
    std::string story;
    for (const ClaimVerdict& claim : Judge(history).claims) {
      for (const StoryStep& step : claim.violations.at(0).steps) story += step.text + "\n";
    }
    return story;
  };
  const std::string built_in = tell(/*unchecked=*/true, /*library=*/false);
  EXPECT_NE(built_in.find("client 1 released the key without checking its owner, and freed the "
                          "lock of client 2; it was answered at 0.016 s\n"),
            std::string::npos)
      << built_in;
  EXPECT_NE(built_in.find("client 2 released the key without checking its owner, and the key was "
                          "gone\n"),
            std::string::npos)
      << built_in;
  const std::string looks_first = tell(/*unchecked=*/true, /*library=*/false, "set-nx-px-get-del");
  EXPECT_NE(looks_first.find("client 2 released the key, whose owner it had checked before, and "
                             "the key was gone\n"),
            std::string::npos)
      << looks_first;
  const std::string library = tell(/*unchecked=*/false, /*library=*/true);
  EXPECT_NE(library.find("client 2 released the key, and was told that the lock was no longer its "
                         "own\n"),
            std::string::npos)
      << library;
}

TEST(Narrate, DoesNotSayThatALeaseIsOverWhichAWatchdogMayHaveExtended) {
  LaneOptions options;
  options.library = LibraryFact{"drawn", "1", {"lease", "watchdog"}};
  const ClaimVerdict verdict = Judge(FromLanes(kStopped, options)).claims.at(0);
  std::string story;
  for (const StoryStep& step : verdict.violations.at(0).steps) story += step.text + "\n";
  EXPECT_NE(story.find("client 1 was granted the key, having asked at 0.000 s; its lease was "
                       "certain only until 0.008 s\n"),
            std::string::npos)
      << story;
  EXPECT_NE(story.find("client 1's lease was over, unless its watchdog had extended it\n"),
            std::string::npos)
      << story;
}

// The reply to DECR shows the new stock.
TEST(Narrate, ReportsTheNewStockOfAWrite) {
  const std::string decremented = R"(
      c1:          A-a=g=====!=======W-w=R-x    | 5 5>3
      c2:                       A-a==gW-w=R-r   | 5 5>4
      final:                                   * | 3/2)";
  const ClaimVerdict verdict =
      Judge(FromLanes(decremented, {.write = "check-then-decr"})).claims.at(0);
  std::string story;
  for (const StoryStep& step : verdict.violations.at(0).steps) story += step.text + "\n";
  EXPECT_NE(story.find("client 1 took the stock to 3, having read 5; that was answered at "),
            std::string::npos)
      << story;
  EXPECT_NE(story.find("client 2 took the stock to 4, having read 5; that was answered at "),
            std::string::npos)
      << story;
}

TEST(Narrate, DescribesFailedRenewalsAndTheLastSuccessfulOne) {
  const std::string story = JoinSteps(R"(
      c1:          A-aE-e=E-e!=E-x==W-x======R-x | 5>4
      c2:                       A-a==R-r)");
  for (const char* told : {"client 1 was granted the key, having asked at 0.000 s; its lease ran "
                           "until 1.000 s\n",
                           "client 1 was to write 4, having read 5, and was refused\n",
                           "client 1's lease was extended until 0.010 s, the last of 2 times\n",
                           "client 1 asked to extend its lease, and was refused at 0.014 s\n"}) {
    EXPECT_NE(story.find(told), std::string::npos) << story;
  }
}

TEST(Narrate, AnUnansweredReadIsListedAtItsInvocation) {
  History history = FromLanes(kStopped);
  std::erase_if(history.events, [](const Event& event) {
    return event.op == Op::kRead && event.type == EventType::kOk;
  });
  const ClaimVerdict verdict = Judge(history).claims.at(0);
  const auto& steps = verdict.violations.at(0).steps;
  const auto asked = std::ranges::find(steps, "client 1 asked for the stock, and was not answered",
                                       &StoryStep::text);
  ASSERT_NE(asked, steps.end());
  EXPECT_EQ(At(asked->at_ns), "0.004 s");
}

TEST(Narrate, AFaultComesBeforeTheCallThatItMadeFail) {
  History history = FromLanes(kStopped);
  std::erase_if(history.events, [](const Event& event) {
    return event.op == Op::kRead && event.type == EventType::kOk;
  });
  const auto asked_ns = std::ranges::find(history.events, Op::kRead, &Event::op)->at_ns;
  for (Event& event : history.events) {
    if (event.op == Op::kFault && event.type == EventType::kInvoke) event.at_ns = asked_ns;
  }
  std::ranges::stable_sort(history.events, {}, &Event::at_ns);
  const ClaimVerdict verdict = Judge(history).claims.at(0);
  const auto& steps = verdict.violations.at(0).steps;
  const auto fault = std::ranges::find(steps, FactKind::kFaultBegan, &StoryStep::what);
  const auto call = std::ranges::find(steps, FactKind::kUnanswered, &StoryStep::what);
  ASSERT_TRUE(fault != steps.end() && call != steps.end());
  EXPECT_EQ(fault->at_ns, call->at_ns);
  EXPECT_LT(fault, call);
}

std::string JoinFacts(const std::string& lanes) {
  const ClaimVerdict verdict = JudgeExclusion(lanes);
  std::string facts;
  for (const StoryStep& step : verdict.violations.at(0).steps)
    facts += step.who + " " + std::string(Name(step.what)) + "\n";
  return facts;
}

TEST(Narrate, EveryStepHasASessionOrFaultAndAKind) {
  EXPECT_EQ(JoinFacts(kStopped),
            "client 1 granted\n"
            "client 1 read\n"
            "pause c1 fault-began\n"
            "client 1 lease-ended\n"
            "client 2 granted\n"
            "client 1 wrote\n"
            "client 2 released\n"
            "client 1 refused\n");
  EXPECT_EQ(JoinFacts(R"(
      c1:          A-aE-e=E-e!=E-x===========R-?
      c2:                       A-a==R-r)"),
            "client 1 granted\n"
            "client 1 renewed\n"
            "client 1 lease-ended\n"
            "client 1 refused\n"
            "client 2 granted\n"
            "client 2 released\n"
            "client 1 unanswered\n");
}

TEST(Narrate, NamesEachFaultBehindAViolationOnce) {
  const std::string late = R"(
      c2:                       A-a==R-r
      c1:          A-a=)";
  const std::string drop = "\n      drop c1:       [--]";
  for (const auto& [lanes, who] :
       {std::pair{late + "====!========R-x\n      slow c1:       [--]", "slow c1"},
        {late + "E===!-----?====R-x" + drop, "drop c1"},
        {late + "W===!----------w=R-x | 5>4" + drop + drop, "drop c1"}}) {
    const std::string facts = JoinFacts(lanes);
    const std::string fault = who + std::string(" fault-began\n");
    EXPECT_NE(facts.find(fault), std::string::npos) << lanes << facts;
    EXPECT_EQ(facts.find(fault), facts.rfind(fault)) << lanes << facts;
  }
}

TEST(Narrate, AFaultIsNamedWithItsTarget) {
  for (const std::string target : {" n1", ""}) {
    const std::string facts = JoinFacts(R"(
      c1:          A-a================R-r
      c2:                    A-a==R-r
      restart)" + target + ":            [-]");
    EXPECT_NE(facts.find("\nrestart" + target + " fault-began\n"), std::string::npos) << facts;
  }
}

// Writes the spans and marks of a lane, with times in ms.
std::string DescribeLane(const DrawnLane& lane) {
  const auto ms = [](int64_t ns) { return std::to_string(ns / 1'000'000); };
  std::string text = lane.name + ":";
  for (const DrawnSpan& span : lane.spans)
    text += " " + std::string(Name(span.state)) + " " + ms(span.from_ns) + "-" + ms(span.to_ns);
  text += " |";
  for (const DrawnMark& mark : lane.marks) {
    text += std::string(" ") + mark.letter + ms(mark.at_ns);
    if (!mark.text.empty()) text += " (" + mark.text + ")";
  }
  return text + "\n";
}

TEST(Drawing, HasTheSpansAndMarksOfEachSessionAndFault) {
  const ViolationDrawing drawing = JudgeExclusion(kStopped).violations.at(0).drawing;
  std::string lanes;
  for (const DrawnLane& lane : drawing.lanes) lanes += DescribeLane(lane);
  EXPECT_EQ(lanes,
            "client 1: waiting 0-2 held 2-21 live 2-8 calling 4-4 calling 17-19 may 0-23 must 2-8 |"
            " A0 a2 g4 (read 5) !8 (lease over) W17 w19 (wrote 4) R21 x23\n"
            "client 2: waiting 13-15 held 15-18 live 15-18 may 13-20 must 15-18 | A13 a15 R18 r20\n"
            "pause c1: acting 6-16 | [6 (client 1 was stopped (0.006-0.016 s)) ]16\n");
  EXPECT_EQ(drawing.times_ns,
            (std::vector<int64_t>{2'000'000, 8'000'000, 15'000'000, 18'000'000, 21'000'000}));
  EXPECT_EQ(drawing.lanes.at(0).client, 1);
  EXPECT_EQ(drawing.lanes.at(0).fault, -1);
  EXPECT_EQ(drawing.lanes.at(2).fault, 0);
}

TEST(Drawing, AnUnansweredCallHasNoAnswerMark) {
  const ViolationDrawing drawing = JudgeExclusion(R"(
      c1:          A-a=S-kE==W==!====R---      | 7 5>4
      c2:                         A-a=R-f)")
                                       .violations.at(0)
                                       .drawing;
  EXPECT_EQ(DescribeLane(drawing.lanes.at(0)),
            "client 1: waiting 0-2 held 2-18 live 2-13 calling 4-6 may 0-21 must 2-13 |"
            " A0 a2 S4 s6 (saved 7) E7 W10 (write unanswered) !13 (lease over) R18\n");
  EXPECT_EQ(
      DescribeLane(drawing.lanes.at(1)),
      "client 2: waiting 15-17 held 17-19 live 17-19 may 15-21 must 17-18 | A15 a17 R19 f21\n");
}

TEST(Drawing, AGrantShowsItsToken) {
  const ViolationDrawing drawing = JudgeExclusion(R"(
      c1:          A-a====R-r        | #4
      c2:             A-a===R-r)")
                                       .violations.at(0)
                                       .drawing;
  EXPECT_EQ(DescribeLane(drawing.lanes.at(0)),
            "client 1: waiting 0-2 held 2-7 live 2-7 may 0-9 must 2-7 | A0 a2 (token 4) R7 r9\n");
  EXPECT_EQ(DescribeLane(drawing.lanes.at(1)),
            "client 2: waiting 3-5 held 5-9 live 5-9 may 3-11 must 5-9 | A3 a5 R9 r11\n");
}

TEST(Drawing, AHoldIsNotLiveBetweenItsLeaseAndALateRenewal) {
  const ViolationDrawing drawing = JudgeExclusion(R"(
      c1:          A-a===!......E--e====!=====R-r
      c2:                       A-a======R-r)")
                                       .violations.at(0)
                                       .drawing;
  std::string live;
  for (const DrawnSpan& span : drawing.lanes.at(0).spans) {
    if (span.state != SpanState::kLive) continue;
    live += std::to_string(span.from_ns / 1'000'000) + "-" +
            std::to_string(span.to_ns / 1'000'000) + " ";
  }
  EXPECT_EQ(live, "2-6 16-21 ");
}

// The service broke its promise to client 1, so another's grant does not end what it may have.
TEST(Drawing, WhereASessionMustHaveADoublyGrantedLockItAlsoMay) {
  History history = FromLanes(R"(
      c1:          A-a==                   !
      crash c1:       []
      c2:                  A-a====R-r)");
  history.facts.claims = {"lease-exclusion"};
  const ClaimVerdict claim = Judge(history).claims.at(0);
  ASSERT_EQ(claim.violations.size(), 1U) << claim.reason;
  EXPECT_EQ(DescribeLane(claim.violations.at(0).drawing.lanes.at(0)),
            "client 1: waiting 0-2 held 2-3 live 2-3 may 0-17 must 2-17 | A0 a2 .3\n");
}

TEST(Drawing, EveryDescribedViolationHasADrawing) {
  const ClaimVerdict verdict = JudgeExclusion(R"(
      c1:          A-a===!========================R-x
      c2:                A-a==R-r
      c3:                         A-a==R-r)");
  ASSERT_EQ(verdict.violations.size(), 2U);
  EXPECT_EQ(verdict.violations.at(1).drawing.lanes.at(1).name, "client 3");
}

TEST(AsciiTimeline, DrawsALaneForEachSessionAndFaultAndTheTimesBelow) {
  EXPECT_EQ("\n" + ToAscii(JudgeExclusion(kStopped).violations.at(0).drawing), R"(
  client 1  A-----a=====g===========!======================W-------w=======R-----x
  client 2                                   A-----a===========R-------r
  pause c1                    [------------------------]
                  0.002             0.008          0.015       0.018       0.021 s
)");
}

TEST(AsciiTimeline, FillsItsWidthHoweverShortTheTime) {
  const ViolationDrawing drawing{
      .lanes = {{.name = "c1", .marks = {{0, 'A', '-'}, {1, 'a', '='}, {2, 'R', ' '}}}},
      .times_ns = {}};
  EXPECT_EQ(ToAscii(drawing),
            "  c1  A" + std::string(36, '-') + "a" + std::string(36, '=') + "R\n       s\n");
}

// Each instant has one column, and a time takes five.
TEST(AsciiTimeline, OmitsATimeThatWouldTouchTheOneBefore) {
  DrawnLane lane{.name = "c1"};
  for (int64_t at_ns = 0; at_ns < 80; ++at_ns) lane.marks.push_back({at_ns, 'x', '-'});
  const std::string text = ToAscii({.lanes = {lane}, .times_ns = {0, 5, 6, 11}});
  EXPECT_TRUE(text.ends_with("\n      0.000 0.000 s\n")) << text;
}

TEST(AsciiTimeline, IsEmptyWithoutLanes) {
  const History stuck =
      FromLanes("c1:         A-----\ncrash c1:      []\nexpiry:               *  | -1",
                {.claims = {"liveness"}});
  EXPECT_EQ(Judge(stuck).claims.at(0).violations.size(), 1U);
  EXPECT_EQ(ToAscii(Judge(stuck).claims.at(0).violations.at(0).drawing), "");
}

}  // namespace
}  // namespace doublehold
