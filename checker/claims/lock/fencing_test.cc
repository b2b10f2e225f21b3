#include "checker/claims/lock/fencing.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

ClaimVerdict VerdictOnFencing(const std::string& picture) {
  return CheckFencing(FromLanes(picture), {});
}

struct FencingCase {
  std::string name;
  std::string picture;
  Outcome outcome = Outcome::kViolated;
};

TEST(Fencing, IsViolatedWhenATokenFalls) {
  const ClaimVerdict verdict = VerdictOnFencing(R"(
      c1:         A-a===R-r                | #5
      restart n1:           [-]
      c2:                      A-a===R-r   | #1)");
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(verdict.count, 1);
  EXPECT_EQ(verdict.opportunities, 2);
  EXPECT_EQ(
      verdict.violations.at(0).sentence,
      "client 2 was granted the key with token 1 at 0.015 s, and client 1 had been granted it "
      "with token 5 before, at 0.002 s; node 1 had been restarted at 0.010 s");
}

TEST(Fencing, AnEqualTokenIsNoNearMiss) {
  const ClaimVerdict verdict = VerdictOnFencing(R"(
      c1: A-a===R-r             | #5
      c2:            A-a===R-r  | #5)");
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  ASSERT_EQ(verdict.margins.size(), 1U);
  EXPECT_TRUE(verdict.margins[0].nearest.empty());
}

TEST(Fencing, ASecondCopyOfAnAcquireMayKeepTheKeyAndItsToken) {
  const std::string picture = R"(
      c1:           A-a===R-r A-a=R-r                | #5 #5
      c2:                               A-a=R-r      | #6
      )";
  EXPECT_EQ(VerdictOnFencing(picture).outcome, Outcome::kViolated);
  EXPECT_EQ(VerdictOnFencing(picture + "hold c1:       []").outcome, Outcome::kValid);
  History history = FromLanes(R"(
      c1:           A-a===R-r         A-a=R-r A-a=R-r      | #5 #7 #7
      hold c1:       []
      c2:                     A-a=R-r                      | #6)");
  history.facts.lock_traits = LockTraits{LockTrait::kReentry};
  EXPECT_EQ(CheckFencing(history, {}).outcome, Outcome::kViolated)
      << "the grant to client 2 ended what a second copy held";
}

// Client 1 is granted the key from the place of its refused acquire's copy, which waited while
// clients 3 and 2 held the key. Then it enters twice more.
TEST(Fencing, ASecondCopyOfAnAcquireMayWaitInTheQueue) {
  for (const auto& [trait, outcome] : {std::pair(LockTrait::kQueue, Outcome::kValid),
                                       std::pair(LockTrait::kReentry, Outcome::kViolated)}) {
    History history = FromLanes(R"(
      c3:         A-a=====R-r                              | #5
      c1:           A---x                 A-aR-r A-aR-r    | #7 #7
      c2:                        A-a=R-r                   | #6
      hold c1:       [])");
    history.facts.lock_traits = LockTraits{trait};
    const ClaimVerdict verdict = CheckFencing(history, {});
    EXPECT_EQ(Name(verdict.outcome), Name(outcome)) << verdict.reason;
  }
}

TEST(Fencing, IsUnknownWhereTokensFellOrTheLockWasGrantedTwice) {
  History history = FromLanes(R"(
      c1:    A-----a===R-r          | #5
      c2:      A-------a===R-x      | #4
      c3:                        A-a=R-r    | #6)");
  EXPECT_EQ(CheckFencing(history, {}).outcome, Outcome::kUnknown);
  for (Event& event : history.events) {
    if (event.client == 2 && event.op == Op::kAcquire && event.type == EventType::kOk)
      event.value[0] = 5'000'000;
  }
  EXPECT_EQ(CheckFencing(history, {}).outcome, Outcome::kValid);
}

TEST(Fencing, NamesAnEarlierFaultThatLostTheTokenCounter) {
  const ClaimVerdict verdict = VerdictOnFencing(R"(
      c1:         A-a=R-r                                  | #5
      restart n1:         [-]
      c2:                                      A-a===R-r   | #1)");
  EXPECT_EQ(verdict.violations.at(0).sentence.substr(verdict.violations.at(0).sentence.find(';')),
            "; no fault was active; before that, node 1 had been restarted at 0.008 s");
}

TEST(Fencing, IsViolatedOnlyByOrderedGrantsOrEqualTokens) {
  for (const FencingCase& drawn : std::vector<FencingCase>{
           {"rising tokens", R"(
      c1:    A-a===R-r              | #4
      c2:               A-a===R-r   | #5)",
            Outcome::kValid},
           {"concurrent acquires, the smaller token's lease was extended", R"(
      c1:    A-----a===R-r            | #5
      c2:      A-------a===E-e===R-r  | #4)",
            Outcome::kUnknown},
           {"concurrent acquires, the larger token within the other's lease", R"(
      c1:    A-----a===R-r          | #5
      c2:      A-------a===R-r      | #4)",
            Outcome::kUnknown},
           {"two clients promised the key at once", R"(
      c1:    A-----a======R-r       | #5
      c2:      A-------a===R-r      | #4
      c3:                        A-a=R-r    | #6)",
            Outcome::kValid},
           {"a token below an older one, and a long acquire beside both", R"(
      c1:    A------------------------a=R-r     | #9
      c2:     A-a=R-r                           | #5
      c3:              A-a=R-r                  | #4)"},
           {"the same token for concurrent acquires", R"(
      c1:    A-----a===R-r          | #5
      c2:      A-------a===R-r      | #5)"},
           {"the same token twice", R"(
      c1:    A-a===R-r              | #5
      c2:               A-a===R-r   | #5)"},
           {"a re-entry with the same token", R"(
      c1:    A-a==A-a==R-r==R-r         | #5 #5
      c2:                       A-a=R-r | #6)",
            Outcome::kValid},
           {"the same token for one owner, after a release of unknown outcome", R"(
      c1:    A-a==R-?A-a==R-r           | #5 #5
      c2:                       A-a=R-r | #6)",
            Outcome::kValid},
           {"the same token for one owner, after its release", R"(
      c1:    A-a==R-r  A-a==R-r         | #5 #5)"},
           {"a token below an older one", R"(
      c1:    A-a==R-r  A-a==R-r                 | #5 #7
      c2:                        A-a==R-r       | #6)"},
           {"a smaller token on another key", R"(
      c1:         A-a===R-r              | #5
      c2:                    A-a===R-r   | #6
      c2 item-1:  A-a===R-r              | #1)",
            Outcome::kValid},
           {"a smaller token on another key, granted later", R"(
      c1:         A-a===R-r                           | #5
      c2:                    A-a===R-r                | #6
      c3 item-1:                         A-a===R-r    | #1)",
            Outcome::kValid},
           {"a re-entry after an inner exit", R"(
      c1:    A-a==A-a==R-r==A-a==R-r==R-r     | #5 #5 #5
      c2:                                 A-a | #6)",
            Outcome::kValid},
           {"a re-entry with a lower token", R"(
      c1:    A-a==A-a==R-r==R-r         | #5 #4)"},
           {"another owner's token, after an own acquire of unknown outcome", R"(
      c1:         A-a==R-r              | #5
      c2:    A-?             A-a==R-r   | #5)"}}) {
    EXPECT_EQ(VerdictOnFencing(drawn.picture).outcome, drawn.outcome)
        << drawn.name << ": " << VerdictOnFencing(drawn.picture).reason;
  }
}

TEST(Fencing, AStaleTokenThatTheStoreAcceptedIsAViolation) {
  const ClaimVerdict verdict = VerdictOnFencing(R"(
      c1:       A-a=g!===========w=R-x   | #4 5#4 5>4#4
      c2:               A-a=g=w=R-r      | #5 5#5 5>4#5
      pause c1:      [----------]        | 11)");
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(verdict.count, 1);
  EXPECT_EQ(verdict.opportunities, 6);
  EXPECT_EQ(
      verdict.violations.at(0).sentence,
      "client 1's lease ended at 0.005 s while it was stopped (0.005-0.016 s); it wrote stock "
      "4 at 0.017 s with token 4, and the store took it, though it had taken client 2's token "
      "5 at 0.012 s");
}

TEST(Fencing, TheStoreMustRefuseAStaleTokenWhateverDelayedItsClient) {
  const ClaimVerdict verdict = VerdictOnFencing(R"(
      c1:          A-a=g!===========w=R-x   | #4 5#4 5>4#4
      c2:                  A-a=g=w=R-r      | #5 5#5 5>4#5
      machine c1:      (-----------))");
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_FALSE(verdict.violations.at(0).explained_by_stall);
  EXPECT_EQ(
      verdict.violations.at(0).sentence,
      "client 1's lease ended at 0.005 s while the machine stalled it (0.004-0.016 s); it wrote "
      "stock 4 at 0.017 s with token 4, and the store took it, though it had taken client 2's "
      "token 5 at 0.012 s");
}

TEST(Fencing, AFaultOfTheStoreIsNamedIfTheStoreAcceptsAStaleToken) {
  const ClaimVerdict verdict = VerdictOnFencing(R"(
      c1:         A-a=g=============w=R-r   | #4 5#4 5>4#4
      c2:                 A-a=g=w=R-r       | #5 5#5 5>4#5
      restart n0:                  [])");
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_NE(verdict.violations.at(0).sentence.find("the store had been restarted"),
            std::string::npos)
      << verdict.violations.at(0).sentence;
}

TEST(Fencing, AWriteThatMayHaveComeFirstIsNoViolation) {
  EXPECT_EQ(VerdictOnFencing(R"(
      c1:       A-a=g!=W=========w=R-x   | #4 5#4 5>4#4
      c2:               A-a=g=w=R-r      | #5 5#5 5>4#5)")
                .outcome,
            Outcome::kValid);
  EXPECT_EQ(VerdictOnFencing(R"(
      c1:       A-a=g!=============W-xR-x  | #4 5#4 5>4#4
      c2:               A-a=g=w=R-r        | #5 5#5 5>4#5)")
                .outcome,
            Outcome::kValid);
}

// K33: reads show no token. So the store has seen no larger token when c1 writes.
TEST(Fencing, AStoreThatComparesOnWritesOnlyCausesNoViolation) {
  EXPECT_EQ(VerdictOnFencing(R"(
      c1:       A-a=g!===========w=R-x     | #1 1 1>0#1
      c2:               A-a=g======w=R-r   | #2 1 1>0#2)")
                .outcome,
            Outcome::kValid);
}

TEST(Fencing, IsUnknownWithoutTokensToCompare) {
  EXPECT_EQ(VerdictOnFencing("c1: A-a===R-r").reason, "no grant carried a token");
  const std::string once = "no key was granted with a second token after the first";
  EXPECT_EQ(VerdictOnFencing("c1: A-a===R-r | #4").reason, once);
  EXPECT_EQ(VerdictOnFencing("c1: A-a=g=w=R-r | #4 5#4 5>4#4").reason, once);
  EXPECT_EQ(VerdictOnFencing("c1: A-a=A-a=R-r=R-r | #4 #4").reason, once);
  EXPECT_EQ(VerdictOnFencing("c1:        A-a=R-r | #4\nc2 item-1: A-a=R-r | #5").reason, once);
  // The order of two concurrent grants is unknown.
  EXPECT_EQ(VerdictOnFencing("c1: A---a=R-r | #4\nc2:  A---a=R-r | #5").reason, once);
}

TEST(Fencing, IsUnknownWhereMostGrantsHadNoTokenToCompare) {
  const std::string two = R"(
      c1:         A-a=R-r         A-a=R-r                    | #4 #6
      c2 item-1:  A-a=R-r         A-a=R-r                    | #5)";
  EXPECT_EQ(VerdictOnFencing(two).outcome, Outcome::kValid);
  EXPECT_EQ(VerdictOnFencing(two + "\n      c3:                 A-a=R-r").reason,
            "only 2 of 5 grants could be judged");
  EXPECT_EQ(VerdictOnFencing(two + R"(
      c3:                  A-a=R-r         A-a=R-r           | #5 #5)")
                .outcome,
            Outcome::kViolated);
}

}  // namespace
}  // namespace doublehold
