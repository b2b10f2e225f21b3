#include "checker/claims/lock/order.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

ClaimVerdict VerdictOnOrder(const std::string& picture) {
  return CheckOrder(FromLanes(picture), {});
}

struct OrderCase {
  std::string name;
  std::string picture;
  Outcome outcome = Outcome::kUnknown;
};

TEST(Order, IsViolatedWhenALaterClientIsGrantedTheKeyFirst) {
  const ClaimVerdict verdict = VerdictOnOrder(R"(
      c1:    A-a======R-r
      c2:     QA-t-------------------A-aq=R-r
      c3:           QA-t--A-aq==R-r          )");
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(verdict.count, 1);
  EXPECT_EQ(verdict.opportunities, 1);
  EXPECT_EQ(verdict.unit, "grants");
  EXPECT_EQ(verdict.reason,
            "1 of 1 grant for which others waited overtook one that had queued before; the longest "
            "wait was 26ms of client 2");
  EXPECT_EQ(
      verdict.violations.at(0).sentence,
      "client 3 was granted the key at 0.015 s, although it first asked at 0.008 s, after client 2 "
      "had queued (0.004 s); client 2 was still waiting at 0.024 s; the longest wait "
      "was 26ms of client 2; no fault was active");
}

TEST(Order, IsValidWhenGrantsFollowTheOrderOfTheQueue) {
  const ClaimVerdict verdict = VerdictOnOrder(R"(
      c1:    A-a======R-r
      c2:     QA-t--------A-aq=R-r
      c3:           QA-t-----------A-aq==R-r )");
  EXPECT_EQ(verdict.outcome, Outcome::kValid);
  EXPECT_EQ(verdict.reason,
            "none of 1 grant for which others waited overtook one that had queued before; the "
            "longest wait was 18ms of client 3");
}

TEST(Order, OnlyACertainPlaceInTheQueueCanBeOvertaken) {
  for (const OrderCase& drawn :
       std::vector<OrderCase>{{"concurrent acquires", R"(
      c1:    A-a======R-r
      c2:     QA-----t---------------A-aq=R-r
      c3:           QA-t--A-aq==R-r          )",
                               Outcome::kValid},
                              {"c2 may have been granted the key first and answered last", R"(
      c1:    A-a======R-r
      c2:     QA-t-----A-------------------aq=R-r
      c3:           QA-t--A-aq==R-r
      c4:             QA-t---------A-t-------------Aaq)",
                               Outcome::kValid},
                              {"a second copy of c2's acquire may have been granted", R"(
      c1:              A-a======R-r
      c2:               QA----t-------------------A-aq=R-r
      c3:                        QA-t--A-aq==R-r
      duplicate c2:        [-])"},
                              {"c2 gave up", R"(
      c1:    A-a======R-r
      c2:     QA-t---x             QA-aq=R-r
      c3:           QA-t--A-aq==R-r          )"},
                              {"c2 was refused without a retry hint", R"(
      c1:    A-a======R-r
      c2:     QA-x-------------------A-aq=R-r
      c3:           QA-t--A-aq==R-r          )"},
                              {"c2 did not wait", R"(
      c1:    A-a======R-r
      c2:      A-t                   A-a==R-r
      c3:           QA-t--A-aq==R-r          )"},
                              {"c2 had an acquire of unknown outcome", R"(
      c1:    A-a======R-r
      c2:     QA-t-A-?R-x-A-t--------A-aq=R-r
      c3:           QA-t--A-aq==R-r          )"},
                              {"c3 may still be queued from an earlier wait", R"(
      c1:    A-a======R-r
      c2:     QA-t-------------------A-aq=R-r
      c3:    QA-t-x QA-t--A-aq==R-r          )",
                               Outcome::kValid},
                              {"c2 acquired before its wait, which gives no place in the queue", R"(
      c1:    A-a======R-r
      c2:     A-t      QA-t----------------A-aq=R-r
      c3:         QA-t------A-aq==R-r          )",
                               Outcome::kValid},
                              {"c3 had an acquire of unknown outcome long before", R"(
      c1:               A-a======R-r
      c2:                  QA-t------------------A-aq=R-r
      c3:    A-?A-aR-r               QA-aq=R-r           )",
                               Outcome::kValid},
                              {"c3 had a refused acquire long before", R"(
      c1:               A-a======R-r
      c2:                  QA-t------------------A-aq=R-r
      c3:    A-xA-aR-r               QA-aq=R-r           )",
                               Outcome::kViolated},
                              {"c2 was granted another key meanwhile", R"(
      c1:            A-a======R-r
      c2:             QA-t-------------------A-aq=R-r
      c2 item-1:              A-aR-r
      c3:                   QA-t--A-aq==R-r          )",
                               Outcome::kViolated},
                              {"c3 is a reader, granted beside another reader", R"(
      c1:    A-b======R-r
      c2:     QA-t-------------------A-aq=R-r
      c3:           QA-bq==R-r               )"},
                              {"c1 re-enters", R"(
      c1:    A-a===A-a===R-rR-r
      c2:     QA-t---------------A-aq=R-r)"}}) {
    EXPECT_EQ(Name(VerdictOnOrder(drawn.picture).outcome), Name(drawn.outcome))
        << drawn.name << ": " << VerdictOnOrder(drawn.picture).reason;
  }
}

