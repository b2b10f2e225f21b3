#include "checker/claims/limits/commands_per_hold.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "checker/claims/limits/limit.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

ClaimVerdict VerdictOnCommands(const std::string& picture, const std::string& limit = "2") {
  return CheckCommandsPerHold(FromLanes(picture, {.limits = {{"commands-per-hold", limit}}}), {});
}

TEST(CommandsPerHold, IsViolatedByAHoldWithMoreCommands) {
  const ClaimVerdict verdict = VerdictOnCommands(R"(
      c1:          A-a=====R-r A-a==R-r
      sent c1:     *  * *  *   *    *)");
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(verdict.count, 1);
  EXPECT_EQ(verdict.opportunities, 2);
  EXPECT_EQ(verdict.unit, "holds");
  EXPECT_EQ(verdict.reason, "1 of 2 holds took more than 2 commands, the most 3");
  EXPECT_EQ(verdict.violations.at(0).sentence,
            "client 1 held item-0 for 8.0 ms (0.002-0.010 s), and sent 3 commands to lock "
            "servers meanwhile; the limit is 2 commands; no fault was active");
  EXPECT_EQ(verdict.violations.at(0).first->hold, 101U);
  EXPECT_EQ(verdict.margins.at(0).value, -1);
}

struct DrawnCommands {
  std::string name;
  std::string picture;
  Outcome outcome = Outcome::kUnknown;
};

void ExpectEachCommands(const std::vector<DrawnCommands>& drawn) {
  for (const DrawnCommands& each : drawn) {
    const ClaimVerdict verdict = VerdictOnCommands(each.picture);
    EXPECT_EQ(verdict.outcome, each.outcome) << each.name << ": " << verdict.reason;
  }
}

TEST(CommandsPerHold, CountsCommandsFromTheGrantToTheAnswerOfTheRelease) {
  ExpectEachCommands({
      {"exactly the limit", "c1:      A-a===R-r\nsent c1:    * *", Outcome::kValid},
      {"more than the limit", "c1:      A-a===R-r\nsent c1:    ***", Outcome::kViolated},
      {"one command at the answer of the release", "c1:      A-a===R-r\nsent c1:    * *  *",
       Outcome::kViolated},
      {"one command after the answer of the release", "c1:      A-a===R-r\nsent c1:    * *   *",
       Outcome::kValid},
      {"commands before the grant", "c1:      A-a===R-r\nsent c1: * ** *", Outcome::kValid},
      {"commands of another client",
       "c1:      A-a===R-r\nsent c1:     **\nc2:      A-x\nsent c2:    ***", Outcome::kValid},
      {"more than the limit under a fault",
       "c1:        A-a===R-r\nsent c1:      ***\npause c1:      []", Outcome::kViolated},
      {"no commands", "c1:      A-a===R-r"},
  });
}

