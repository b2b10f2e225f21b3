#include "checker/claims/library/call_timeout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

// A timeout is 1 ms unless drawn; the grace is 10 ms.
const LaneOptions kCallTimeoutLibrary{.library = LibraryFact{"drawn", "1", {}}};

ClaimVerdict VerdictOnCallTimeout(const std::string& picture,
                                  const LaneOptions& options = kCallTimeoutLibrary) {
  return CheckCallTimeout(FromLanes(picture, options), {});
}

TEST(CallTimeout, IsViolatedByACallAnsweredLaterThanTimeoutAndGrace) {
  const ClaimVerdict late = VerdictOnCallTimeout(R"(
      pause n1:         [---------------]
      c1:        A---?         s A-a=R-r    | 3
      c2:       A-x)");
  EXPECT_EQ(late.outcome, Outcome::kViolated);
  EXPECT_EQ(late.unit, "calls");
  EXPECT_EQ(late.count, 1);
  EXPECT_EQ(late.opportunities, 4);
  EXPECT_EQ(late.reason, "1 of 4 calls had no answer within its time-out and 10ms");
  EXPECT_EQ(late.violations.at(0).sentence,
            "client 1's acquire, sent by 0.001 s, was to be answered within 3ms and was answered "
            "after 14ms; node 1 was stopped (0.008-0.024 s)");
  EXPECT_EQ(late.violations.at(0).from_ns, 1'000'000);
  EXPECT_EQ(late.violations.at(0).to_ns, 15'000'000);
  EXPECT_EQ(late.violations.at(0).fault, 0);
  EXPECT_EQ(late.margins.at(0).value, -1'000'000);
}

TEST(CallTimeout, NamesAFaultOnTheClientsMessagesRatherThanAPause) {
  const ClaimVerdict verdict = VerdictOnCallTimeout(R"(
      slow c1:        []
      partition c1:   [-------]
      pause c2:         []
      c1:             A---?           s
      c2:           A-x)");
  EXPECT_EQ(verdict.violations.at(0).sentence,
            "client 1's acquire, sent by 0.002 s, was to be answered within 1ms and was answered "
            "after 16ms, for 1ms of which at most it stood still; client 1 was cut off "
            "(0.002-0.010 s)");
}

TEST(CallTimeout, NamesAFaultOnAServerRatherThanASlowdownOfTheClient) {
  const std::string sentence = VerdictOnCallTimeout(R"(
      pause n1:       []
      slow c1:          []
      c1:             A---?           s)")
                                   .violations.at(0)
                                   .sentence;
  EXPECT_NE(sentence.find("node 1 was stopped"), std::string::npos) << sentence;
}

struct CallTimeoutDrawn {
  std::string name;
  std::string picture;
  Outcome outcome = Outcome::kUnknown;
  int64_t opportunities = 0;
};