TEST(Order, AClientThatCouldNotAcquireMayHaveLostItsPlace) {
  constexpr char kOvertaken[] = R"(
      c1:             A-a======R-r
      c2:              QA-t-------------------A-aq=R-r
      c3:                    QA-t--A-aq==R-r          )";
  for (const std::string lane :
       {"pause c2:               [--]", "delay:                  [--]",
        "partition n1:           [--]", "machine c2:             (--------)",
        "machine n1:             (--------)",
        // A client that was stalled records its refusal late.
        "machine c2:(--------)",
        "machine c2:             (----)\n      machine n1:                  (---)"}) {
    const ClaimVerdict verdict = VerdictOnOrder(kOvertaken + ("\n      " + lane));
    EXPECT_EQ(verdict.outcome, Outcome::kUnknown) << lane << ": " << verdict.reason;
    EXPECT_EQ(verdict.count, 0);
  }
  for (const std::string lane :
       {"pause c3:               [--]", "jump c3:                [--]",
        "partition n0:           [--]", "pause c2:                                    [--]",
        "machine c2:             (----)", "machine n0:             (--------)"}) {
    EXPECT_EQ(VerdictOnOrder(kOvertaken + ("\n      " + lane)).outcome, Outcome::kViolated) << lane;
  }
}

TEST(Order, AClientThatGaveUpWithoutAnAnswerMayLeaveTheQueueLater) {
  History history = FromLanes(R"(
      c1:    A-a============R-r
      c2:     QA-t---------------------------A-aq=R-r
      c3:                 QA-t--A-aq==R-r          )");
  EXPECT_EQ(CheckOrder(history, {}).outcome, Outcome::kViolated);
  const auto gives_up = [&](int32_t client, int64_t at_ns) {
    History with = history;
    with.events.push_back(
        {.at_ns = at_ns, .client = client, .op = Op::kRelease, .type = EventType::kInfo});
    SortByTime(with.events);
    return CheckOrder(with, {}).outcome;
  };
  EXPECT_EQ(gives_up(2, 0), Outcome::kUnknown);
  EXPECT_EQ(gives_up(2, 8'000'000), Outcome::kUnknown);
  EXPECT_EQ(gives_up(3, 0), Outcome::kUnknown) << "client 3 may hold the key and re-enter";
  EXPECT_EQ(VerdictOnOrder(R"(
      c1:           A-a============R-r
      c2:            QA-t---------------------------A-aq=R-r
      c3:    A-aR-?              QA-t--A-aq==R-r          )")
                .outcome,
            Outcome::kViolated)
      << "the grant to client 1 shows that client 3 no longer held the key";
  for (Event& event : history.events) {
    if (event.client == 2 && event.at_ns <= 4'000'000) event.at_ns = 0;
  }
  SortByTime(history.events);
  EXPECT_EQ(CheckOrder(history, {}).outcome, Outcome::kViolated) << "queued at the start";
}

