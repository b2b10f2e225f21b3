#include "checker/claims/limits/commands_per_grant.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

ClaimVerdict VerdictOnGrants(const std::string& picture, const std::string& limit = "2") {
  return CheckCommandsPerGrant(FromLanes(picture, {.limits = {{"commands-per-grant", limit}}}), {});
}

TEST(CommandsPerGrant, IsViolatedByAGrantWithMoreCommands) {
  const ClaimVerdict verdict = VerdictOnGrants(R"(
      c1:          Q-A-x-A-x-A-aq=R-r A-a==R-r
      sent c1:     * *   *   *   ***  *    *)");
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(verdict.count, 1);
  EXPECT_EQ(verdict.opportunities, 2);
  EXPECT_EQ(verdict.unit, "grants");
  EXPECT_EQ(verdict.reason, "1 of 2 grants took more than 2 commands, the most 4");
  EXPECT_EQ(
      verdict.violations.at(0).sentence,
      "client 1 sent 4 commands to lock servers while it waited for keys "
      "(0.000-0.012 s), and was then granted item-0; the limit is 2 commands; no fault was active");
  EXPECT_EQ(verdict.violations.at(0).first->hold, 101U);
  EXPECT_EQ(verdict.margins.at(0).value, -2);
}

TEST(CommandsPerGrant, IsViolatedByAClientThatAsksWithoutEnd) {
  const ClaimVerdict verdict = VerdictOnGrants(R"(
      c1:          A-a=====================R-r
      sent c1:      *                      *
      c2:            Q-A------------------x----q
      sent c2:          *  *   *)");
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(verdict.reason, "1 of 2 grants took more than 2 commands, the most 3");
  EXPECT_EQ(verdict.violations.at(0).sentence,
            "client 2 sent 3 commands to lock servers while it waited for keys "
            "(0.002-0.028 s), and was granted none; the limit is 2 commands; no fault was active");
}

struct DrawnGrants {
  std::string name;
  std::string picture;
  Outcome outcome = Outcome::kUnknown;
};

void ExpectEachGrants(const std::vector<DrawnGrants>& drawn) {
  for (const DrawnGrants& each : drawn) {
    const ClaimVerdict verdict = VerdictOnGrants(each.picture);
    EXPECT_EQ(verdict.outcome, each.outcome) << each.name << ": " << verdict.reason;
  }
}

TEST(CommandsPerGrant, CountsCommandsWhileTheClientAsks) {
  ExpectEachGrants({
      {"exactly the limit", "c1:      A----a=R-r\nsent c1:  * *", Outcome::kValid},
      {"more than the limit", "c1:      A----a=R-r\nsent c1:  ***", Outcome::kViolated},
      {"one command at the grant", "c1:      A----a=R-r\nsent c1:  * * *", Outcome::kViolated},
      {"one command after the grant", "c1:      A----a=R-r\nsent c1:  * *  *", Outcome::kValid},
      {"commands between two tries of a wait", "c1:      Q-A-x---A-aq=R-r\nsent c1:   *  * *",
       Outcome::kViolated},
      {"commands between two tries without a wait", "c1:      A-x-----A-a==R-r\nsent c1:  *  ** *",
       Outcome::kValid},
      {"commands before two grants", "c1:      A-a==R-r  A-a==R-r\nsent c1:  *        **",
       Outcome::kValid},
      {"commands of two refused tries", "c1:      A-x  A-x  A-a==R-r\nsent c1:  *    *    *",
       Outcome::kViolated},
      {"commands of another client",
       "c1:      A-a==R-r\nsent c1:  *\nc2:        A---a==R-r\nsent c2:     **", Outcome::kValid},
      {"more than the limit under a fault",
       "c1:        A----a=R-r\nsent c1:    ***\npause c1:    []", Outcome::kViolated},
      {"two grants at once",
       "c1:           A----a=R-r\nc1.2:         A----a=R-r\nsent c1:       **", Outcome::kValid},
      {"no commands", "c1:      A-a==R-r"},
      {"another session releases again what it had released",
       "c1:         A-a=R-r     R---r\nc1.2:                    A----a=R-r\nsent c1:     *         "
       "   ***"},
  });
}

TEST(CommandsPerGrant, IsUnknownForARunWithoutAnyCall) {
  EXPECT_EQ(VerdictOnGrants("pause c1:  [--]").reason,
            "no client was granted a key with all its commands recorded");
}

TEST(CommandsPerGrant, DividesTheCommandsOfSessionsThatAskTogether) {
  ExpectEachGrants({
      {"two sessions, each within the limit",
       "c1:           A---x\nc1.2:         A----a=R-r\nsent c1:       ****"},
      {"two sessions, one of them above the limit",
       "c1:           A---x\nc1.2:         A----a=R-r\nsent c1:      *****", Outcome::kViolated},
      {"one of two sessions asked before the last grant",
       "c1:      A-x A-a=R-r\nc1.2:                A----a=R-r\nsent c1:  *   *       ****",
       Outcome::kViolated},
  });
  const ClaimVerdict verdict = VerdictOnGrants(R"(
      c1:           A---x
      c1.2:         A----a=R-r
      sent c1:      *****)");
  EXPECT_EQ(
      verdict.reason,
      "1 of 1 grant took more than 2 commands for each session, the most 3 (2 sessions sent 5)");
  EXPECT_TRUE(verdict.violations.at(0).sentence.starts_with(
      "client 1 sent 5 commands to lock servers while 2 of its sessions waited for keys"))
      << verdict.violations.at(0).sentence;
  EXPECT_TRUE(verdict.violations.at(0).sentence.ends_with(
      "; the limit is 2 commands for each session; no fault was active"))
      << verdict.violations.at(0).sentence;
}

