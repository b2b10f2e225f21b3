#include "checker/claims/library/lost_lock_notification.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

LaneOptions OfNotifyingLibrary(std::vector<std::string> can = {"lease", "lost"}) {
  LaneOptions options{.lease = 6ms, .grace = 4ms};  // must be notified within 10 ms
  options.library = LibraryFact{"drawn", "1", std::move(can)};
  return options;
}

ClaimVerdict VerdictOnLostLockNotification(const std::string& picture) {
  return CheckLostLockNotification(FromLanes(picture, OfNotifyingLibrary()), {});
}

TEST(LostLockNotification, IsViolatedWhereTheHolderOfALostLockIsNotNotified) {
  const ClaimVerdict verdict = VerdictOnLostLockNotification(R"(
      partition c1:         [-------------]
      c1:           A-a==!==================R-x
      c2:                  A-a=R-r)");
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(verdict.count, 1);
  EXPECT_EQ(verdict.opportunities, 1);
  EXPECT_EQ(verdict.unit, "holds of lost locks");
  EXPECT_EQ(verdict.reason,
            "1 of 1 hold of a lost lock got no notification within lease and grace");
  EXPECT_EQ(verdict.violations.at(0).sentence,
            "client 1's lease ended at 0.005 s; it held the key until 0.024 s and was never told "
            "that its lock was lost, which client 2 had been granted at 0.009 s; client 1 was cut "
            "off (0.008-0.022 s)");
  EXPECT_EQ(verdict.violations.at(0).first->hold, 101U);
  EXPECT_EQ(verdict.violations.at(0).second->hold, 201U);
}

TEST(LostLockNotification, AlsoNamesTheFaultThatDelayedItsMessages) {
  const ClaimVerdict verdict = VerdictOnLostLockNotification(R"(
      partition c1:         [-------------]
      slow c1:                [-------------]
      c1:           A-a==!==================R-x
      c2:                  A-a=R-r)");
  EXPECT_EQ(
      verdict.violations.at(0).sentence,
      "client 1's lease ended at 0.005 s; it held the key until 0.024 s and was never told "
      "that its lock was lost, which client 2 had been granted at 0.009 s; client 1's section "
      "was still at work (0.010-0.024 s); meanwhile client 1 was cut off (0.008-0.022 s)");
}

struct LostLockNotificationDrawn {
  std::string name;
  std::string picture;
  Outcome outcome = Outcome::kUnknown;
  int64_t opportunities = 0;
};

