#include "checker/claims/library/key_leak.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

ClaimVerdict VerdictOnKeyLeak(const std::string& picture, const LaneOptions& options = {}) {
  return CheckKeyLeak(FromLanes(picture, options), {});
}

TEST(KeyLeak, IsViolatedByAKeyThatRemainsAfterItsLastRelease) {
  const ClaimVerdict verdict = VerdictOnKeyLeak(R"(
      stall:     [-]
      c1:       A----a==R-r
      c2:                    A-a=R-r
      expiry:                         *  | 280)");
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(verdict.count, 1);
  EXPECT_EQ(verdict.opportunities, 1);
  EXPECT_EQ(verdict.unit, "keys");
  EXPECT_EQ(verdict.reason, "1 of 1 key was left behind, though all had released it");
  EXPECT_EQ(
      verdict.violations.at(0).sentence,
      "the key still existed at 0.022 s, with a TTL of 280ms; the last release, by client 2 at "
      "0.017 s, reported success; before that, messages were held on the wire "
      "(0.001-0.003 s)");
  EXPECT_EQ(verdict.violations.at(0).first->hold, 201U);
}

TEST(KeyLeak, ReportsAKeyThatNeverExpires) {
  const ClaimVerdict verdict = VerdictOnKeyLeak(R"(
      c1:       A-a==R-x
      expiry:             *  | -1)");
  EXPECT_EQ(
      verdict.violations.at(0).sentence,
      "the key still existed at 0.010 s, without a TTL; the last release, by client 1 at 0.005 s, "
      "reported that the lock was not its own, or gone");
}

struct KeyLeakDrawn {
  std::string name;
  std::string picture;
  Outcome outcome = Outcome::kUnknown;
  int nodes = 1;
};

void ExpectEachKeyLeak(const std::vector<KeyLeakDrawn>& drawn) {
  for (const KeyLeakDrawn& each : drawn) {
    const ClaimVerdict verdict = VerdictOnKeyLeak(each.picture, {.nodes = each.nodes});
    EXPECT_EQ(verdict.outcome, each.outcome) << each.name << ": " << verdict.reason;
    EXPECT_EQ(verdict.count, each.outcome == Outcome::kViolated ? 1 : 0) << each.name;
  }
}

TEST(KeyLeak, AKeyWithAnotherExplanationDoesNotCount) {
  ExpectEachKeyLeak({
      {"the key does not exist", "c1:     A-a=R-r\nexpiry:         * | -2", Outcome::kValid},
      {"the key was not read", "c1:     A-a=R-r"},
      {"the key was never granted", "c1:     A-x\nexpiry:     * | 9"},
      {"the hold was never released", "c1:     A-a=\nexpiry:       * | 9"},
      {"an acquire has an unknown outcome", R"(
      c1:     A-a=R-r  A-?
      expiry:               * | 9)"},
      {"the release has an unknown outcome", R"(
      c1:     A-a=R-?
      expiry:          * | 9)"},
      {"the release has an unknown outcome, and the key does not exist", R"(
      c1:     A-a=R-?
      expiry:          * | -2)",
       Outcome::kValid},
      {"a refused acquire leaves no key", R"(
      c1:     A-a=R-r  A-x
      expiry:               * | 9)",
       Outcome::kViolated},
      {"the key was read as a later acquire was invoked", R"(
      c1:     A-a=R-r  A-x
      expiry:          * | 9)"},
      {"the client was killed", R"(
      c1:       A-a=R-r
      crash c1:     []
      expiry:            * | 9)"},
      {"a client was killed before: a queue may have handed the key to it", R"(
      c2:       A-x
      crash c2:     []
      c1:              A-a=R-r
      expiry:                   * | 9)"},
      {"a client was killed after the reading", R"(
      c1:       A-a=R-r
      crash c2:            []
      expiry:            * | 9)",
       Outcome::kViolated},
      {"a client ended by itself", R"(
      c1:       A-a=R-r
      died c1:          *
      expiry:            * | 9)"},
      {"a server may have returned with older data", R"(
      restart n1: []
      c1:              A-a=R-r
      expiry:                  * | 9)"},
      {"the store returned with older data", R"(
      restart n0: []
      c1:              A-a=R-r
      expiry:                  * | 9)",
       Outcome::kViolated},
      {"a server was stalled after the release", R"(
      c1:         A-a=R-r
      machine n1:        (----------------------------------------------------------------------------------------------------------)
      expiry:                                                                                                                        * | 9)"},
  });
}