// The first session's wait is recorded to end after its grant.
TEST(CommandsPerGrant, ASessionThatWasGrantedTheKeyAsksNoMore) {
  History history = FromLanes(R"(
      c1:           QA-a-q==R-r
      c1.2:                    A----a=R-r
      sent c1:       *          ***)",
                              {.limits = {{"commands-per-grant", "2"}}});
  for (Event& event : history.events) {
    if (event.op == Op::kWait && event.type == EventType::kOk) event.hold = 101;
  }
  const ClaimVerdict verdict = CheckCommandsPerGrant(history, {});
  EXPECT_EQ(verdict.reason, "1 of 2 grants took more than 2 commands, the most 3");
}

TEST(CommandsPerGrant, SkipsGrantsWhoseCommandsAreUnknown) {
  ExpectEachGrants({
      {"the client held another key",
       "c1:           A-a=============R-r\nc1 item-1:       A----a=R-r\nsent c1:       *   ***"},
      {"another session of the client held a key",
       "c1:      A-a=============R-r\nc1.2:        A----a=R-r\nsent c1:  *   ***"},
      {"another session had released its key before",
       "c1:      A-a=R-r\nc1.2:            A----a=R-r\nsent c1:  *       ***", Outcome::kViolated},
      {"a hold was not released", "c1:      A-a==g\nc1.2:       A----a=R-r\nsent c1:  *   ***"},
      {"a release was refused",
       "c1:      A-a==R-x\nc1.2:          A----a=R-r\nsent c1:  *      ***", Outcome::kViolated},
      {"an acquire was not answered", "c1:      A-?   A----a=R-r\nsent c1:  *     **"},
      {"an acquire was not answered, but the limit was exceeded before",
       "c1:      A----x  A-?   A----a=R-r\nsent c1:  ***     *     **", Outcome::kViolated},
      {"an acquire was not answered, and its release was",
       "c1:      A-?R-r A----a=R-r\nsent c1:        ***", Outcome::kViolated},
      {"the machine stalled meanwhile",
       "c1:         A------a=R-r\nsent c1:     * * *\nmachine c1:   ()"},
      {"the machine stalled afterwards",
       "c1:         A------a===R-r\nsent c1:     * * *\nmachine c1:         ()",
       Outcome::kViolated},
      {"the machine stalled before the client asked",
       "c1:         A-x        A-x-A--a=R-r\nsent c1:     *          *   * *\nmachine c1:      ()",
       Outcome::kViolated},
      {"two clients wait in vain, within the limit",
       "c1:      A-a=========R-r\nsent c1:  *           *\nc2:        Q-A-x----q\nc3:        "
       "Q-A-x----q\n"
       "sent c2:     *",
       Outcome::kValid},
      {"recording stopped before the grant", "c1:      A----a=R-r\nsent c1:  * #"},
      {"recording stopped before two of three grants",
       "c1:      A----a=R-r A-a=R-r A-a=R-r\nsent c1:  *        #"},
      {"most grants have no recorded command",
       "c1:      A-a=R-r A-a=R-r A-a=R-r\nsent c1:         *"},
      {"it was not granted the key, but is within the limit", "c1:      A---x\nsent c1:  **"},
      {"records were lost", "c1:      A----a=R-r\nsent c1:  ***\nlost c1:  *"},
  });
}

TEST(CommandsPerGrant, CountsAnAcquireOfSeveralKeysAsOneGrant) {
  const ClaimVerdict verdict =
      VerdictOnGrants("c1:           A----a==R-r\nc1 item-1:    A----a==R-r\nsent c1:       * *");
  EXPECT_EQ(verdict.outcome, Outcome::kValid);
  EXPECT_EQ(verdict.opportunities, 1);
}

TEST(CommandsPerGrant, NamesTheKeyThatWasNotGranted) {
  const Violation waited = VerdictOnGrants(R"(
      c1:           A-a=R-r
      c1 item-1:              Q-------q
      sent c1:       *         * * *)")
                               .violations.at(0);
  EXPECT_EQ(waited.key, "item-1");
  EXPECT_FALSE(waited.first.has_value());
  const Violation only_waited =
      VerdictOnGrants("c1:      Q-------q\nsent c1:  * * *").violations.at(0);
  EXPECT_EQ(only_waited.key, "item-0");
}

TEST(CommandsPerGrant, AnUnansweredAcquireLastsToTheEndOfTheRun) {
  const Violation violation = VerdictOnGrants(R"(
      c1:      A----x-A-x  A--
      sent c1:  ***    *
      c2:                       A-a)")
                                  .violations.at(0);
  EXPECT_NE(violation.sentence.find("(0.000-0.019 s)"), std::string::npos) << violation.sentence;
}

TEST(CommandsPerGrant, IsUnknownWithoutALimit) {
  const ClaimVerdict verdict = VerdictOnGrants("c1:      A----a=R-r\nsent c1:  ***", "few");
  EXPECT_EQ(verdict.outcome, Outcome::kUnknown);
  EXPECT_EQ(verdict.reason, "the run was given no limit of commands");
}

}  // namespace
}  // namespace doublehold