TEST(CallTimeout, OnlyTimeInWhichTheClientRanCounts) {
  const std::vector<CallTimeoutDrawn> drawn{
      {"answered exactly after timeout and grace", R"(
      c1:          A--?       s)",
       Outcome::kValid, 1},
      {"answered 1 ms later", R"(
      c1:          A--?        s)",
       Outcome::kViolated, 1},
      {"a release is late", R"(
      c1:          A-aR--?        s)",
       Outcome::kViolated, 2},
      {"a refusal is late", R"(
      c1:          A-----------sx A-a=R-r)",
       Outcome::kViolated, 3},
      {"a grant is late", R"(
      c1:          A-----------sa=R-r)",
       Outcome::kViolated, 2},
      {"unanswered for longer than timeout and grace", R"(
      c1:          A---?          z)",
       Outcome::kViolated, 1},
      {"unanswered, but not for longer than timeout and grace", R"(
      c1:          A---?        z     | 4)",
       Outcome::kUnknown, 1},
      {"acquires during a late call are not sent", R"(
      c1:          A-?A-xA-x    s)",
       Outcome::kViolated, 1},
      {"acquires after the late answer are sent", R"(
      c1:          A-?A-xA-x    sA-xA-a=R-r)",
       Outcome::kViolated, 4},
      {"its client is paused for longer than the call is late", R"(
      pause c1:         [--]
      c1:          A--?          s)",
       Outcome::kUnknown, 1},
      {"its client is paused for less than the call is late", R"(
      pause c1:         []
      c1:          A--?          s)",
       Outcome::kViolated, 1},
      {"its client is paused before the call", R"(
      pause c1: [--]
      c1:            A--?         s)",
       Outcome::kViolated, 1},
      {"another client is paused", R"(
      pause c2:          [----]
      c1:           A--?          s
      c2:       A-x)",
       Outcome::kViolated, 2},
      {"a node is paused", R"(
      pause n1:         [----]
      c1:          A--?          s)",
       Outcome::kViolated, 1},
      {"its session is slowed", R"(
      slow c1:          [--]
      c1:          A--?          s)",
       Outcome::kUnknown, 1},
      {"its messages are cut off", R"(
      partition c1:      [--]
      c1:           A--?          s)",
       Outcome::kViolated, 1},
      {"its clock is moved", R"(
      jump c1:          [--]
      c1:          A--?          s)",
       Outcome::kViolated, 1},
      {"its client is killed during the call", R"(
      crash c1:         []
      c1:          A--?          s)",
       Outcome::kUnknown, 1},
      {"its client is killed after the call timed out", R"(
      crash c1:              []
      c1:          A-a=R-rA-?)",
       Outcome::kValid, 2},
      {"its client is killed after a later refusal without a hint", R"(
      crash c1:              []
      c1:          A-?A-x)"},
      {"its client is killed after a later refusal with a retry hint", R"(
      crash c1:              []
      c1:          A-?A-t)",
       Outcome::kValid, 2},
      {"its client is killed after an unanswered release and a later refusal", R"(
      crash c1:              []
      c1:          A-aR-?A-x)",
       Outcome::kValid, 1},
      {"its client is killed after an unanswered acquire and an answered release", R"(
      crash c1:              []
      c1:          A-?R-xA-x)",
       Outcome::kValid, 3},
      {"its client is killed after the record of the late answer", R"(
      crash c1:                []
      c1:          A-?     sA-x)",
       Outcome::kValid, 2},
      {"another client is killed", R"(
      crash c2:              []
      c1:           A-?
      c2:           A-x)",
       Outcome::kValid, 2},
      {"a node is killed", R"(
      crash n1:         []
      c1:          A--?          s)",
       Outcome::kViolated, 1},
      {"the client is stalled", R"(
      machine c1:       (--)
      c1:          A--?          s)",
       Outcome::kUnknown, 1},
      {"a node is stalled", R"(
      machine n1:       (--)
      c1:          A--?          s)",
       Outcome::kUnknown, 1},
      {"a node is stalled, mostly before the call", R"(
      machine n1: (------)
      c1:               A--?          s)",
       Outcome::kViolated, 1},
      {"the supervisor is stalled", R"(
      machine supervisor:      (--)
      c1:                 A--?          s)",
       Outcome::kUnknown, 1},
      {"another client is stalled", R"(
      machine c2:          (--)
      c1:             A--?          s
      c2:         A-x)",
       Outcome::kViolated, 2},
      {"one call is certainly late, another is not", R"(
      machine c1:       (--)
      c1:          A--?          s
      c2:          A--?          s)",
       Outcome::kViolated, 2},
      {"sessions of one client are judged separately", R"(
      c1:          A--?          s
      c1.2:            A-x  A-x)",
       Outcome::kViolated, 3},
      {"no call is late", R"(
      c1:          A-a=R-r A-?)",
       Outcome::kValid, 3},
      {"a call without an end in the history is not counted", R"(
      c1:          A-a=R-r A)",
       Outcome::kValid, 2},
      {"there is no call", R"(
      pause c1:    [--])"},
      {"records were lost", R"(
      c1:          A-a=R-r
      lost c1:     *)",
       Outcome::kUnknown, 2},
      {"records were lost, but a call is certainly late", R"(
      c1:          A--?          s
      lost c1:     *)",
       Outcome::kViolated, 1},
  };
  for (const auto& [name, picture, outcome, opportunities] : drawn) {
    const ClaimVerdict verdict = VerdictOnCallTimeout(picture);
    EXPECT_EQ(Name(verdict.outcome), Name(outcome)) << name << ": " << verdict.reason;
    EXPECT_EQ(verdict.opportunities, opportunities) << name;
    EXPECT_EQ(verdict.violations.size(), outcome == Outcome::kViolated ? 1U : 0U) << name;
  }
}

// The answer arrived before its record. It is unknown how much of the stall preceded the answer.
TEST(CallTimeout, AStallAtAnyTimeBetweenCallAndRecordIsSubtracted) {
  const auto check = [](const std::string& machine) {
    History history = FromLanes(machine + R"(
      c1:         A--?                              s)",
                                kCallTimeoutLibrary);
    for (Event& event : history.events) {
      if (event.op == Op::kLateReply) event.value[1] = 14'000'000;
    }
    return CheckCallTimeout(history, {}).outcome;
  };
  EXPECT_EQ(check("machine c1:           (--)"), Outcome::kUnknown);
  EXPECT_EQ(check("machine c1:                         (--)"), Outcome::kUnknown);
  EXPECT_EQ(check("machine c1:                         (-)"), Outcome::kViolated);
  EXPECT_EQ(check("machine c1:                                                  (--)"),
            Outcome::kViolated);
}

// The lock itself sends this release, so the acquire counts as its call.
TEST(CallTimeout, AReleaseThatNoSessionInvokedCountsAsOneMoreCall) {
  History history = FromLanes("c1: A--?                s", kCallTimeoutLibrary);
  Event& reply = history.events.back();
  reply.value = {1'000'000, 13'000'000, 1};
  const ClaimVerdict verdict = CheckCallTimeout(history, {});
  EXPECT_EQ(verdict.opportunities, 2);
  EXPECT_EQ(verdict.violations.at(0).from_ns, 0);
  EXPECT_TRUE(verdict.violations.at(0).sentence.starts_with("client 1's release, sent by 0.007 s"));
  reply.value[2] = 2;
  EXPECT_TRUE(
      CheckCallTimeout(history, {}).violations.at(0).sentence.starts_with("client 1's extension"));
}

TEST(CallTimeout, TheRefereeAndBuiltInLocksAreNotJudged) {
  const std::string late = "c1: A--?                s";
  EXPECT_EQ(VerdictOnCallTimeout(late, {}).outcome, Outcome::kUnknown);
  EXPECT_EQ(VerdictOnCallTimeout(late, {}).reason,
            "no library was asked: the lock is a built-in one");
  History history = FromLanes(late + "\nc2: A-x", kCallTimeoutLibrary);
  for (Event& event : history.events) {
    if (event.client == 1) event.client = kReferee;
  }
  EXPECT_EQ(CheckCallTimeout(history, {}).outcome, Outcome::kValid);
}

}  // namespace
}  // namespace doublehold
