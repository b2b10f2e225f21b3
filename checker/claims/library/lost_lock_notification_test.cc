#include "checker/claims/library/lost_lock_notification.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

LaneOptions NotifyingLibrary(std::vector<std::string> can = {"lease", "lost"}) {
  LaneOptions options{.lease = 6ms, .grace = 4ms};  // a holder must be notified within 10 ms
  options.library = LibraryFact{"drawn", "1", std::move(can)};
  return options;
}

ClaimVerdict VerdictOnLostLockNotification(const std::string& picture) {
  return CheckLostLockNotification(FromLanes(picture, NotifyingLibrary()), {});
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

TEST(LostLockNotification, AlsoNamesTheFaultThatBlockedTheLibrarysMessages) {
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

// The loss to client 3 is certain, and was not long before the release.
TEST(LostLockNotification, ADoubtNamesTheGrantThatMayHaveBeenAReentry) {
  EXPECT_EQ(VerdictOnLostLockNotification(R"(
      c1:                A-a==!===========================R-x
      c2:       A-aR-?           A-aR-r
      c3:                                            A-aR-r)")
                .reason,
            "client 1 was not notified of a loss within lease and grace and held the key until "
            "0.042 s, but may not have lost it: client 2's acquire at 0.017 s may have been a "
            "re-entry, which need not ask a server");
}

TEST(LostLockNotification, OnlyTimeInWhichTheClientRanCounts) {
  const std::vector<LostLockNotificationDrawn> drawn{
      {"notified in time", R"(
      c1:       A-a==!=====o================R-x
      c2:              A-a=R-r)",
       Outcome::kValid, 1},
      {"notified before the other grant", R"(
      c1:       A-a==!=o====================R-x
      c2:              A-a=R-r)",
       Outcome::kValid, 1},
      {"notified exactly lease and grace after the loss", R"(
      c1:       A-a==!=============o========R-x
      c2:              A-a=R-r)",
       Outcome::kValid, 1},
      {"notified 1 ms later", R"(
      c1:       A-a==!==============o=======R-x
      c2:              A-a=R-r)",
       Outcome::kViolated, 1},
      {"released exactly lease and grace after the loss", R"(
      c1:       A-a==!=============R-x
      c2:              A-a=R-r)"},
      {"released 1 ms later", R"(
      c1:       A-a==!==============R-x
      c2:              A-a=R-r)",
       Outcome::kViolated, 1},
      {"the release reported success", R"(
      c1:       A-a==!==============R-r
      c2:              A-a=R-r)",
       Outcome::kViolated, 1},
      {"the release is unanswered", R"(
      c1:       A-a==!==============R-?
      c2:              A-a=R-r)",
       Outcome::kViolated, 1},
      {"time counts from the first of two other grants", R"(
      c1:       A-a==!==============R-x
      c2:              A-a=R-r
      c3:                     A-a=R-r)",
       Outcome::kViolated, 1},
      {"time counts from the first grant, not from the first acquire", R"(
      c1:       A-a==!================R-x
      c2:          A--------------a=R-r
      c3:              A-a=R-r)",
       Outcome::kViolated, 1},
      {"no other client held the key", R"(
      c1:       A-a==!======================R-x)"},
      {"the other client may have held the key first", R"(
      c1:       A-----a==!==================R-x
      c2:        A-a=R-r)"},
      {"the client was paused for long", R"(
      pause c1:                 [--]
      c1:       A-a==!================R-x
      c2:              A-a=R-r)"},
      {"the client was paused for a short time", R"(
      pause c1:                 [-]
      c1:       A-a==!================R-x
      c2:              A-a=R-r)",
       Outcome::kViolated, 1},
      {"the client was paused, and notified after the pause", R"(
      pause c1:             [-----]
      c1:       A-a==!=================o=======R-x
      c2:              A-a=R-r)",
       Outcome::kValid, 1},
      {"the client was paused after the time for the notification", R"(
      pause c1:                       [---]
      c1:       A-a==!=====================o===R-x
      c2:              A-a=R-r)",
       Outcome::kViolated, 1},
      {"the session was slowed", R"(
      slow c1:                [-----]
      c1:       A-a==!==============R-x
      c2:              A-a=R-r)",
       Outcome::kViolated, 1},
      {"the client's messages were held", R"(
      hold c1:                [-----]
      c1:       A-a==!==============R-x
      c2:              A-a=R-r)",
       Outcome::kViolated, 1},
      {"the client was stalled", R"(
      machine c1:               (-----)
      c1:         A-a==!==============R-x
      c2:                A-a=R-r)"},
      {"the node was stalled", R"(
      machine n1:               (-----)
      c1:         A-a==!==============R-x
      c2:                A-a=R-r)"},
      {"another client was stalled", R"(
      machine c2:               (-----)
      c1:         A-a==!==============R-x
      c2:                A-a=R-r)",
       Outcome::kViolated, 1},
      {"an earlier acquire is unanswered", R"(
      c1:   A-?A-a==!==============R-x
      c2:             A-a=R-r)"},
      {"the acquire may have been sent twice", R"(
      hold c1:  [---]
      c1:       A-a==!==============R-x
      c2:              A-a=R-r)"},
      {"the session re-entered and exited once", R"(
      c1:       A-a=A-a=R-r==!==============R-x
      c2:                      A-a=R-r)"},
      {"the node returned with older data", R"(
      c1:           A-a==!==============R-x
      c2:                  A-a=R-r
      restart n1:               [-])"},
      {"the lock may have been lost earlier", R"(
      c1:           A-a==!============o=========R-x
      c2:                       A-a=R-r
      c3:   A-a=R-?     A-a=R-r)"},
      {"the notification was for an earlier hold", R"(
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

TEST(LostLockNotification, IsUnknownWhereNoHolderCouldBeNotified) {
  const std::string lost = R"(
      c1:       A-a==!==============R-x
      c2:              A-a=R-r)";
  const auto why = [&](const LaneOptions& options) {
    const ClaimVerdict verdict = CheckLostLockNotification(FromLanes(lost, options), {});
    EXPECT_EQ(verdict.outcome, Outcome::kUnknown);
    return verdict.reason;
  };
  EXPECT_EQ(why({}), "no library was asked: the lock is a built-in one");
  EXPECT_EQ(why(NotifyingLibrary({"lease"})), "drawn does not say when it has lost a lock");
  LaneOptions several = NotifyingLibrary();
  several.nodes = 3;
  EXPECT_TRUE(why(several).starts_with("on several nodes"));
}

}  // namespace
}  // namespace doublehold
