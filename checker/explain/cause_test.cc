#include "checker/explain/cause.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "checker/judge.h"
#include "checker/testing/ascii_history.h"
#include "checker/testing/testing_causes.h"

namespace doublehold {
namespace {

using testing::CauseOf;
using testing::ExpectCauses;
using testing::kBoth;

// c1 is 12 ms late. A fault that delayed c1 for long enough is the cause.
const std::string kCauseLate = R"(
      c1:          A-a==W--!---------w=R-x       | 5>4
      c2:                       A-a==R-r)";

TEST(Cause, ALostMessageDelaysItsClientForLongerThanTheFaultLasts) {
  const std::string waits = R"(
      c1:               A-a==W--!-------?=R-x           | 5>4
      c2:                           A-a=====R-r)";
  ExpectCauses({
      {"exclusion", waits, "overran"},
      {"exclusion", waits + "\n      drop c1:               []", "message-held"},
      {"exclusion", waits + "\n      black-hole c1:         []", "message-held"},
      {"exclusion", waits + "\n      hold c1:               []",
       "overran"},  // the message arrived a moment later
      {"exclusion", waits + "\n      drop c1:                             []",
       "overran"},  // the fault was not active during the wait
      {"exclusion", waits + "\n      drop c2:               []", "overran"},
      {"exclusion", waits + "\n      drop c1:             []",
       "unexplained"},  // ended before the wait, but perhaps the client waited for something else
  });
}

TEST(Cause, AStoppedLockServerDelaysTheAcquireToo) {
  const std::string late = R"(
      c1:          A--------a==!======R-x
      c2:                       A-a=R-r)";
  ExpectCauses({
      {"exclusion", late, "overran"},
      {"exclusion", late + "\n      pause n1:     [------]", "message-held"},
      {"exclusion", late + "\n      pause n1:                [--]", "overran"},
      // node 0 is the store: an acquire does not wait for it
      {"exclusion", late + "\n      pause n0:     [------]", "overran"},
      // the acquire was sent at the instant at which the fault ended, so it may have been lost
      {"exclusion", late + "\n      drop c1:    []", "message-held"},
  });
}

TEST(Cause, AFaultThatDelayedALateHolderForLongEnoughIsTheCause) {
  ExpectCauses({
      {"exclusion", kCauseLate + "\n      pause c1:         [-----------]", "stopped"},
      {"exclusion", kCauseLate + "\n      hold c1:          [-----------]", "message-held"},
      {"exclusion", kCauseLate + "\n      partition c1:     [-----------]", "message-held"},
      {"exclusion", kCauseLate + "\n      pause n0:         [-----------]", "message-held"},
      {"exclusion", kCauseLate + "\n      restart n0:       [-----------]", "message-held"},
      {"exclusion", kCauseLate + "\n      snapshot n0:      [-----------]", "message-held"},
      // The fault is on a lock server, and no session waited for it.
      {"exclusion", kCauseLate + "\n      restart n1:       [-----------]", "overran"},
      {"exclusion", kCauseLate + "\n      crash n1:         [-----------]", "overran"},
      {"exclusion", kCauseLate + "\n      slow c1:          [-----------]", "overran"},
      {"exclusion", kCauseLate, "overran"},
      // The fault caused most of the lateness. The lease ended during the fault, or before it.
      {"exclusion", kCauseLate + "\n      pause c1:         [-------]", "stopped"},
      {"exclusion", kCauseLate + "\n      pause c1:             [-------]", "overran"},
      // Each fault is too short to explain the lateness; only both together do.
      {"exclusion", kCauseLate + "\n      pause c1:         [---]", "overran"},
      {"exclusion", kCauseLate + "\n      hold c1:          [---]", "overran"},
      {"exclusion",
       kCauseLate + "\n      pause c1:         [----]\n      hold c1:               [------]",
       "unexplained"},
      // The messages were delayed while the client waited for no answer.
      {"exclusion", R"(
      c1:          A-a=====!=========W-w=R-x       | 5>4
      c2:                       A-a==R-r
      delay c1:        [------------])",
       "overran"},
      // The fault is on another client.
      {"exclusion", kCauseLate + "\n      pause c2:         [-----------]", "overran"},
  });
}

