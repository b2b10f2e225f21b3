#include "checker/claims/library/call_timeout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

// A timeout is 1 ms unless it is drawn; the grace is 10 ms.
const LaneOptions kOfLibrary{.library = LibraryFact{"drawn", "1", {}}};

ClaimVerdict VerdictOnCallTimeout(const std::string& picture,
                                  const LaneOptions& options = kOfLibrary) {
  return CheckCallTimeout(FromLanes(picture, options), {});
}

TEST(CallTimeout, IsViolatedByACallThatIsAnsweredLongAfterItsTimeOut) {
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

TEST(CallTimeout, PrefersToNameAFaultOnTheServersOverAPauseOfTheClient) {
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

struct CallTimeoutDrawn {
  std::string name;
  std::string picture;
  Outcome outcome = Outcome::kUnknown;
  int64_t opportunities = 0;
};

TEST(CallTimeout, IsDecidedByTheTimeInWhichItsClientRan) {
  const std::vector<CallTimeoutDrawn> drawn{
      {"at its time-out and grace", R"(
      c1:          A--?       s)",
       Outcome::kValid, 1},
      {"a ms after", R"(
      c1:          A--?        s)",
       Outcome::kViolated, 1},
      {"a release", R"(
      c1:          A-aR--?        s)",
       Outcome::kViolated, 2},
      {"one that is refused, late", R"(
      c1:          A-----------sx A-a=R-r)",
       Outcome::kViolated, 3},
      {"one that is granted, late", R"(
      c1:          A-----------sa=R-r)",
       Outcome::kViolated, 2},
      {"never, for long", R"(
      c1:          A---?          z)",
       Outcome::kViolated, 1},
      {"never, and not waited for", R"(
      c1:          A---?        z     | 4)",
       Outcome::kUnknown, 1},
      {"what is asked for meanwhile is not sent", R"(
      c1:          A-?A-xA-x    s)",
       Outcome::kViolated, 1},
      {"but it is once that is answered", R"(
      c1:          A-?A-xA-x    sA-xA-a=R-r)",
       Outcome::kViolated, 4},
      {"its client is stopped", R"(
      pause c1:         [--]
      c1:          A--?          s)",
       Outcome::kUnknown, 1},
      {"its client is stopped, but not for so long", R"(
      pause c1:         []
      c1:          A--?          s)",
       Outcome::kViolated, 1},
      {"its client is stopped before", R"(
      pause c1: [--]
      c1:            A--?         s)",
       Outcome::kViolated, 1},
      {"another is stopped", R"(
      pause c2:          [----]
      c1:           A--?          s
      c2:       A-x)",
       Outcome::kViolated, 2},
      {"a node is stopped", R"(
      pause n1:         [----]
      c1:          A--?          s)",
       Outcome::kViolated, 1},
      {"its session is kept at a step", R"(
      slow c1:          [--]
      c1:          A--?          s)",
       Outcome::kUnknown, 1},
      {"its messages are kept", R"(
      partition c1:      [--]
      c1:           A--?          s)",
       Outcome::kViolated, 1},
      {"its clock is moved", R"(
      jump c1:          [--]
      c1:          A--?          s)",
       Outcome::kViolated, 1},
      {"its client is killed", R"(
      crash c1:         []
      c1:          A--?          s)",
       Outcome::kUnknown, 1},
      {"its client is killed when it has given up", R"(
      crash c1:              []
      c1:          A-a=R-rA-?)",
       Outcome::kValid, 2},
      {"and was refused since, perhaps unasked", R"(
      crash c1:              []
      c1:          A-?A-x)"},
      {"or told who has the key", R"(
      crash c1:              []
      c1:          A-?A-t)",
       Outcome::kValid, 2},
      {"its client is killed after a release that it gave up, and was refused", R"(
      crash c1:              []
      c1:          A-aR-?A-x)",
       Outcome::kValid, 1},
      {"or that was", R"(
      crash c1:              []
      c1:          A-?R-xA-x)",
       Outcome::kValid, 3},
      {"its client is killed after what it was answered late", R"(
      crash c1:                []
      c1:          A-?     sA-x)",
       Outcome::kValid, 2},
      {"another is killed", R"(
      crash c2:              []
      c1:           A-?
      c2:           A-x)",
       Outcome::kValid, 2},
      {"a node is killed", R"(
      crash n1:         []
      c1:          A--?          s)",
       Outcome::kViolated, 1},
      {"the machine stalls it", R"(
      machine c1:       (--)
      c1:          A--?          s)",
       Outcome::kUnknown, 1},
      {"the machine stalls a node", R"(
      machine n1:       (--)
      c1:          A--?          s)",
       Outcome::kUnknown, 1},
      {"the machine stalled a node mostly before", R"(
      machine n1: (------)
      c1:               A--?          s)",
       Outcome::kViolated, 1},
      {"the machine stalls the supervisor", R"(
      machine supervisor:      (--)
      c1:                 A--?          s)",
       Outcome::kUnknown, 1},
      {"the machine stalls another", R"(
      machine c2:          (--)
      c1:             A--?          s
      c2:         A-x)",
       Outcome::kViolated, 2},
      {"one that is late for certain beside one that is not", R"(
      machine c1:       (--)
      c1:          A--?          s
      c2:          A--?          s)",
       Outcome::kViolated, 2},
      {"threads of one client are asked for apart", R"(
      c1:          A--?          s
      c1.2:            A-x  A-x)",
       Outcome::kViolated, 3},
      {"nothing is late", R"(
      c1:          A-a=R-r A-?)",
       Outcome::kValid, 3},
      {"what is not answered within the history counts for nothing", R"(
      c1:          A-a=R-r A)",
       Outcome::kValid, 2},
      {"nothing is asked for", R"(
      pause c1:    [--])"},
      {"records were lost", R"(
      c1:          A-a=R-r
      lost c1:     *)",
       Outcome::kUnknown, 2},
      {"records were lost beside one that is late", R"(
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

// The answer came before its record: how much of the stall lay before it is unknown.
TEST(CallTimeout, AStallAtAnyTimeBetweenCallAndRecordIsSubtracted) {
  const auto check = [](const std::string& machine) {
    History history = FromLanes(machine + R"(
      c1:         A--?                              s)",
                                kOfLibrary);
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

// The lock itself sends this release: its call is the acquire.
TEST(CallTimeout, AReleaseThatNobodyInvokedCountsAsOneMoreCall) {
  History history = FromLanes("c1: A--?                s", kOfLibrary);
  Event& reply = history.events.back();
  reply.value = {1'000'000, 13'000'000, 1};
  const ClaimVerdict verdict = CheckCallTimeout(history, {});
  EXPECT_EQ(verdict.opportunities, 2);
  EXPECT_EQ(verdict.violations.at(0).from_ns, 0);
  EXPECT_TRUE(verdict.violations.at(0).sentence.starts_with("client 1's release, sent by 0.007 s"));
}

TEST(CallTimeout, TheRefereeAndBuiltInLocksAreNotJudged) {
  const std::string late = "c1: A--?                s";
  EXPECT_EQ(VerdictOnCallTimeout(late, {}).outcome, Outcome::kUnknown);
  EXPECT_EQ(VerdictOnCallTimeout(late, {}).reason,
            "no library was asked: the lock is a built-in one");
  History history = FromLanes(late + "\nc2: A-x", kOfLibrary);
  for (Event& event : history.events) {
    if (event.client == 1) event.client = kReferee;
  }
  EXPECT_EQ(CheckCallTimeout(history, {}).outcome, Outcome::kValid);
}

}  // namespace
}  // namespace doublehold
