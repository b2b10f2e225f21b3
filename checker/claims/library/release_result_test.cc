#include "checker/claims/library/release_result.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

ClaimVerdict VerdictOnReleaseResult(const std::string& picture, const LaneOptions& options = {}) {
  return CheckReleaseResult(FromLanes(picture, options), {});
}

constexpr char kLost[] = R"(
      c1:       A-a==!=============R-r
      c2:                A-a===R-r
      pause c1:     [---------]           | 9)";

TEST(ReleaseResult, IsViolatedWhereTheReleaseOfALostLockReportsSuccess) {
  const ClaimVerdict verdict = VerdictOnReleaseResult(kLost);
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(verdict.count, 1);
  EXPECT_EQ(verdict.opportunities, 1);
  EXPECT_EQ(verdict.unit, "releases");
  EXPECT_EQ(verdict.reason, "1 of 1 release of a lost lock said that it had freed it");
  EXPECT_EQ(
      verdict.violations.at(0).sentence,
      "client 1's lease ended at 0.005 s while it was stopped (0.004-0.014 s); it released the "
      "key at 0.019 s and was told that this freed its lock, which client 2 had been granted "
      "at 0.011 s");
  EXPECT_EQ(verdict.violations.at(0).first->hold, 101U);
  EXPECT_EQ(verdict.violations.at(0).second->hold, 201U);
}

struct ReleaseResultDrawn {
  std::string name;
  std::string picture;
  Outcome outcome = Outcome::kUnknown;
  int64_t opportunities = 0;
  int nodes = 1;
};