TEST(KeyLeak, AStallDuringTheLastAcquireMayHaveRepeatedIt) {
  const std::string wait(110, '-');
  const std::string acquire = "c1:         A" + wait + "--a=R-r\n";
  const std::string later = "\nexpiry:      " + std::string(118, ' ') + "* | 9";
  ExpectEachKeyLeak({
      {"no stall", acquire + later, Outcome::kViolated},
      {"a stall of most of the acquire", acquire + "machine n1:  (" + wait + ")" + later},
      {"a stall of the store", acquire + "machine n0:  (" + wait + ")" + later, Outcome::kViolated},
  });
}

TEST(KeyLeak, AnAcquireThatAFaultSentTwiceMayHaveLeftTheKey) {
  ExpectEachKeyLeak({
      {"the last acquire", R"(
      duplicate c1:   [--]
      c1:            A-----a=R-r
      expiry:                     * | 9)"},
      {"a re-entry", R"(
      duplicate c1:         [--]
      c1:            A-a=  A---a==R-r=R-r
      expiry:                              * | 9)"},
      {"an acquire before the last, and nobody else was granted the key since", R"(
      duplicate c1:   [--]
      c1:            A-----a=R-r   A-a=R-r
      expiry:                               * | 9)"},
      {"the last acquire, and another client's release came later", R"(
      duplicate c2:              [--]
      c1:            A-a==!================R-x
      c2:                       A----a=R-r
      expiry:                                  * | 9)"},
      {"an acquire of another client", R"(
      duplicate c2:   [--]
      c1:            A-----a=R-r
      expiry:                     * | 9)",
       Outcome::kViolated},
      {"a server that a fault stopped, so that the library sent it twice", R"(
      pause n1:       [--]
      c1:            A-----a=R-r
      expiry:                     * | 9)",
       Outcome::kViolated},
  });
}

TEST(KeyLeak, ACopyThatAFaultOrTheMachineMadeMayHaveTheKey) {
  struct Row {
    std::string name, picture;
    Outcome without_queue, with_queue;
  };
  for (const Row& row : std::vector<Row>{
           {"another was granted the key since", R"(
      duplicate c2:   [--]
      c2:            A-----a=R-r
      c1:                         A-a=R-r
      expiry:                               * | 9)",
            Outcome::kViolated, Outcome::kUnknown},
           {"the copy may have arrived after that grant", R"(
      duplicate c2:   [----------------------]
      c2:            A-----a=R-r
      c1:                         A-a=R-r
      expiry:                                    * | 9)",
            Outcome::kUnknown, Outcome::kUnknown},
           {"a copy of a refused acquire", R"(
      duplicate c2:       [-]
      c1:           A-a============R-r
      c2:                A-t
      expiry:                          * | 9)",
            Outcome::kViolated, Outcome::kUnknown},
           {"its own session was granted the key since", R"(
      duplicate c2:   [--]
      c2:            A-----a=R-r   A-a=R-r
      expiry:                                * | 9)",
            Outcome::kViolated, Outcome::kUnknown},
           {"nobody asked while the fault acted", R"(
      duplicate:               [-]
      c2:           A-a=R-r
      c1:                            A-a=R-r
      expiry:                                * | 9)",
            Outcome::kViolated, Outcome::kViolated},
       }) {
    for (const bool queue : {false, true}) {
      History history = FromLanes(row.picture, {.asked_lease = 10ms});
      history.facts.lock_traits = LockTraits{LockTrait::kSendsOnce};
      if (queue) history.facts.lock_traits->Add(LockTrait::kQueue);
      const ClaimVerdict verdict = CheckKeyLeak(history, {});
      EXPECT_EQ(verdict.outcome, queue ? row.with_queue : row.without_queue)
          << row.name << queue << ": " << verdict.reason;
    }
  }
}