TEST(LostLockNotification, IsDueLeaseAndGraceAfterTheLossWhileItsClientRuns) {
  const std::vector<LostLockNotificationDrawn> drawn{
      {"it is told in time", R"(
      c1:       A-a==!=====o================R-x
      c2:              A-a=R-r)",
       Outcome::kValid, 1},
      {"it is told before another has it", R"(
      c1:       A-a==!=o====================R-x
      c2:              A-a=R-r)",
       Outcome::kValid, 1},
      {"it is told just in time", R"(
      c1:       A-a==!=============o========R-x
      c2:              A-a=R-r)",
       Outcome::kValid, 1},
      {"it is told late", R"(
      c1:       A-a==!==============o=======R-x
      c2:              A-a=R-r)",
       Outcome::kViolated, 1},
      {"it releases just in time", R"(
      c1:       A-a==!=============R-x
      c2:              A-a=R-r)"},
      {"it releases late", R"(
      c1:       A-a==!==============R-x
      c2:              A-a=R-r)",
       Outcome::kViolated, 1},
      {"whatever its release says", R"(
      c1:       A-a==!==============R-r
      c2:              A-a=R-r)",
       Outcome::kViolated, 1},
      {"or does not", R"(
      c1:       A-a==!==============R-?
      c2:              A-a=R-r)",
       Outcome::kViolated, 1},
      {"the first that was granted it counts", R"(
      c1:       A-a==!==============R-x
      c2:              A-a=R-r
      c3:                     A-a=R-r)",
       Outcome::kViolated, 1},
      {"and not the first that asked", R"(
      c1:       A-a==!================R-x
      c2:          A--------------a=R-r
      c3:              A-a=R-r)",
       Outcome::kViolated, 1},
      {"nobody else had it", R"(
      c1:       A-a==!======================R-x)"},
      {"the other may have had it before", R"(
      c1:       A-----a==!==================R-x
      c2:        A-a=R-r)"},
      {"the client is stopped", R"(
      pause c1:                 [--]
      c1:       A-a==!================R-x
      c2:              A-a=R-r)"},
      {"the client is stopped, but not for long", R"(
      pause c1:                 [-]
      c1:       A-a==!================R-x
      c2:              A-a=R-r)",
       Outcome::kViolated, 1},
      {"it is stopped until it is told", R"(
      pause c1:             [-----]
      c1:       A-a==!=================o=======R-x
      c2:              A-a=R-r)",
       Outcome::kValid, 1},
      {"it is stopped after it was to be told", R"(
      pause c1:                       [---]
      c1:       A-a==!=====================o===R-x
      c2:              A-a=R-r)",
       Outcome::kViolated, 1},
      {"its session is kept at its work", R"(
      slow c1:                [-----]
      c1:       A-a==!==============R-x
      c2:              A-a=R-r)",
       Outcome::kViolated, 1},
      {"its messages are kept", R"(
      hold c1:                [-----]
      c1:       A-a==!==============R-x
      c2:              A-a=R-r)",
       Outcome::kViolated, 1},
      {"the machine stalls it", R"(
      machine c1:               (-----)
      c1:         A-a==!==============R-x
      c2:                A-a=R-r)"},
      {"the machine stalls the node", R"(
      machine n1:               (-----)
      c1:         A-a==!==============R-x
      c2:                A-a=R-r)"},
      {"the machine stalls another", R"(
      machine c2:               (-----)
      c1:         A-a==!==============R-x
      c2:                A-a=R-r)",
       Outcome::kViolated, 1},
      {"it asked before, and nobody knows what came of that", R"(
      c1:   A-?A-a==!==============R-x
      c2:             A-a=R-r)"},
      {"its acquire may have been sent twice", R"(
      hold c1:  [---]
      c1:       A-a==!==============R-x
      c2:              A-a=R-r)"},
      {"it was let in again, and out", R"(
      c1:       A-a=A-a=R-r==!==============R-x
      c2:                      A-a=R-r)"},
      {"the node came back with older data", R"(
      c1:           A-a==!==============R-x
      c2:                  A-a=R-r
      restart n1:               [-])"},
      {"it may have lost the lock before", R"(
      c1:           A-a==!============o=========R-x
      c2:                       A-a=R-r
      c3:   A-a=R-?     A-a=R-r)"},
      {"it is told of the hold before", R"(
      c1:    A-a=o=R-r A-a==!==============R-x
      c2:                     A-a=R-r)",
       Outcome::kViolated, 1},
  };
  for (const auto& [name, picture, outcome, opportunities] : drawn) {
    const ClaimVerdict verdict = VerdictOnLostLockNotification(picture);
    EXPECT_EQ(Name(verdict.outcome), Name(outcome)) << name << ": " << verdict.reason;
    EXPECT_EQ(verdict.opportunities, opportunities) << name;
    EXPECT_EQ(verdict.violations.size(), outcome == Outcome::kViolated ? 1U : 0U) << name;
  }
}

TEST(LostLockNotification, IsUnknownWhereNobodyCouldBeNotified) {
  const std::string lost = R"(
      c1:       A-a==!==============R-x
      c2:              A-a=R-r)";
  const auto why = [&](const LaneOptions& options) {
    const ClaimVerdict verdict = CheckLostLockNotification(FromLanes(lost, options), {});
    EXPECT_EQ(verdict.outcome, Outcome::kUnknown);
    return verdict.reason;
  };
  EXPECT_EQ(why({}), "no library was asked: the lock is a built-in one");
  EXPECT_EQ(why(OfNotifyingLibrary({"lease"})), "drawn does not say when it has lost a lock");
  LaneOptions several = OfNotifyingLibrary();
  several.nodes = 3;
  EXPECT_TRUE(why(several).starts_with("on several nodes"));
}

}  // namespace
}  // namespace doublehold