TEST(Order, ADoubtNamesWhatMayHaveCostAPlace) {
  const std::string overtaken = R"(
      c1:           A-a============R-r
      c2:            QA-t---------------------------A-aq=R-r
      c3:                        QA-t--A-aq==R-r
      )";
  for (const auto& [lane, reason] : {
           std::pair("hold c2:              [---]", "client 2's messages were held on the wire"),
           std::pair("hold c2:              [---]\n      machine c2:               (-------------)",
                     "client 2's messages were held on the wire"),
           std::pair("hold c2:                   [-]\n      machine c2:         (-------------)",
                     "the machine stalled (0.006-0.020 s), and messages may have been late or"),
           std::pair("pause n1:             [---]\n      hold c2:                  [---]",
                     "node 1 was stopped"),
       }) {
    const ClaimVerdict verdict = VerdictOnOrder(overtaken + lane);
    EXPECT_EQ(verdict.outcome, Outcome::kUnknown) << lane;
    const std::string because =
        std::string("lost its place: client 2 had queued by 0.004 s; ") + reason;
    EXPECT_NE(verdict.reason.find(because), std::string::npos) << lane << ": " << verdict.reason;
  }
}

TEST(Order, AnAcquireOfUnknownOutcomeLeavesDoubtOfEachLaterPlace) {
  const std::string judged = R"(
      c4:   QA-t--------------A-aq=R-r
      c5:  A-a==========R-r
      c6:       QA-t--------------A-aq=R-r)";
  EXPECT_EQ(VerdictOnOrder(judged).outcome, Outcome::kValid);
  const std::string overtaken = judged + R"(
      c1:                                     A-a======R-r
      c3:                                            QA-t--A-aq==R-r
      c2:                            )";
  EXPECT_EQ(VerdictOnOrder(overtaken + "         QA-t-------------------A-aq=R-r").outcome,
            Outcome::kViolated);
  const ClaimVerdict verdict =
      VerdictOnOrder(overtaken + "A-?      QA-t-------------------A-aq=R-r");
  EXPECT_EQ(verdict.outcome, Outcome::kUnknown);
  EXPECT_EQ(
      verdict.reason,
      "1 grant overtook a client that may have lost its place: client 2 had queued by "
      "0.038 s; client 2's acquire at 0.026 s was not answered, and may have taken effect later; "
      "the longest wait was 26ms of client 2");
}

// Each picture has client 1 overtake client 2, unless something else explains its second grant.
TEST(Order, ASecondCopyOfAnAcquireMayLeaveItsClientInside) {
  for (const auto& [fault, outcome] :
       std::vector<std::pair<std::string, Outcome>>{{"", Outcome::kViolated},
                                                    {"duplicate c1:  []", Outcome::kUnknown},
                                                    {"hold c1:       []", Outcome::kUnknown},
                                                    {"hold c2:       []", Outcome::kViolated}}) {
    EXPECT_EQ(VerdictOnOrder(R"(
      c1:           QA-aq====R-r A-aR-r
      c2:              QA-t-------------A-aq=R-r
      )" + fault)
                  .outcome,
              outcome)
        << fault;
  }
}

// Client 3 is granted the key from the place of its copy, which waited while others held the key.
TEST(Order, ASecondCopyOfAnAcquireMayWaitInTheQueue) {
  const std::string waits = R"(
      c1:                A-a==========R-r
      c2:                             QA-t-----------------A-aq=R-r
      c3:     QA----aqR-r                       QA-aq=R-r
      hold c3:  [----------------]
      c5:                )";
  EXPECT_NE(VerdictOnOrder(waits + " QA-t-------------Aaq=R-r").outcome, Outcome::kViolated);
  // Client 5 joined the queue after the copy. Its grant proves that the copy has ended.
  EXPECT_EQ(VerdictOnOrder(waits + "        QA-t------Aaq=R-r").outcome, Outcome::kViolated);
}