TEST(KeyLeak, AFaultSinceTheLastReleaseExplainsTheKey) {
  ExpectEachKeyLeak({
      {"a fault ended before the release", R"(
      partition c1: [--]
      c1:          A-----a=R-r
      expiry:                  * | 9)",
       Outcome::kViolated},
      {"a fault acted during the release", R"(
      partition c1:         [--]
      c1:          A-a==R--------r
      expiry:                      * | 9)"},
      {"a moved clock restores no deleted key", R"(
      jump n1:  [----------------]
      c1:          A-a==R-r
      expiry:                      * | 9)"},
      {"on several servers, a fault acted while the key may have been set", R"(
      partition c1: [--]
      c1:          A-----a=R-r
      expiry:                  * | 9)",
       Outcome::kUnknown, 3},
      {"on several servers, the fault explains one reading but not the other", R"(
      partition c1: [--]
      c1:                      A-a=R-r
      expiry:                          **  | 1 9)",
       Outcome::kViolated, 3},
      {"on several servers, the key was set long after the fault", R"(
      partition c1: [--]
      c1:                                               A-a=R-r
      expiry:                                                   * | 8)",
       Outcome::kViolated, 3},
  });
}

TEST(KeyLeak, ReportsTheReadingThatProvesTheLeak) {
  const ClaimVerdict verdict = VerdictOnKeyLeak(R"(
      partition c1: [--]
      c1:                      A-a=R-r
      expiry:                          **  | 1 9)",
                                                {.nodes = 3});
  EXPECT_EQ(verdict.violations.at(0).from_ns, 20'000'000);
}

TEST(KeyLeak, AKeyThatBlocksNobodyMayRemain) {
  ExpectEachKeyLeak({
      {"the lock is granted although the key never expires", R"(
      c1:       A-a=R-r
      expiry:           *     | -1
      probe:              P-p)"},
      {"the lock is granted long before the key expires", R"(
      c1:       A-a=R-r
      expiry:           *     | 9
      probe:              P-p)"},
      {"the lock is granted when the key may have expired", R"(
      c1:       A-a=R-r
      expiry:           *     | 8
      probe:              P-p)",
       Outcome::kViolated},
      {"the probe is refused", R"(
      c1:       A-a=R-r
      expiry:           *     | -1
      probe:              P-x)",
       Outcome::kViolated},
      {"the probe was granted before the reading", R"(
      c1:       A-a=R-r
      expiry:               * | -1
      probe:            P-p)",
       Outcome::kViolated},
      {"the probe was granted at the instant of the reading", R"(
      c1:       A-a=R-r
      expiry:              *  | -1
      probe:            P--p)",
       Outcome::kViolated},
      {"other servers of several granted the lock", R"(
      c1:       A-a=R-r
      expiry:           *     | -1
      probe:              P-p)",
       Outcome::kViolated, 3},
  });
}

TEST(KeyLeak, ReportsThatAReadingAfterTheLastLeaseMissesAKeyWithATtl) {
  const std::string late =
      "; 1 of these was read only after the last lease had ended, and a leaked key that expired "
      "with "
      "its lease would not have been seen";
  EXPECT_EQ(VerdictOnKeyLeak("c1:     A-a==R-r\nexpiry:          * | -2").reason,
            "none of 1 key was left behind");
  EXPECT_EQ(VerdictOnKeyLeak("c1:     A-a==R-r  !\nexpiry:          * | -2").reason,
            "none of 1 key was left behind");
  const ClaimVerdict both = VerdictOnKeyLeak(R"(
      c1:             A-a==R-r !
      c2 item-1:      A-a==R-r
      expiry:                    *  | -2
      expiry item-1:             *  | -2)");
  EXPECT_EQ(both.reason, "none of 2 keys was left behind" + late);
  EXPECT_EQ(both.outcome, Outcome::kValid);
  // In the first case, another client held the key since. In the second case, one of two servers
  // was read too late.
  EXPECT_EQ(VerdictOnKeyLeak(R"(
      c1:          A-a==R-r !
      c2:                   A-a=R-r
      expiry:                       * | -2)")
                .reason,
            "none of 1 key was left behind");
  EXPECT_EQ(VerdictOnKeyLeak("c1:     A-a==R-r  !\nexpiry:          **  | -2 -2").reason,
            "none of 1 key was left behind" + late);
}

