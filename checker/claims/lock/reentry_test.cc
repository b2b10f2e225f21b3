#include "checker/claims/lock/reentry.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

ClaimVerdict VerdictOnReentry(const std::string& picture, const LaneOptions& options = {}) {
  return CheckReentry(FromLanes(picture, options), {});
}

struct ReentryCase {
  std::string name;
  std::string picture;
  Outcome outcome = Outcome::kUnknown;
};

constexpr char kFreedByTheInnerExit[] = R"(
      c1:        A-a===A-a===R-r===========R-r
      c2:              A-x      A-a==R-r)";

TEST(Reentry, IsViolatedWhenANestedExitFreesTheLock) {
  const ClaimVerdict verdict = VerdictOnReentry(kFreedByTheInnerExit);
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(verdict.count, 1);
  EXPECT_EQ(verdict.opportunities, 3);
  EXPECT_EQ(verdict.unit, "exits");
  EXPECT_EQ(
      verdict.violations.at(0).sentence,
      "client 1 left the key once at 0.012 s, having entered it twice, and client 2 was granted "
      "it at 0.017 s, while the first entry, of 0.002 s, was still held; no fault was active");
  EXPECT_EQ(verdict.violations.at(0).first->hold, 101U);
}

TEST(Reentry, IsValidWhenOnlyTheLastExitFreesTheLock) {
  const ClaimVerdict verdict = VerdictOnReentry(R"(
      c1:        A-a===A-a===R-r======R-r
      c2:              A-t      A-t       A-a==R-r)");
  EXPECT_EQ(verdict.outcome, Outcome::kValid);
  EXPECT_EQ(
      verdict.reason,
      "1 of 3 exits were nested and kept the lock; after 1 inner exit others were kept from it");
  EXPECT_EQ(VerdictOnReentry(R"(
      c1:        A-b===A-b===R-r===========R-r
      c2:              A-x      A-b==R-r
      c3:                         A-x)")
                .outcome,
            Outcome::kValid);  // readers beside each other
}

TEST(Reentry, IsUnknownWhereAnAcquireFromBeforeAnInnerExitIsGrantedAfterIt) {
  EXPECT_EQ(VerdictOnReentry(R"(
      c1:        A-a===A-a===R-r===========R-r
      c2:    A-x         A--------a==R-r
      c3:              A-x         A-x)")
                .outcome,
            Outcome::kUnknown);
  // c2's acquire was under way all the time, and was granted after c1's last exit.
  const ClaimVerdict verdict = VerdictOnReentry(R"(
      c1:        A-a===A-a===R-r===========R-r
      c2:    A-x         A------------------a==R-r
      c3:              A-x)");
  EXPECT_EQ(verdict.outcome, Outcome::kValid);
  EXPECT_EQ(verdict.reason,
            "1 of 3 exits were nested and kept the lock; after 1 inner exit others were kept from "
            "it");
}