// The renewal was refused because the key was gone, so the loss of the key is the cause.
TEST(Cause, TheLossOfTheKeyExplainsARefusedRenewal) {
  const std::string refused = R"(
      c1:          A-a=====E-x====!==W-w=R-x   | 5>4
      c2:                A-a=g============R-r  | 5)";
  ExpectCauses({
      {"exclusion", refused + "\n      jump n1:      [-------------------]   | 2000",
       "server-clock"},
      {"exclusion", refused + "\n      restart n1:   []", "node-restarted"},
  });
  const std::string late = R"(
      c1:          A-a=====E-x====!=======R-x
      c2:                             A-a==R-r)";
  ExpectCauses({
      {"exclusion", late, "renewal-failed"},
      {"exclusion", late + "\n      restart n1:   []", "unexplained"},
      {"exclusion", late + "\n      restart n0:   []", "renewal-failed"},  // the store has no key
      // The renewal was refused at the instant at which the lease ended.
      {"exclusion",
       R"(
      c1:          A-a=====E-x=======R-x
      c2:                     A-a==R-r
      restart n1:   [])",
       "unexplained",
       {.asked_lease = 10ms}},
      // The renewal was refused after the lease had ended.
      {"exclusion", R"(
      c1:          A-a=E===!------x===R-x
      c2:                       A-a==R-r
      restart n1:   [])",
       "renewal-failed"},
  });
}

TEST(Cause, AFailedRenewalExplainsAnExpiredLease) {
  ExpectCauses({
      {"exclusion", R"(
      c1:          A-a=E===!-----?====R-x
      c2:                       A-a==R-r)",
       "renewal-failed"},
      {"exclusion", R"(
      c1:          A-a=E-x=!==========R-x
      c2:                       A-a==R-r)",
       "renewal-failed"},
      {"exclusion", R"(
      c1:          A-aE-e==!==========R-x
      c2:                       A-a==R-r)",
       "overran"},
  });
}

TEST(Cause, ALostTokenCounterExplainsADecreasingToken) {
  const std::string back = R"(
      c1:          A-a===R-r                  | #5
      c2:                       A-a==R-r      | #1)";
  const auto after = [&](const std::string& fault) {
    History history = FromLanes(back + "\n" + fault, {.claims = {"fencing"}});
    return history;
  };
  ExpectCauses({{"fencing", back + "\n      restart n1:           []", "counter-went-back"},
                {"fencing", back + "\n      flush n1:             []", "counter-went-back"},
                {"fencing", back + "\n      flush n0:             []",
                 "unexplained"},  // the store has no token counter
                {"fencing", back, "unexplained"},
                {"fencing",
                 "c1:          A-a===R-r     | #5\nc2:                A-a==R-r      | "
                 "#1\nrestart n1:[]",
                 "unexplained"}});  // the restart was before both grants
  History deleted = after("delete-key n1:              []");
  EXPECT_EQ(CauseOf(deleted, "fencing"), "counter-went-back");
  deleted.facts.faults[0].key = "item-0";  // the key of a lock, not the counter
  EXPECT_EQ(CauseOf(deleted, "fencing"), "unexplained");
  deleted.facts.faults[0].key = "item-0:token";
  EXPECT_EQ(CauseOf(deleted, "fencing"), "counter-went-back");
  History kept = after("restart n1:                 []");
  kept.facts.faults[0].keeps_data = true;
  EXPECT_EQ(CauseOf(kept, "fencing"), "unexplained");
}