TEST(KeyLeak, OnlyAReadingAfterTheLastReleaseCounts) {
  ExpectEachKeyLeak({
      {"before the release was invoked", R"(
      c1:     A-a==R-r
      expiry:    *      | 9)"},
      {"before the release was answered", R"(
      c1:     A-a==R-r
      expiry:       *   | -2)"},
      {"at the instant of the answer", R"(
      c1:     A-a==R-r
      expiry:        *  | 9)"},
      {"between the release and a refused acquire", R"(
      c1:     A-a==R-r
      c2:              A-x
      expiry:         *    | 9)",
       Outcome::kViolated},
      {"during a refused acquire", R"(
      c1:     A-a==R-r
      c2:             A-----x
      expiry:            *    | 9)"},
      {"at the instant of a refusal", R"(
      c1:     A-a==R-r
      c2:             A--x
      expiry:            *    | 9)"},
      {"after a refused acquire", R"(
      c1:     A-a==R-r
      c2:             A-x
      expiry:            *    | 9)",
       Outcome::kViolated},
      {"during a refused acquire of another key", R"(
      c1:         A-a==R-r
      c2 item-1:          A-----x
      expiry:                *    | 9)",
       Outcome::kViolated},
      {"during a refused acquire, on several servers", R"(
      c1:     A-a==R-r
      c2:             A-----x
      expiry:            *    | 9)",
       Outcome::kUnknown, 3},
      {"before another grant", R"(
      c1:     A-a==R-r
      c2:              A-a=R-r
      expiry:         *    | 9)"},
  });
}

TEST(KeyLeak, AReleaseThatOnlyLeavesAQueueDoesNotExplainALeak) {
  History history = FromLanes("c1:     A-a==R-r\nc2:     A-x\nexpiry:             * | 9");
  const Event given_up{.at_ns = 9'000'000, .client = 2, .op = Op::kRelease};
  history.events.insert(history.events.end() - 1, given_up);
  history.events[history.events.size() - 2].type = EventType::kInfo;
  const ClaimVerdict verdict = CheckKeyLeak(history, {});
  EXPECT_EQ(verdict.outcome, Outcome::kViolated) << verdict.reason;
  EXPECT_EQ(verdict.violations.at(0).sentence,
            "the key still existed at 0.012 s, with a TTL of 9ms; the last release, by client 1 at "
            "0.005 s, reported success");
}

TEST(KeyLeak, OnSeveralServersAMessageMayBeUnderWayForATenthOfALease) {
  const std::string read = "\nexpiry:             * | 30";
  const LaneOptions three{.lease = 40ms, .nodes = 3};
  const ClaimVerdict verdict = VerdictOnKeyLeak("c1:      A-a==R-r" + read, three);
  EXPECT_EQ(verdict.outcome, Outcome::kViolated) << verdict.reason;
  for (const std::string late : {"c1:       A-a==R-r", "c1:    A-a=R-r\nc2:             A-x"}) {
    EXPECT_NE(VerdictOnKeyLeak(late + read, three)
                  .reason.find("but a message that removes it may have been under way"),
              std::string::npos);
    EXPECT_EQ(VerdictOnKeyLeak(late + read, {.lease = 40ms}).outcome, Outcome::kViolated);
  }
}

TEST(KeyLeak, IsUnknownWhereAServerWasNotReadForEachKey) {
  const auto check = [](const std::string& picture, std::vector<int64_t> nodes) {
    History history = FromLanes(picture, {.nodes = 3});
    auto node = nodes.begin();
    for (Event& event : history.events) {
      if (event.op == Op::kExpiry) event.value[1] = *node++;
    }
    return CheckKeyLeak(history, {});
  };
  const std::string two = R"(
      c1:              A-a==R-r
      c2 item-1:       A-a==R-r
      expiry:                    **    | -2 -2
      expiry item-1:                ** | -2 -2)";
  EXPECT_EQ(check(two, {1, 2, 1, 2}).outcome, Outcome::kValid);
  EXPECT_EQ(check(two, {1, 3, 1, 2}).outcome, Outcome::kUnknown);
  EXPECT_EQ(check(two, {1, 3, 1, 2}).reason, "item-0 was not read on node 2");
  EXPECT_EQ(check(two, {1, 1, 1, 2}).opportunities, 1);
  EXPECT_EQ(check(two, {2, 3, 1, 2}).reason, "item-0 was not read on node 1");
  // A leaked key decides the claim.
  const std::string left = R"(
      c1:              A-a==R-r
      c2 item-1:       A-a==R-r
      expiry:                    *     | 9
      expiry item-1:                ** | -2 -2)";
  EXPECT_EQ(check(left, {1, 1, 2}).outcome, Outcome::kViolated);
}