TEST(ReleaseResult, ALossIsCertainOnlyIfTheLockWasLostBeforeTheRelease) {
  const std::vector<ReleaseResultDrawn> drawn{
      {"the release is refused", R"(
      c1:   A-a==!=============R-x
      c2:            A-a===R-r)",
       Outcome::kValid, 1},
      {"the other client still holds the key", R"(
      c1:   A-a==!=============R-r
      c2:            A-a===========R-r)",
       Outcome::kViolated, 1},
      {"the other grant was answered after the release was invoked", R"(
      c1:   A-a==!=====R-------r
      c2:            A---a=R-r)",
       Outcome::kUnknown, 1},
      {"the other grant was answered at the instant of the invocation", R"(
      c1:   A-a==!=====R-r
      c2:         A----a=R-r)",
       Outcome::kUnknown, 1},
      {"the other client may have been granted the key first", R"(
      c1:   A-----a==!=============R-r
      c2:    A-a===R-r)",
       Outcome::kValid, 1},
      {"the other acquire was invoked at the instant of the grant", R"(
      c1:   A-a==!=============R-r
      c2:     A---a===R-r)",
       Outcome::kUnknown, 1},
      {"another session of the same client was granted the key", R"(
      c1:   A-a==!=============R-r
      c1.2:          A-a===R-r)",
       Outcome::kViolated, 1},
      {"the release did not check the owner", R"(
      c1:   A-a==!=============R-f
      c2:            A-a===R-r)"},
      {"the release is unanswered", R"(
      c1:   A-a==!=============R-?
      c2:            A-a===R-r)"},
      {"two other clients were granted the key", R"(
      c1:   A-a==!==================R-r
      c2:          A-a=R-r
      c3:                     A------a=)",
       Outcome::kViolated, 1},
      {"an earlier acquire is unanswered", R"(
      c1:   A-?A-a==!=============R-r
      c2:               A-a===R-r)"},
      {"the session was granted the key again", R"(
      c1:   A-a==!==============A-a=R-r=R-r
      c2:            A-a===R-r)",
       Outcome::kUnknown, 1},
      {"two readers share the key", R"(
      c1:   A-b==!=============R-r
      c2:            A-b===R-r)",
       Outcome::kValid, 1},
      {"a writer ends a reader's hold", R"(
      c1:   A-b==!=============R-r
      c2:            A-a===R-r)",
       Outcome::kViolated, 1},
      {"a reader ends a writer's hold", R"(
      c1:   A-a==!=============R-r
      c2:            A-b===R-r)",
       Outcome::kViolated, 1},
      {"a writer and then a reader end a reader's hold", R"(
      c1:   A-b==!====================R-r
      c2:            A-a=R-r
      c3:                    A-b=R-r)",
       Outcome::kViolated, 1},
      {"the session re-entered before the loss, and exits for good", R"(
      c1:   A-a=A-a=R-r==!===========R-r
      c2:                   A-a=R-r)",
       Outcome::kViolated, 1},
      {"a nested exit frees nothing", R"(
      c1:   A-a=A-a==!===========R-r
      c2:               A-a=R-r)",
       Outcome::kValid, 1},
      {"after an unanswered exit, the session may count itself inside", R"(
      c1:   A-a=A-a=R-?==!===========R-r
      c2:                   A-a=R-r)"},
      {"the other client may have re-entered by its own count", R"(
      c1:              A-a==!==========R-r
      c2:   A-a=R-?              A-a=R-r)"},
      {"the acquire may have been sent twice, and arrive again", R"(
      hold c1: [--------------------------]
      c1:         A--a==!===================R-r
      c2:                   A-a===R-r)"},
      {"only messages to the store were held", R"(
      hold n0: [--------------------------]
      c1:         A--a==!===================R-r
      c2:                   A-a===R-r)",
       Outcome::kViolated, 1},
      {"only the other client's messages were held", R"(
      hold c2: [--------------------------]
      c1:         A--a==!===================R-r
      c2:                   A-a===R-r)",
       Outcome::kViolated, 1},
      {"the node returned with older data after the loss", R"(
      c1:             A-a==!=============R-r
      c2:                      A-a===R-r
      restart n1:                    [-])"},
      {"the same, but another loss is certain", R"(
      c1:             A-a==!=============R-r
      c2:                      A-a===R-r                  A-a===R-r
      c3:                                       A-a==!============R-x
      restart n1:                    [-])",
       Outcome::kUnknown, 1},
      {"an earlier acquire is unanswered, but another loss is certain", R"(
      c1:     A-? R-r A-a==!=============R-r
      c2:                      A-a===R-r                  A-a===R-r
      c3:                                       A-a==!============R-x)",
       Outcome::kUnknown, 1},
      {"the store returned with older data after the loss", R"(
      c1:             A-a==!=============R-r
      c2:                      A-a===R-r
      restart n0:                    [-])",
       Outcome::kViolated, 1},
      {"the node returned with older data before the acquire", R"(
      restart n1:  [-]
      c1:               A-a==!=============R-r
      c2:                        A-a===R-r)",
       Outcome::kViolated, 1},
      {"on several nodes both clients may hold some nodes", R"(
      c1:   A-a==!=============R-r
      c2:            A-a===R-r)",
       Outcome::kUnknown, 0, 3},
      {"the session acquired the key anew, and releases that hold", R"(
      c1:   A-a=R-r             A-a=R-r
      c2:            A-a===R-r)",
       Outcome::kValid, 3},
  };
  for (const auto& [name, picture, outcome, opportunities, nodes] : drawn) {
    const ClaimVerdict verdict = VerdictOnReleaseResult(picture, {.nodes = nodes});
    EXPECT_EQ(Name(verdict.outcome), Name(outcome)) << name << ": " << verdict.reason;
    EXPECT_EQ(verdict.opportunities, opportunities) << name;
    EXPECT_EQ(verdict.violations.size(), outcome == Outcome::kViolated ? 1U : 0U) << name;
  }
}

TEST(ReleaseResult, IsUnknownIfOneAnswerMayBeFalseAlthoughAnotherIsTrue) {
  EXPECT_EQ(VerdictOnReleaseResult(R"(
      c1:              A-a==!==========R-r         A-a=R-r
      c2:   A-a=R-?              A-a=R-r
      c3:                                      A-a==========R-x)")
                .outcome,
            Outcome::kUnknown);
}