// Client 1 overtakes client 2. A fault held client 1's earlier, refused acquire on the wire.
TEST(Order, ASecondCopyHoldsALockWithoutAQueueForALeaseAtMost) {
  for (const auto& [traits, outcome] :
       {std::pair(LockTraits{LockTrait::kReentry}, Outcome::kViolated),
        std::pair(LockTraits{LockTrait::kReentry, LockTrait::kSession}, Outcome::kUnknown),
        std::pair(LockTraits{LockTrait::kQueue}, Outcome::kUnknown)}) {
    History history = FromLanes(R"(
      c1:           A---x              A-aR-r          A-aR-r
      c2:                                       QA-t----------A-aq=R-r
      hold c1:       [])",
                                {.asked_lease = 10ms});
    history.facts.lock_traits = traits;
    const ClaimVerdict verdict = CheckOrder(history, {});
    EXPECT_EQ(Name(verdict.outcome), Name(outcome)) << verdict.reason;
  }
  // A release may have set a full lease again, a read has not.
  for (const auto& [calls, outcome] :
       {std::pair("R-r", Outcome::kUnknown), std::pair("g  ", Outcome::kViolated)}) {
    History history = FromLanes(std::string(R"(
      c1:           A---x     )") + calls +
                                    R"(      A-aR-r          A-aR-r
      c2:                                       QA-t----------A-aq=R-r
      hold c1:       [])",
                                {.asked_lease = 10ms});
    history.facts.lock_traits = LockTraits{LockTrait::kReentry};
    EXPECT_EQ(CheckOrder(history, {}).outcome, outcome) << calls;
  }
}

TEST(Order, ALockThatSendsOnceHasNoSecondCopyOfAHeldRequest) {
  for (const auto& [fault, outcome] : {std::pair("hold c1:     ", Outcome::kViolated),
                                       std::pair("duplicate c1:", Outcome::kUnknown)}) {
    History history = FromLanes(std::string(R"(
      c1:           A---x            A-aR-r          A-aR-r
      c2:                                     QA-t----------A-aq=R-r
      )") + fault + "  []",
                                {.asked_lease = 50ms});
    history.facts.lock_traits = LockTraits{LockTrait::kReentry, LockTrait::kSendsOnce};
    EXPECT_EQ(CheckOrder(history, {}).outcome, outcome) << fault;
  }
}

TEST(Order, ARestartMayCostAPlaceWhateverTheServerKeeps) {
  for (const bool keeps_data : {false, true}) {
    History history = FromLanes(R"(
      c1:          A-a======R-r
      c2:             QA-t---------------A-aq
      restart n1:         [----]
      c3:                       QA-aq)");
    history.facts.faults[0].keeps_data = keeps_data;
    EXPECT_EQ(CheckOrder(history, {}).outcome, Outcome::kUnknown) << keeps_data;
  }
}

// The server may have restarted with older data that still has c1's entry.
TEST(Order, AGrantAfterAServerReturnedWithOlderDataMayBeAReEntry) {
  for (const auto& [fault, outcome] : {std::pair("restart n1:", Outcome::kUnknown),
                                       std::pair("snapshot n1:", Outcome::kViolated)}) {
    History history = FromLanes(std::string("c1:          A-aR-r          A-aR-r\n") + fault +
                                "       []\nc2:                      QA-t----------A-aq=R-r");
    history.facts.lock_traits = LockTraits{LockTrait::kReentry, LockTrait::kQueue};
    EXPECT_EQ(CheckOrder(history, {}).outcome, outcome) << fault;
  }
}

TEST(Order, IsUnknownWhenNobodyWaited) {
  EXPECT_EQ(VerdictOnOrder("c1:  A-a===R-r\nc2:           A-a==R-r").reason,
            "nobody was granted a key while another was known to wait for it");
}

}  // namespace
}  // namespace doublehold