TEST(Cause, AStaleWriteIsTakenIfTheStoreHasSeenNoNewerToken) {
  const std::string taken = R"(
      c1:          A-a=g===!======W-w=R-x                 | #1 1 1>0#1
      c2:                       A-a=g=====W-w==R-r        | #2 1 1>0#2
      final:                                         *    | 0/2)";
  const std::string anew = R"(
      c1:          A-a=g==========W-w=R-x                 | #1 1 1>0#1
      c2:                       A-a=g=====W-w==R-r        | #1 1 1>0#1
      restart n1:      [-]
      final:                                         *    | 0/2)";
  // The client whose reply came late may have been granted the lock first.
  const std::string late_reply = R"(
      c1:          A-------------a=g======W-w=R-x         | #1 1 1>0#1
      c2:              A-a=g=====W-w==R-r                 | #2 1 1>0#2
      flush n1:   []
      final:                                         *    | 0/2)";
  // The lock grants tokens, but the writes do not show them.
  const std::string hidden = R"(
      c1:          A-a=g===!======W-w=R-x                 | #1 1 1>0
      c2:                       A-a=g=====W-w==R-r        | #2 1 1>0
      final:                                         *    | 0/2)";
  const LaneOptions fenced{.stock = 1, .write = "fenced"};
  ExpectCauses(
      {{"stock", taken, "stale-write-taken", fenced},
       {"stock", hidden, "overran", {.stock = 1}},
       {"stock", hidden + "\n      pause c1:         [---------]", "stopped", {.stock = 1}},
       {"stock", anew, "counter-went-back", fenced},
       {"stock", late_reply, "key-removed", fenced},
       // One write with a token overwrote the initial stock.
       {"stock",
        R"(
      c1:          A-a=g=W-w=R-r                          | #1 3#1 3>2#1
      final:                                         *    | 2/1)",
        "unexplained",
        {.stock = 5, .write = "fenced"}}});
}

TEST(Cause, AStoreThatLostDataExplainsWrongDataThatNothingElseExplains) {
  const std::string missing = R"(
      c1:          A-a=g=W-w=R-x                 | 1 1>0
      final:                           *         | 0/0)";
  const std::string read_again = R"(
      c1:          A-a=g=W-w=R-r                       | 2 2>1
      c2:                          A-a=g=W-w=R-r       | 2 2>1
      final:                                        *  | 1/2)";
  const std::string overlap = R"(
      c1:          A-a=g========W-w=R-x                | 2 2>1
      c2:             A-a=g=W-w===========R-r          | 2 2>1
      final:                                        *  | 1/2)";
  const std::string saved_twice = R"(
      c1:          A-a=S-k=R-r                   | 7
      c2:                        A-a=S-k=R-r     | 7)";
  const std::string late_save = R"(
      c1:          A-a=S-k=R-r                         | 7
      c2:                        A-a==!==S-k=R-r       | 7)";
  const std::string late_release = R"(
      c1:          A-a=S-k==!===R-r                    | 7
      c2:                             A-a=S-k=R-r      | 7)";
  const std::string sold_again = R"(
      c1:          A-a=g=W--?==g=W-w=R-r               | 5 5>4 4 4>3
      c2:                                 A-a=g=w=R-r  | 3 3>2
      final:                                        *  | 2/2)";
  const LaneOptions two{.stock = 2}, watch{.write = "watch"};
  ExpectCauses({
      {"stock", missing, "unexplained", {.stock = 1}},
      {"stock", missing + "\n      flush n0:                  []", "store-lost-data", {.stock = 1}},
      {"stock", missing + "\n      flush n1:                  []", "unexplained", {.stock = 1}},
      {"stock", read_again, "unexplained", two},
      {"stock", read_again + "\n      restart n0:            []", "store-lost-data", two},
      {"stock", read_again + "\n      restart n0:[]", "unexplained", two},
      {"stock", read_again + "\n      restart n0:                                      []",
       "unexplained", two},
      {"stock", overlap + "\n      restart n0:            []", "unexplained", two},
      {"stock", sold_again, "resent", watch},
      {"stock", sold_again + "\n      restart n0:            []", "resent", watch},
      {"exactly-once", late_save, "overran"},
      {"exactly-once", late_release, "unexplained"},  // both tasks were saved within their leases
      {"exactly-once", saved_twice, "unexplained"},
      {"exactly-once", saved_twice + "\n      restart n0:            []", "store-lost-data"},
  });
}