TEST(CommandsPerHold, SkipsHoldsWhoseCommandsAreUnknown) {
  ExpectEachCommands({
      {"the hold was not released", "c1:      A-a====\nsent c1:    *"},
      {"the hold was not released, but exceeds the limit", "c1:      A-a====g\nsent c1:    ***",
       Outcome::kViolated},
      {"the release was not answered", "c1:      A-a===R-?\nsent c1:    *"},
      {"the release was not answered, but the hold exceeds the limit before it",
       "c1:      A-a===R-?\nsent c1:    ***", Outcome::kViolated},
      {"the session acquired another key",
       "c1:           A-a====R-r\nc1 item-1:       A-x\nsent c1:         ***"},
      {"another session of the client acquired",
       "c1:      A-a===R-r\nc1.2:      A-x\nsent c1:    ***"},
      {"another session of the client acquired during one of four holds",
       "c1:      A-a=R-r A-a=R-r A-a=R-r A-a===R-r\n"
       "c1.2:                               A-x\n"
       "sent c1:    *       *       *       ****"},
      {"another session of the client acquired long before",
       "c1:           A-x A-a===R-r\nc1.2:      A---------------x\nsent c1:            ****"},
      {"another session gave up its wait",
       "c1:         A-a======R-r\nc1.2:     Q-A-x---x\nsent c1:       **     *"},
      {"another session gave up its wait before",
       "c1:                A-a======R-r\nc1.2:     Q-A-x---x\nsent c1:              * **    *",
       Outcome::kViolated},
      {"another session gave up a wait, and waited again later",
       "c1:       A-a===R-r\nc1.2:     Q-----x  Q-x\nsent c1:     ***"},
      {"the session waited for its own grant",
       "c1:       Q-A-aq======R-r\nsent c1:        *  *    *", Outcome::kViolated},
      {"another session of the client was refused before the grant of a wait",
       "c1:       Q-A-x---A-aq=R-r\nc1.2:     A-x\nsent c1:             * * *", Outcome::kViolated},
      {"another client acquired", "c1:      A-a===R-r\nc2:      A-x\nsent c1:    ***",
       Outcome::kViolated},
      {"the session held another key",
       "c1:           A-a=============R-r\nc1 item-1:       A-a====R-r\nsent c1:             ***   "
       " *"},
      {"another session of the client held a key",
       "c1:      A-a=============R-r\nc1.2:      A-a====R-r\nsent c1:        ***    *"},
      {"the release of another key was not answered",
       "c1:           A-a=R-?\nc1 item-1:         A-a====R-r\nsent c1:      *     **** *"},
      {"all nested holds together are within the limit",
       "c1:      A-a==A-a==R-r==R-r\nsent c1:   **", Outcome::kValid},
      {"nested holds whose commands exceed the limit",
       "c1:      A-a==A-a==R-r==R-r\nsent c1:   **   **** *  *"},
      {"most holds have no recorded command", "c1:      A-a=R-r A-a=R-r A-a=R-r\nsent c1:       *"},
      {"recording stopped within the hold", "c1:      A-a===R-r\nsent c1:    *#"},
      {"recording stopped after one of two holds",
       "c1:      A-a===R-r A-a===R-r\nsent c1:    *     #", Outcome::kValid},
      {"recording stopped after one of three holds",
       "c1:      A-a===R-r A-a===R-r A-a=R-r\nsent c1:    *     #"},
      {"the hold exceeds the limit before another key is used",
       "c1:           A-a=========R-r\nc1 item-1:            A-x\nsent c1:        ****         *",
       Outcome::kViolated},
      {"the hold exceeds the limit with what was sent after another key was used",
       "c1:           A-a=========R-r\nc1 item-1:      A-x\nsent c1:       *        ***"},
      {"the hold exceeds the limit before the machine stalled",
       "c1:         A-a========R-r\nsent c1:       ***\nmachine c1:          ()",
       Outcome::kViolated},
      {"the machine stalled during the hold",
       "c1:         A-a===R-r\nsent c1:       ***\nmachine c1:     ()"},
      {"records were lost", "c1:      A-a===R-r\nsent c1:    ***\nlost c1:  *"},
  });
}

TEST(CommandsPerHold, IsUnknownWithoutAReadableLimit) {
  const std::string picture = "c1:      A-a===R-r\nsent c1:    ***";
  for (const char* limit : {"", "0", "-1", "1.5", "5s"}) {
    const ClaimVerdict verdict = VerdictOnCommands(picture, limit);
    EXPECT_EQ(verdict.outcome, Outcome::kUnknown) << limit;
    EXPECT_EQ(verdict.reason, "the run was given no limit of commands");
  }
  EXPECT_EQ(ParseLimit(LimitKind::kCount, std::string_view("57").substr(0, 1)).value(), 5);
  EXPECT_EQ(ParseLimit(LimitKind::kCount, "1").value(), 1);
}

TEST(CommandsPerHold, IsUnknownIfAnAttemptTakesSeveralKeys) {
  History history =
      FromLanes("c1:      A-a===R-r\nsent c1:    ***", {.limits = {{"commands-per-hold", "2"}}});
  for (Event& event : history.events) {
    if (event.op == Op::kAcquire && event.type == EventType::kInvoke) event.value[1] = 2;
  }
  const ClaimVerdict verdict = CheckCommandsPerHold(history, {});
  EXPECT_EQ(verdict.outcome, Outcome::kUnknown);
  EXPECT_EQ(verdict.reason,
            "an acquire asked for several keys, so its commands belong to no single key");
}

}  // namespace
}  // namespace doublehold