TEST(KeyLeak, IsUnknownWhereMostKeysWereNotRead) {
  const std::string two = R"(
      c1:             A-a==R-r
      c2 item-1:      A-a==R-r
      expiry:                    *  | -2)";
  EXPECT_EQ(VerdictOnKeyLeak(two).outcome, Outcome::kValid);
  EXPECT_EQ(VerdictOnKeyLeak(two + "\n      c3 item-2:      A-a==R-r").reason,
            "only 1 of 3 keys could be judged");
  EXPECT_EQ(VerdictOnKeyLeak(two + "\n      c3 item-2:      A-x").outcome, Outcome::kValid);
  EXPECT_EQ(VerdictOnKeyLeak(R"(
      c1:             A-a==R-r
      c2 item-1:      A-a==R-r
      c3 item-2:      A-a==R-r
      expiry:                    *  | 9)")
                .outcome,
            Outcome::kViolated);
}

TEST(KeyLeak, AServerThatDidNotAnswerDoesNotCountAsRead) {
  History history = FromLanes("c1:     A-a==R-r\nexpiry:          ** | -2 0", {.nodes = 2});
  history.events.back().type = EventType::kFail;
  history.events.back().value[1] = 2;
  EXPECT_EQ(CheckKeyLeak(history, {}).reason, "item-0 was not read on node 2");
}

TEST(KeyLeak, SaysWhyNoKeyWasJudged) {
  const std::string unread = "no key that was granted was read at the end";
  EXPECT_EQ(VerdictOnKeyLeak("c1:     A-?\nexpiry:     * | 9").reason, unread);
  History history = FromLanes("c1:     A-a=R-r\nexpiry:         * | 9");
  history.events.back().type = EventType::kInfo;
  EXPECT_EQ(CheckKeyLeak(history, {}).reason,
            "under which name the lock is kept was not found out");
}

TEST(KeyLeak, OnSeveralNodesAClockThatWasMovedAtAnyTimeMayHaveKeptTheKey) {
  const std::string moved = R"(
      jump n1:   []
      c1:                            A-a==R-r
      expiry:                                           * | 9)";
  ExpectEachKeyLeak(
      {{"one node", moved, Outcome::kViolated, 1}, {"two nodes", moved, Outcome::kUnknown, 2}});
}

TEST(KeyLeak, AcceptsATtlOfCenturies) {
  EXPECT_EQ(
      VerdictOnKeyLeak("c1:     A-a==R-r\nexpiry:          * | 4611686018427387903", {.nodes = 3})
          .count,
      1);
}

TEST(KeyLeak, AReentrantHolderMustReleaseAsOftenAsItEntered) {
  ExpectEachKeyLeak({
      {"two releases of two grants", "c1:     A-aA-aR-rR-r\nexpiry:               * | 9",
       Outcome::kViolated},
      {"one release of two grants", "c1:     A-aA-aR-r\nexpiry:               * | 9"},
  });
}

TEST(KeyLeak, EachKeyIsJudgedSeparately) {
  const ClaimVerdict verdict = VerdictOnKeyLeak(R"(
      c1:             A-a==R-r
      c2 item-1:      A-a==R-r
      expiry:                    * | 9
      expiry item-1:             * | -2)");
  EXPECT_EQ(verdict.count, 1);
  EXPECT_EQ(verdict.opportunities, 2);
  EXPECT_EQ(verdict.violations.at(0).key, "item-0");
}

}  // namespace
}  // namespace doublehold