TEST(Cause, AKilledClientOrNodeExplainsAStuckKey) {
  ExpectCauses({
      {"liveness", "c1:         A-----\ncrash c1:      []\nexpiry:               *  | -1",
       "never-expires"},
      {"liveness", "c1:         A-x\ncrash c1:      []\nexpiry:               *  | -1",
       "unexplained"},
      {"liveness", "c1:         A-x\ncrash c1:    []\nexpiry:               *  | -1",
       "unexplained"},  // refused, so it left no key
      {"liveness",
       "c1:         A-a=R--\ncrash c1:          []\nprobe:                P---------------x",
       "never-expires"},
      {"liveness",
       "c1:         A-a=R-r\ncrash c1:           []\nprobe:                P---------------x",
       "unexplained"},
      {"liveness", "c1:         A-a==\ncrash c1:      []\nprobe:              P---------------x",
       "never-expires"},
      {"liveness", "c1:         A-a==R-r\ncrash n1:      []\nprobe:              P---------------x",
       "node-down"},
      {"liveness",
       "c1:         A-a==R-r\ncrash n1:      []\nprobe:              P---------------x",
       "unexplained",
       {.nodes = 2}},
      {"liveness", "c1:         A-a==R-r\nprobe:              P---------------x", "unexplained"},
      {"liveness",
       "c1:         A-a==\ncrash c1:      []\ncrash n1:        []\nprobe:              "
       "P---------------x",
       "unexplained"},  // either crash explains it
      {"liveness",
       "c1:         A-----\ncrash c1:      []\nc2:              A-a=R-r\nexpiry:                   "
       " "
       "*  | -1",
       "unexplained"},  // the key was granted after the kill
      {"liveness",
       "c1:         A-----\ncrash c1:      []\nc2:          A----a=R-r\nexpiry:                   "
       "*  | -1",
       "unexplained"},  // the key may have been granted after the kill
      {"liveness",
       "c1:         A-----\ncrash c1:      []\nc2:               A--?\nexpiry:               *  "
       "| -1",
       "unexplained"},  // the other client's acquire may have left the key
  });
}

// The first release ended the hold in time, so the late second release does not prove a late hold.
TEST(Cause, AnAnswerAfterTheReleaseIsNotExplainedByALateHold) {
  const std::string twice = R"(
      c1:       A-a==R-r       !         R-r)";
  History history = FromLanes(twice, {.claims = {"release-result"}});
  for (Event& event : history.events) event.hold = 101;
  EXPECT_EQ(CauseOf(history, "release-result"), "unexplained");
  const std::string late = R"(
      c1:       A-a==!===================R-r
      c2:                A-a===R-r)";
  history = FromLanes(late, {.claims = {"release-result"}});
  EXPECT_EQ(CauseOf(history, "release-result"), "overran");
}

TEST(Cause, TheMissingQueueOfALockExplainsAGrantOutOfOrder) {
  const std::string overtaken = R"(
      c1:        A-a===================R-r
      c2:            QA-t-------------------A-aq=R-r
      c3:                  QA-t--A-aq==R-r          )";
  ExpectCauses({{"order", overtaken, "no-queue", {.lock = "redisson"}},
                {"order", overtaken, "unexplained", {.lock = "redisson-fair"}}});
  const auto perhaps_with = [&](const std::string& more) {
    const LaneOptions fair{.claims = {"order"}, .lock = "redisson-fair"};
    return Judge(FromLanes(overtaken + more, fair)).claims.at(0).violations.at(0).perhaps;
  };
  const std::vector<Cause> clock{Cause::kClientClock};
  EXPECT_EQ(perhaps_with("\n      jump c2:     [-----]   | 2000"), clock);
  EXPECT_EQ(perhaps_with("\n      jump c2:     [-----]   | 2000\n      pause c1:      [-]"), clock);
  EXPECT_EQ(perhaps_with("\n      c4:        A-x\n      jump c4:     [-----]   | 2000"), clock);
  const std::vector<Cause> none;
  EXPECT_EQ(perhaps_with("\n      jump n1:     [-----]   | 2000"), none);
  EXPECT_EQ(perhaps_with("\n      jump c4:     [-----]   | 2000"), none)
      << "client 4 never acquires";
  EXPECT_EQ(perhaps_with("\n      jump c2:                                         [--] | 2000"),
            none)
      << "the jump was after the grant";
  History both = FromLanes(overtaken + "\n      jump c2:     [-----]   | 2000",
                           {.claims = {"order"}, .lock = "redisson-fair"});
  both.facts.faults.at(0).nodes = {1};
  EXPECT_EQ(Judge(both).claims.at(0).violations.at(0).perhaps, none)
      << "the fault moved a server's clock too";
}