// A client that left its hold may have entered again within the lease, so that its next exit is
// nested. After the lease it starts anew, unless its library counts entries without a server. So
// only a grant to another client proves that its lock was lost.
TEST(ReleaseResult, AHoldThatWasLeftIsNoEntryAfterItsLease) {
  const std::string lost_to_another = R"(
      c1:   A-a==!      A-a==!          R-r
      c2:                         A-a==R-r)";
  const std::string over = R"(
      c1:   A-a==!      A-a==!                          R-r)";
  const std::string within_the_lease = R"(
      c1:   A-agA-a==!                  R-r
      c2:                         A-a==R-r)";
  const LaneOptions library{.library = LibraryFact{"mylib", "1", {"lease"}}, .asked_lease = 5ms};
  for (const auto& [picture, outcome] :
       {std::pair(lost_to_another, Outcome::kViolated), std::pair(over, Outcome::kUnknown),
        std::pair(within_the_lease, Outcome::kUnknown)}) {
    History history = FromLanes(picture, library);
    EXPECT_EQ(CheckReleaseResult(history, {}).outcome, Outcome::kUnknown) << picture;
    history.events.push_back(
        {.at_ns = 4'000'000, .hold = 101, .client = 1, .op = Op::kLeave, .type = EventType::kInfo});
    SortByTime(history.events);
    const ClaimVerdict verdict = CheckReleaseResult(history, {});
    EXPECT_EQ(verdict.outcome, outcome) << picture << verdict.reason;
  }
}

// The second release in a drawing has no hold, so the test sets the hold.
TEST(ReleaseResult, ASecondReleaseOfAHoldMustNotReportSuccess) {
  for (const std::string first : {"?", "r"}) {
    for (const std::string second : {"r", "x"}) {
      const std::string one = "c1: A-a==R-" + first + "           R-" + second;
      History history = FromLanes(one + "\nc2:              A-a=R-r");
      for (Event& event : history.events) {
        if (event.op == Op::kRelease && event.hold == 0) event.hold = 101;
      }
      const ClaimVerdict verdict = CheckReleaseResult(history, {});
      const bool is_false = first == "r" && second == "r";
      const Outcome otherwise = first == "?" ? Outcome::kUnknown : Outcome::kValid;
      EXPECT_EQ(verdict.outcome, is_false ? Outcome::kViolated : otherwise)
          << first << second << verdict.reason;
      if (!is_false) continue;
      EXPECT_NE(verdict.violations.at(0).sentence.find(
                    "was told that this freed its lock, which it had freed by 0.007 s"),
                std::string::npos);
    }
  }
}

TEST(ReleaseResult, AReleaseAfterAReportedLossMustNotReportSuccess) {
  for (const auto& [second, outcome] :
       {std::pair("r", Outcome::kViolated), {"x", Outcome::kValid}}) {
    History history = FromLanes(std::string(R"(
      c1:   A-a==!         R-x R-)") +
                                second + "\n      c2:          A-a==========R-r");
    for (Event& event : history.events) {
      if (event.op == Op::kRelease && event.hold == 0) event.hold = 101;
    }
    const ClaimVerdict verdict = CheckReleaseResult(history, {});
    EXPECT_EQ(verdict.outcome, outcome) << second << verdict.reason;
    EXPECT_EQ(verdict.opportunities, 2);
    EXPECT_EQ(verdict.count, second == std::string("r") ? 1 : 0);
  }
}

TEST(ReleaseResult, ADoubtNamesTheEventBehindIt) {
  const std::vector<std::pair<std::string, std::string>> drawn{
      {R"(
      c1:   A-?   A-a==!=========R-r
      c2:                A-a=R-r)",
       "client 1 released the key at 0.021 s and was told that this freed its lock, which client 2 "
       "had been granted at 0.015 s; that answer may be right: client 1's acquire at 0.000 s was "
       "not "
       "answered, and may have taken effect later"},
      {R"(
      c1:        A-a==!=========R-r
      c2:              A-a=R-r
      restart n1:        [])",
       "client 1 released the key at 0.015 s and was told that this freed its lock, which client 2 "
       "had been granted at 0.008 s; that answer may be right: node 1 had been restarted at 0.008 "
       "s"},
      {R"(
      c1:   A-a=========R-x     !
      c2:       A-?)",
       "client 1 released the key at 0.012 s and was told that the lock was not its own, though "
       "its "
       "lease ran until 0.020 s; that answer may be right: client 2's "
       "acquire at 0.004 s may have been granted"},
      {R"(
      c1:        A-a=========R-x     !
      jump n1:       [-])",
       "client 1 released the key at 0.012 s and was told that the lock was not its own, though "
       "its lease ran until 0.020 s; that answer may be right: the clock of node 1 had been moved "
       "ahead by "
       "2ms at 0.004 s"},
  };
  for (const auto& [picture, reason] : drawn)
    EXPECT_EQ(VerdictOnReleaseResult(picture).reason, reason) << picture;
}