TEST(Reentry, ANestedExitIsNotBlamedIfSomethingElseMayHaveFreedTheLock) {
  for (const ReentryCase& drawn :
       std::vector<ReentryCase>{{"nobody was refused before it", R"(
      c1:        A-a===A-a===R-r===========R-r
      c2:                       A-a==R-r)"},
                                {"another was granted it before", R"(
      c1:        A-a===A-a===R-r===========R-r
      c2:         A-x  A-a=R-r  A-a==R-r)"},
                                {"another was granted it before, a third refused", R"(
      c1:        A-a===A-a===R-r===========R-r
      c2:              A-a=R-r  A-a==R-r
      c3:           A-x)"},
                                {"a clock was moved", R"(
      c1:        A-a===A-a===R-r===========R-r
      c2:              A-x      A-a==R-r
      jump n1:             [---])"},
                                {"a node lost its data", R"(
      c1:          A-a===A-a===R-r===========R-r
      c2:                A-x      A-a==R-r
      restart n1:            [---])"},
                                {"a third freed whatever was there", R"(
      c1:        A-a===A-a===R-r===========R-r
      c2:              A-x      A-a==R-r
      c3:                  R--f)"},
                                {"whether the exit was carried out is not known", R"(
      c1:        A-a===A-a===R-?===========R-r
      c2:              A-x      A-a==R-r)"},
                                {"an entry of its own was not answered", R"(
      c1:        A-a==A-?A-a===R-r===========R-r
      c2:              A-x         A-a==R-r)"},
                                {"an acquire of its own was not answered before", R"(
      c1:     A-?A-a===A-a===R-r===========R-r
      c2:              A-x      A-a==R-r)"},
                                {"a release of its own was not answered before", R"(
      c1:  A-a=R-?A-a===A-a===R-r===========R-r
      c2:              A-x       A-a==R-r)"},
                                {"the outer lease was over", R"(
      c1:        A-a==!A-a===R-r===========R-r
      c2:              A-x      A-a==R-r)"}}) {
    EXPECT_NE(VerdictOnReentry(drawn.picture).outcome, Outcome::kViolated)
        << drawn.name << ": " << VerdictOnReentry(drawn.picture).reason;
  }
  EXPECT_EQ(VerdictOnReentry(kFreedByTheInnerExit, {.nodes = 3}).outcome, Outcome::kViolated);
}

// K21: an acquire that was carried out twice counts 2, and one exit leaves 1.
TEST(Reentry, IsViolatedWhenTheLastExitDoesNotFreeTheLock) {
  const ClaimVerdict verdict = VerdictOnReentry(R"(
      c1:          A------a===R-r
      drop c1:        [-]
      c2:                            A-t       A-a==R-r)");
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(verdict.count, 1);
  EXPECT_EQ(
      verdict.violations.at(0).sentence,
      "client 2 was told at 0.020 s that the key is taken, and nobody held it: client 1 was the "
      "last to release it, at 0.013 s; no fault was active; before that, client 1's messages were "
      "being lost (0.003-0.005 s)");
}

TEST(Reentry, ARefusalProvesNothingWhereTheKeyMayHaveBeenTaken) {
  for (const ReentryCase& drawn :
       std::vector<ReentryCase>{{"a hold that was never released", R"(
      c1:          A-a===
      c2:                          A-t       A-a==R-r)"},
                                {"one whose release is not answered", R"(
      c1:          A-a===R-?
      c2:                          A-t       A-a==R-r)"},
                                {"an outer hold", R"(
      c1:          A-a==A-a===R-r
      c2:                          A-t       A-a==R-r)"},
                                {"an entry of unknown outcome within another", R"(
      c1:          A-a=A-?R-rR-r
      c2:                          A-t       A-a==R-r)"},
                                {"an entry of unknown outcome after such an exit", R"(
      c1:   A-a=A-a=R-rR-? A-?R-r
      c2:                            A-a=R-r
      c3:                                       A-t       A-a==R-r)"},
                                {"an acquire of unknown outcome", R"(
      c1:          A-a===R-r
      c2:                          A-t       A-a==R-r
      c3:         A-?)"},
                                {"one that was freed while the other asked", R"(
      c1:          A-a===R-r
      c3:                A----?R----r
      c2:                        A---t     A-a==R-r)"},
                                {"one that was on its way", R"(
      c1:          A-a===R-r
      c2:                          A-t       A-a==R-r
      c3:                         A---a==R-r)"},
                                {"one that asked before it was free", R"(
      c1:          A-a===R-r
      c2:                 A-t       A-a==R-r)"},
                                {"a node that lost its data and found it again", R"(
      c1:          A-a===R-r
      restart n1:      []
      c2:                          A-t       A-a==R-r)"},
                                {"what was refused may have run twice, and taken the key", R"(
      c1:          A-a===R-r
      drop c2:                      []
      c2:                          A---t     A-a==R-r)"},
                                {"and so may what was refused before", R"(
      c1:          A-a===R-r
      hold c2:                      []
      c2:                          A---x A-t     A-a==R-r)"},
                                {"what was not answered may have run again, after its release", R"(
      c1:          A----?R-r
      hold c1:       [-]
      c2:                          A-t       A-a==R-r)"},
                                {"or be sent again, as its answer was lost", R"(
      c1:          A----?R-r
      drop c1:       [-]
      c2:                          A-t       A-a==R-r)"},
                                {"or be refused to its own client", R"(
      c1:          A----?R-r  A-t
      hold c1:       [-])"},
                                {"what was granted may have been sent twice before", R"(
      c1:          A----a=R-r
      hold c1:       [------------]
      c2:                            A-t       A-a==R-r)"},
                                {"records were lost", R"(
      c1:          A-a===R-r
      c2:                          A-t       A-a==R-r
      lost c3:               *)"}}) {
    EXPECT_NE(VerdictOnReentry(drawn.picture).outcome, Outcome::kViolated)
        << drawn.name << ": " << VerdictOnReentry(drawn.picture).reason;
  }
  EXPECT_NE(VerdictOnReentry("c1: A-a===R-r\nc2:             A-t", {.nodes = 3}).outcome,
            Outcome::kViolated);
}

TEST(Reentry, ARefusalIsAViolationIfNoSecondCopyIsPossible) {
  for (const ReentryCase& drawn :
       std::vector<ReentryCase>{{"messages of another were lost", R"(
      c1:          A-a===R-r
      drop c3:                      []
      c3:          Q
      c2:                          A---t     A-a==R-r)"},
                                {"they were lost before it was called", R"(
      c1:          A-a===R-r
      drop c2:            []
      c2:                          A---t     A-a==R-r)"},
                                {"what was refused then has ended by itself", R"(
      c1:          A-a===R-r
      hold c2:                    []
      c2:                        A---x          A-t     A-a==R-r)"},
                                {"and so has what was not answered", R"(
      c1:          A----?R-r
      hold c1:       [-]
      c2:                             A-t       A-a==R-r)"},
                                {"and what was granted", R"(
      c1:          A-a==R-r
      hold c1:      [--]
      c2:                         A-t       A-a==R-r)"}}) {
    const ClaimVerdict verdict = VerdictOnReentry(drawn.picture, {.asked_lease = 10ms});
    EXPECT_EQ(verdict.outcome, Outcome::kViolated) << drawn.name << ": " << verdict.reason;
  }
  // The second copy may arrive as late as the end of the fault, and lasts for a lease from then.
  EXPECT_NE(VerdictOnReentry(R"(
      c1:          A----a=R-r
      hold c1:       [------------]
      c2:                            A-t       A-a==R-r)",
                             {.asked_lease = 10ms})
                .outcome,
            Outcome::kViolated);
}

TEST(Reentry, AnEntryThatIsCertainlyGoneExplainsNoRefusal) {
  // The release freed the acquire of unknown outcome. In the other case, another was granted the
  // key after c1 died.
  EXPECT_EQ(VerdictOnReentry(R"(
      c1:          A-?R-r
      c2:                  A-t)")
                .outcome,
            Outcome::kViolated);
  EXPECT_EQ(VerdictOnReentry(R"(
      c1:          A-a==
      c2:                     A-a==R-r
      c3:                                 A-t)")
                .outcome,
            Outcome::kViolated);
}

// A fair lock refuses a free key to all but the first in its queue.
TEST(Reentry, AnotherClientMayHaveBeenFirstInAQueue) {
  EXPECT_NE(VerdictOnReentry(R"(
      c1:          A-a=A-a=R-r======R-r
      c2:             A-t                   A-a==R-r
      c3:               A-t    A-t     A-t)")
                .outcome,
            Outcome::kUnknown);
  const ClaimVerdict verdict = VerdictOnReentry(R"(
      c1:          A-a=A-a=R-r==R-r
      c2:             A-t                            A-a==R-r
      c3:               A-t        A-t)");
  EXPECT_EQ(verdict.outcome, Outcome::kUnknown);
  EXPECT_EQ(
      verdict.reason,
      "client 3 was told at 0.018 s that the key is taken, and nobody held it: client 1 was the "
      "last to release it, at 0.015 s; only if another stood before it in a queue is that "
      "right");
}

TEST(Reentry, IsUnknownWhereNobodyEnteredTwice) {
  EXPECT_EQ(VerdictOnReentry("c1: A-a===R-r").reason, "no client entered again what it held");
}

TEST(Reentry, IsUnknownWhereNobodyWasRefusedTheKeyAfterANestedExit) {
  EXPECT_EQ(VerdictOnReentry(R"(
      c1: A-a==A-a==R-r===R-r
      c2:                        A-a=R-r)")
                .reason,
            "nobody was kept from the key after a nested exit");
}

}  // namespace
}  // namespace doublehold