TEST(Cause, ADelayedReplyToAnOrderDelaysTheSection) {
  History history = FromLanes(R"(
      c1:     A-a=g=W-w=!===========R-r   | 5 5>4
      hold c1:        [-----------]
      c2:                    A-a==R-r)");
  EXPECT_EQ(CauseOf(history, "exclusion"), "unexplained")
      << "the wait for the order is not recorded";
  for (Event& event : history.events) {
    if (event.op == Op::kOrder && event.type == EventType::kOk) event.at_ns += 10'000'000;
  }
  SortByTime(history.events);
  EXPECT_EQ(CauseOf(history, "exclusion"), "message-held");
}

TEST(Cause, NoLockAndMachineTakePrecedenceOverOtherCauses) {
  ExpectCauses({
      {"exclusion",
       kCauseLate + "\n      pause c1:         [-----------]",
       "no-lock",
       {.lock = "none"}},
      {"exclusion", kCauseLate + "\n      machine c1:       (-----------)", "machine"},
  });
}

// A lane alone cannot draw a grant whose lease is over on arrival.
TEST(Cause, ALeaseThatIsOverAtTheGrantIsExplainedByTheGrantOrByAMarker) {
  const std::string late = R"(
      c1:    A---------a===R-r
      c2:         A-a==========R-r)";
  const std::string marker = R"(
      c1:    A-a=A-------a===R-r
      c2:           A-a==========R-r)";
  for (const auto& [lanes, cause] :
       {std::pair{late, "over-at-grant"}, std::pair{marker, "marker-left"}}) {
    History history = FromLanes(lanes);
    for (Event& event : history.events) {
      const bool grant = event.op == Op::kAcquire && event.type == EventType::kOk;
      if (grant && event.client == 1) event.value[0] = 4'000'000;
    }
    // The history records that a section ended without a release. Without that event, client 1 may
    // still have been in its section.
    if (lanes == marker) {
      EXPECT_EQ(CauseOf(history, "exclusion"), "over-at-grant");
      history.events.push_back({.at_ns = 3'000'000,
                                .hold = 101,
                                .client = 1,
                                .op = Op::kLeave,
                                .type = EventType::kInfo});
      SortByTime(history.events);
    }
    EXPECT_EQ(CauseOf(history, "exclusion"), cause) << lanes;
  }
}

TEST(Cause, AMarkerLeftByAnotherClientDoesNotExplainAnEntry) {
  History history = FromLanes(R"(
      c3: A-a=
      c1:    A---------a===R-r
      c2:         A-a==========R-r)");
  for (Event& event : history.events) {
    const bool grant = event.op == Op::kAcquire && event.type == EventType::kOk;
    if (grant && event.client != 2) event.value[0] = 4'000'000;
  }
  history.events.push_back(
      {.at_ns = 3'500'000, .hold = 301, .client = 3, .op = Op::kLeave, .type = EventType::kInfo});
  SortByTime(history.events);
  EXPECT_EQ(CauseOf(history, "exclusion"), "over-at-grant");
}

TEST(Cause, EveryCauseHasAUniqueNameAndAMeaning) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < Causes().size(); ++i) {
    EXPECT_EQ(static_cast<size_t>(Causes()[i].cause), i);
    EXPECT_TRUE(names.insert(Causes()[i].name).second) << Causes()[i].name;
    EXPECT_FALSE(Causes()[i].meaning.empty());
  }
  EXPECT_EQ(Causes().size(), static_cast<size_t>(Cause::kMachine) + 1);
}