struct FalseAnswerDrawn {
  std::string name;
  std::string picture;
  Outcome outcome = Outcome::kUnknown;
};

TEST(ReleaseResult, IsViolatedIfAReleaseReportsALossThatCannotHaveHappened) {
  const ClaimVerdict verdict = VerdictOnReleaseResult(R"(
      c1:   A-a=====R-x     !
      c2:                A-a=R-r)");
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(verdict.reason, "1 of 1 release was answered falsely");
  EXPECT_EQ(verdict.violations.at(0).sentence,
            "client 1 released the key at 0.008 s and was told that the lock was not its own, "
            "though its lease ran until 0.016 s and nobody else had been granted the key since; no "
            "fault was active");
  const std::vector<FalseAnswerDrawn> drawn{
      {"the lease ended before the answer", R"(
      c1:   A-a=====R-!-x)"},
      {"another client was granted the key meanwhile", R"(
      c1:   A-a=========R-x     !
      c2:       A-a==R-r)",
       Outcome::kValid},
      {"another client was granted the key during the release: too early, or the answer is false",
       R"(
      c1:   A-a=========R---x     !
      c2:       A----------a==R-r)"},
      {"another client was granted the key as the release was invoked", R"(
      c1:   A-a=========R---x     !
      c2:       A-------a=R-r)"},
      {"another client may have been granted the key during the release", R"(
      c1:   A-a=========R---x     !
      c2:       A----------?)"},
      {"the other grant explains the answer, and another answer is true", R"(
      c1:   A-a=========R---x     !              A-a==!============R-x
      c2:       A------a======R-r                          A-a=R-r)",
       Outcome::kValid},
      {"another client held the key while it waited, and another answer is true", R"(
      c1:   A---------a=====R-x     !            A-a==!============R-x
      c2:     A-a=R-r                                      A-a=R-r)"},
      {"another client held the key until just after the grant", R"(
      c1:   A---------a=====R-x     !            A-a==!============R-x
      c2:     A-a====R--r                                  A-a=R-r)",
       Outcome::kValid},
      {"another client was granted the key as the session asked, and another answer is true", R"(
      c1:       A-a=====R-x     !                A-a==!============R-x
      c2:   A---a=============R-r                          A-a=R-r)",
       Outcome::kValid},
      {"the machine stalled, so a renewal or an earlier release may have been sent again", R"(
      c1:         A-a===========R-x     !
      machine c1:     (------))"},
      {"another client stalled", R"(
      c1:         A-a===========R-x     !
      c2:                               A-x
      machine c2:     (------))",
       Outcome::kViolated},
      {"the machine stalled during the release, which may have been sent again", R"(
      c1:         A-a=====R------------x     !
      machine c1:          (--------))"},
      {"a fault delayed messages of another client", R"(
      c1:         A-a===========R-x     !
      c2:                               A-x
      delay c2:       [------])",
       Outcome::kViolated},
      {"the machine stalled for a moment", R"(
      c1:         A-a===========R-x     !
      machine c1:     (--))",
       Outcome::kViolated},
      {"another client's unanswered release checks the owner, as others do", R"(
      c1:                     A-a=========R-x     !
      c2: A-a==R-r A-a==R-?)",
       Outcome::kViolated},
      {"a nested exit was refused, and another answer is true", R"(
      c1:   A-a=A-a===R-x=====R-r     !          A-a==!============R-x
      c2:                                                  A-a=R-r)"},
      {"another client's acquire is unanswered", R"(
      c1:   A-a=========R-x     !
      c2:       A-?)"},
      {"another client's earlier acquire is unanswered", R"(
      c1:       A-a=====R-x     !
      c2:   A-?)"},
      {"another client was refused the key", R"(
      c1:   A-a=========R-x     !
      c2:       A-x)",
       Outcome::kViolated},
      {"an earlier acquire of the session is unanswered", R"(
      c1:   A-?  A-a=========R-x     !)"},
      {"an earlier release of the session is unanswered", R"(
      c1:   A-a=R-?  A-a=========R-x     !)"},
      {"another client's release does not check the owner", R"(
      c1:         A-a=========R-x     !
      c2: A-a=R----------f)"},
      {"another client freed its own lock before", R"(
      c1:         A-a=========R-x     !
      c2: A-a=R-r)",
       Outcome::kViolated},
      {"an unchecked release by a client without a grant", R"(
      c1:         A-a=========R-x     !
      c2: A-xR-f         R-f)"},
      {"another client's unchecked release is unanswered", R"(
      c1:                     A-a=========R-x     !
      c2: A-a==R-f A-a==R-?)"},
      {"a message that a fault held may arrive now", R"(
      c1:         A-a=========R-x     !
      hold c1: [----------------------------])"},
      {"the server was killed", R"(
      c1:              A-a=========R-x     !
      crash n1: [])"},
      {"the reply was lost, and the library sent the release again", R"(
      c1:         A-a=========R-----x     !
      drop c1:                  [-])",
       Outcome::kViolated},
      {"it was released at the instant of its grant", R"(
      c1:   A-aR--------x     !)",
       Outcome::kViolated},
      {"the service granted it twice, and another answer is true", R"(
      c1:   A-a===============                      A-a==!============R-x
      c2:         A-a=====R-x     !                              A-a=R-r)"},
      {"the session re-entered", R"(
      c1:   A-a=A-a===R-r=====R-x     !)"},
      {"two readers share the key", R"(
      c1:   A-b=========R-x     !
      c2:       A-b==R-r)"},
      {"a clock was moved", R"(
      c1:       A-a=========R-x     !
      jump n1:    [--])"},
      {"keys were removed", R"(
      c1:       A-a=========R-x     !
      flush n1:   [--])"},
  };
  for (const auto& [name, picture, outcome] : drawn) {
    const ClaimVerdict verdict_on_picture = VerdictOnReleaseResult(picture);
    EXPECT_EQ(Name(verdict_on_picture.outcome), Name(outcome))
        << name << ": " << verdict_on_picture.reason;
  }
}