TEST(ExpectedCause, AnUnexplainedViolationIsExpectedOnlyIfUnexplainedIsNamed) {
  struct Expected {
    std::string lanes;
    std::vector<std::string> causes;
    bool met;
  };
  const std::string stopped = kCauseLate + "\n      pause c1:         [-----------]";
  const std::string both = stopped + R"(
      c3:                                        A-a=======R-r
      c4:                                           A-a=====R-r)";
  for (const Expected& expected : std::vector<Expected>{{kBoth, {"stopped"}, false},
                                                        {kBoth, {"unexplained"}, true},
                                                        {both, {"stopped"}, false},
                                                        {both, {"stopped", "unexplained"}, true},
                                                        {both, {"overran"}, false}}) {
    LaneOptions options{.claims = {"exclusion"}, .expect = {{"exclusion", "violated"}}};
    options.expect_cause["exclusion"] = expected.causes;
    const RunVerdict verdict = Judge(FromLanes(expected.lanes, options));
    EXPECT_EQ(verdict.as_expected, expected.met) << ToText(verdict);
  }
}

TEST(ExpectedCause, AllPossibleExplanationsMustBeNamed) {
  const std::string either = kBoth + R"(
      restart n1:        [-]
      flush n1:          [-])";
  struct Expected {
    std::string outcome;
    std::vector<std::string> causes;
    bool met;
  };
  for (const Expected& expected : std::vector<Expected>{
           {"any", {"node-restarted", "key-removed"}, true},
           {"any", {"node-restarted"}, false},
           {"any", {"key-removed", "overran"}, false},
           {"any", {"unexplained"}, true},
           {"violated", {"node-restarted", "key-removed"}, false},  // no cause is certain
           {"violated", {"unexplained"}, true}}) {
    LaneOptions options{.claims = {"exclusion"}, .expect = {{"exclusion", expected.outcome}}};
    options.expect_cause["exclusion"] = expected.causes;
    const RunVerdict verdict = Judge(FromLanes(either, options));
    EXPECT_EQ(verdict.claims[0].violations[0].perhaps,
              (std::vector<Cause>{Cause::kNodeRestarted, Cause::kKeyRemoved}));
    EXPECT_EQ(verdict.as_expected, expected.met) << ToText(verdict);
  }
}

TEST(ExpectedCause, EveryDescribedViolationMustHaveAnExpectedCause) {
  const std::string stopped = kCauseLate + "\n      pause c1:         [-----------]";
  struct Expected {
    std::vector<std::string> causes;
    std::string warning;  // how the warning begins, or empty for no warning
  };
  for (const Expected& expected :
       std::vector<Expected>{{{"stopped"}, ""},
                             {{"stopped", "overran"}, ""},
                             {{}, ""},
                             {{"overran"},
                              "exclusion was expected to be violated because of overran, but was "
                              "violated because of stopped "
                              "(client 1 was stopped (0.005-0.017 s)): client 1's lease ended"},
                             {{"overran", "stopped"},
                              "exclusion was expected to be violated because of overran, but no "
                              "described violation has this cause"},
                             {{"stoped", "stopped"}, "exclusion: cause 'stoped' is unknown"}}) {
    LaneOptions options{.claims = {"exclusion"}, .expect = {{"exclusion", "violated"}}};
    options.expect_cause["exclusion"] = expected.causes;
    const RunVerdict verdict = Judge(FromLanes(stopped, options));
    EXPECT_EQ(verdict.as_expected, expected.warning.empty()) << ToText(verdict);
    EXPECT_EQ(verdict.exit_code,
              expected.warning.empty() ? ExitCode::kAsExpected : ExitCode::kViolated);
    EXPECT_EQ(verdict.warnings.empty(), expected.warning.empty());
    if (!verdict.warnings.empty()) {
      EXPECT_TRUE(verdict.warnings[0].starts_with(expected.warning)) << verdict.warnings[0];
    }
  }
}

}  // namespace
}  // namespace doublehold