// Judges `picture` as a history of a library whose leases last 5 columns. Acquires in drawings
// request a lease of a second, so the test changes the requested leases.
ClaimVerdict ReleaseResultOfLibrary(const std::string& picture,
                                    const std::vector<std::string>& can) {
  History history =
      FromLanes(picture, {.lease = 5ms, .grace = 5ms, .library = LibraryFact{"lib", "1", can}});
  for (Event& event : history.events) {
    if (event.op == Op::kAcquire && event.type == EventType::kInvoke)
      event.value[0] = ToNs(history.facts.lease);
  }
  if (can.empty()) history.facts.library.reset();
  return CheckReleaseResult(history, {});
}

TEST(ReleaseResult, IsViolatedIfALibraryReportsSuccessLaterThanLeaseAndGrace) {
  const std::string late = "c1:  A-a==!             R-r";
  const ClaimVerdict verdict = ReleaseResultOfLibrary(late, {"lease"});
  ASSERT_EQ(verdict.outcome, Outcome::kViolated) << verdict.reason;
  EXPECT_EQ(verdict.violations.at(0).sentence,
            "client 1's lease ended at 0.005 s; it released the key at 0.019 s and was told that "
            "this freed its lock, whose lease was over since 0.007 s; no fault was active");
  const std::vector<FalseAnswerDrawn> drawn{
      {"the release is refused", "c1:  A-a==!             R-x"},
      {"within grace of the latest lease end", "c1:  A-a==!      R-r"},
      {"the release did not check the owner", "c1:  A-a==!             R-f"},
      {"an earlier acquire is unanswered", "c1:  A-?  A-a==!             R-r"},
      {"the acquire may have been sent twice", R"(
      delay c1: [---------]
      c1:         A-a==!             R-r)"},
      {"a clock was moved", R"(
      c1:         A-a==!             R-r
      jump n1:       [-])"},
      {"a reader's lock, which other readers may extend", "c1:  A-b==!             R-r"},
      {"an extension may have been delayed", R"(
      hold c1:                 [-]
      c1:         A-a==!             R-r)"},
  };
  for (const auto& [name, picture, outcome] : drawn) {
    const ClaimVerdict verdict_on_picture = ReleaseResultOfLibrary(picture, {"lease"});
    EXPECT_EQ(Name(verdict_on_picture.outcome), Name(outcome))
        << name << ": " << verdict_on_picture.reason;
  }
  EXPECT_EQ(ReleaseResultOfLibrary(late, {"lease", "watchdog"}).outcome, Outcome::kUnknown);
  EXPECT_EQ(ReleaseResultOfLibrary(late, {"lost"}).outcome, Outcome::kUnknown);
  EXPECT_EQ(ReleaseResultOfLibrary(late, {}).outcome, Outcome::kUnknown) << "a built-in lock";
}

TEST(ReleaseResult, IsValidWithoutALossIfEachReleaseOfAHeldLockSucceeds) {
  const ClaimVerdict verdict = VerdictOnReleaseResult(R"(
      c1:   A-a==R-r              A-a==!==R-r
      c2:             A-a==R-r)");
  EXPECT_EQ(verdict.outcome, Outcome::kValid);
  EXPECT_EQ(verdict.reason,
            "each of 2 releases of a held lock said that it had freed it; no lock was certainly "
            "lost");
  EXPECT_EQ(verdict.opportunities, 2) << "the third came after its lease";
  for (const std::string only : {"c1: A-a==R-f", "c1: A-a==R-?", "c1: A-a==!==R-r", "c1: A-aA-aR-r",
                                 "c1: A-a==!==R-r A-a=R-r A-a=!==R-r"})
    EXPECT_EQ(VerdictOnReleaseResult(only).outcome, Outcome::kUnknown) << only;
}

TEST(ReleaseResult, IsUnknownWhereRecordsWereLost) {
  EXPECT_EQ(VerdictOnReleaseResult(std::string(kLost) + "\n      lost c1:             *").outcome,
            Outcome::kUnknown);
}

// Client 1's first acquire may have been carried out twice. Its last release may free the copy.
TEST(ReleaseResult, ASecondSuccessMayFreeTheCopyOfAnEarlierAcquire) {
  for (const auto& [client, outcome] :
       {std::pair("c1", Outcome::kUnknown), std::pair("c3", Outcome::kViolated)}) {
    History history = FromLanes(std::string(R"(
      c1:       A---a=R-r  A-a==R-r   R-r
      hold )") + client + ":  []");
    for (Event& event : history.events) {
      if (event.op == Op::kRelease && event.hold == 0) event.hold = 102;
    }
    const ClaimVerdict verdict = CheckReleaseResult(history, {});
    EXPECT_EQ(Name(verdict.outcome), Name(outcome)) << verdict.reason;
  }
}

// The copy of client 1's first acquire may wait in a queue while client 2 holds the key.
TEST(ReleaseResult, AGrantToAnotherEndsACopyThatCannotWaitInAQueue) {
  for (const auto& [name, picture] : std::vector<std::pair<std::string, std::string>>{
           {"the session had freed its hold", R"(
      c3:     A-a========R-r
      c1:       A---x                  A-a==R-r   R-r
      c2:                       A-a=R-r
      hold c1:  [])"},
           {"the hold of the session was lost", R"(
      c3:     A-a========R-r
      c1:       A---x         A-a==!=============R-r
      c2:                              A-a===R-r
      hold c1:  [])"},
           {"nobody else asked for the key before the copy arrived, but its own session held it",
            R"(
      c1:       A---a=R-r             A-a==R-r   R-r
      c2:                    A-a=R-r
      hold c1:  [])"}}) {
    for (const auto trait : {LockTrait::kQueue, LockTrait::kReentry}) {
      History history = FromLanes(picture);
      history.facts.lock_traits = LockTraits{trait};
      uint64_t last_hold = 0;
      for (Event& event : history.events) {
        if (event.client == 1 && event.op == Op::kRelease && event.hold == 0)
          event.hold = last_hold;
        else if (event.client == 1 && event.hold != 0)
          last_hold = event.hold;
      }
      const ClaimVerdict verdict = CheckReleaseResult(history, {});
      EXPECT_EQ(Name(verdict.outcome),
                Name(trait == LockTrait::kQueue ? Outcome::kUnknown : Outcome::kViolated))
          << name << ": " << verdict.reason;
    }
  }
}

}  // namespace
}  // namespace doublehold
