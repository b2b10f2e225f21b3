#include "checker/claims/lock/reentry.h"

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <string>
#include <vector>

#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

ClaimVerdict VerdictOnReentry(const std::string& picture, const LaneOptions& options = {}) {
  History history = FromLanes(picture, options);
  history.facts.lock_traits = LockTraits{LockTrait::kReentry, LockTrait::kQueue};
  return CheckReentry(history, {});
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
      "client 1 released a nested entry at 0.012 s, and client 2 was granted the key at "
      "0.017 s, while the outer entry, acquired at 0.002 s, was still held; no fault was active");
  EXPECT_EQ(verdict.violations.at(0).first->hold, 101U);
}

TEST(Reentry, IsValidWhenOnlyTheLastExitFreesTheLock) {
  const ClaimVerdict verdict = VerdictOnReentry(R"(
      c1:        A-a===A-a===R-r======R-r
      c2:              A-t      A-t       A-a==R-r)");
  EXPECT_EQ(verdict.outcome, Outcome::kValid);
  EXPECT_EQ(verdict.reason,
            "1 of 3 exits were nested and kept the lock; after 1 nested exit, others were kept "
            "from the key");
  EXPECT_EQ(VerdictOnReentry(R"(
      c1:        A-b===A-b===R-r===========R-r
      c2:              A-x      A-b==R-r
      c3:                               A-x)")
                .outcome,
            Outcome::kValid);  // two readers at once
}

// Client 2 asked first and was answered last.
TEST(Reentry, TheGrantThatIsAnsweredFirstConvictsTheExit) {
  const std::string picture = R"(
      c1:   A-a=A-a=R-r======R-r   A-a=A-a=======R-r=======================R-r
      c3:        A-t    A-t               A-t             A-a=R-r)";
  EXPECT_EQ(VerdictOnReentry(picture).outcome, Outcome::kViolated);
  EXPECT_EQ(VerdictOnReentry(picture + R"(
      c2:                                              A----------------------a=R-r)")
                .outcome,
            Outcome::kViolated);
}

TEST(Reentry, ADoubtAboutOneExitDoesNotExcuseTheNext) {
  EXPECT_EQ(VerdictOnReentry(R"(
      c1:   A-a=A-a=A-a=R-r=======R-r===========R-r
      c2:                    A-t      A-a=R-r)")
                .outcome,
            Outcome::kViolated);
}

TEST(Reentry, ADoubtNamesAFaultSinceTheFirstEntry) {
  const std::string reason = VerdictOnReentry(R"(
      c1:        A-a=======A-a===R-r=======R-r
      c2:           A-t             A-a==R-r
      flush n1:        [])")
                                 .reason;
  EXPECT_NE(reason.find("; that exit need not be the cause: node 1 had been emptied"),
            std::string::npos)
      << reason;
}

TEST(Reentry, IsUnknownWhereAnAcquireFromBeforeAnInnerExitIsGrantedAfterIt) {
  EXPECT_EQ(VerdictOnReentry(R"(
      c1:        A-a===A-a===R-r===========R-r
      c2:    A-x         A--------a==R-r
      c3:              A-x         A-x)")
                .outcome,
            Outcome::kUnknown);
  EXPECT_NE(
      VerdictOnReentry(R"(
      c1:        A-a===A-a===R-r===========R-r
      c2:       A-------------------a==R-r
      c3:              A-x         A-x)")
          .reason.find(
              "that exit need not be the cause: that acquire was already pending at the exit"),
      std::string::npos)
      << "client 2 asked before all others";
  // c2's acquire was pending all the time, and was granted after c1's last exit.
  const ClaimVerdict verdict = VerdictOnReentry(R"(
      c1:        A-a===A-a===R-r===========R-r
      c2:    A-x         A------------------a==R-r
      c3:              A-x)");
  EXPECT_EQ(verdict.outcome, Outcome::kValid);
  EXPECT_EQ(verdict.reason,
            "1 of 3 exits were nested and kept the lock; after 1 nested exit, others were kept "
            "from the key");
}

TEST(Reentry, ANestedExitIsNotBlamedIfSomethingElseMayHaveFreedTheLock) {
  for (const ReentryCase& drawn :
       std::vector<ReentryCase>{{"nobody was refused before the exit", R"(
      c1:        A-a===A-a===R-r===========R-r
      c2:                       A-a==R-r)"},
                                {"c2 was granted the key before the exit", R"(
      c1:        A-a===A-a===R-r===========R-r
      c2:         A-x  A-a=R-r  A-a==R-r)"},
                                {"c2 was granted the key before the exit, c3 was refused", R"(
      c1:        A-a===A-a===R-r===========R-r
      c2:              A-a=R-r  A-a==R-r
      c3:           A-x)"},
                                {"a clock was moved", R"(
      c1:        A-a===A-a===R-r===========R-r
      c2:              A-x      A-a==R-r
      jump n1:             [---])"},
                                {"records were lost", R"(
      c1:          A-a===A-a===R-r===========R-r
      c2:                A-x      A-a==R-r
      lost c3:                         *)"},
                                {"a node lost its data", R"(
      c1:          A-a===A-a===R-r===========R-r
      c2:                A-x      A-a==R-r
      restart n1:            [---])"},
                                {"c3 released the key without checking the owner", R"(
      c1:        A-a===A-a===R-r===========R-r
      c2:              A-x      A-a==R-r
      c3:                  R--f)"},
                                {"the owner re-entered without asking the emptied server", R"(
      c1:          A-a========A-a=A-a=R-r===========R-rR-r
      c2:             A-t                  A-a==R-r
      restart n1:        [-])"},
                                {"the exit left the exclusive entry, and kept the shared one", R"(
      c1:        A-a==A-b==A-b==R-r===========R-rR-r
      c2:            A-x            A-b==R-r)"},
                                {"another's unanswered release may have freed it", R"(
      c1:        A-a===A-a===R-r===========R-r
      c2:              A-x      A-a==R-r
      c3:                     R-?)"},
                                {"the exit has an unknown outcome", R"(
      c1:        A-a===A-a===R-?===========R-r
      c2:              A-x      A-a==R-r)"},
                                {"an own nested acquire has an unknown outcome", R"(
      c1:        A-a==A-?A-a===R-r===========R-r
      c2:              A-x         A-a==R-r)"},
                                {"an earlier own acquire has an unknown outcome", R"(
      c1:     A-?A-a===A-a===R-r===========R-r
      c2:              A-x      A-a==R-r)"},
                                {"an earlier own release has an unknown outcome", R"(
      c1:  A-a=R-?A-a===A-a===R-r===========R-r
      c2:              A-x       A-a==R-r)"},
                                {"the outer lease had ended", R"(
      c1:        A-a==!A-a===R-r===========R-r
      c2:              A-x      A-a==R-r)"}}) {
    EXPECT_NE(VerdictOnReentry(drawn.picture).outcome, Outcome::kViolated)
        << drawn.name << ": " << VerdictOnReentry(drawn.picture).reason;
  }
  EXPECT_EQ(VerdictOnReentry(kFreedByTheInnerExit, {.nodes = 3}).outcome, Outcome::kViolated);
}

// An entry whose lease ended before the next entry is not counted with it. Its release frees the
// next entry.
TEST(Reentry, ANestedExitIsBlamedOnlyIfTheEntriesWereCountedTogether) {
  struct Case {
    ReentryCase drawn;
    std::map<uint64_t, uint64_t> left;  // the drawn entry, and the one that is left instead of it
  };
  const std::map<uint64_t, uint64_t> first{{102, 101}, {101, 102}};
  for (const Case& one : std::vector<Case>{{{"the first lease had ended", R"(
      c1:        A-a=!==A-a===R-r===========R-r
      c2:                  A-x     A-a==R-r)",
                                             Outcome::kUnknown},
                                            first},
                                           {{"the first lease still ran", R"(
      c1:        A-a====A-a===R-r===========R-r
      c2:                  A-x     A-a==R-r)",
                                             Outcome::kViolated},
                                            first},
                                           {{"an ended entry was left before", R"(
      c1:        A-a=!==A-aA-a===R-rR-r===========R-r
      c2:                      A-x       A-a==R-r)",
                                             Outcome::kUnknown},
                                            {{103, 101}, {102, 103}, {101, 102}}},
                                           {{"an ended entry was left before the others began", R"(
      c1:        A-a=!==R-rA-aA-a===R-r===========R-r
      c2:                      A-x     A-a==R-r)",
                                             Outcome::kViolated},
                                            {}}}) {
    History history = FromLanes(one.drawn.picture);
    for (Event& event : history.events) {
      const auto other = one.left.find(event.hold);
      if (event.op == Op::kRelease && other != one.left.end()) event.hold = other->second;
    }
    const ClaimVerdict verdict = CheckReentry(history, {});
    EXPECT_EQ(verdict.outcome, one.drawn.outcome) << one.drawn.name << ": " << verdict.reason;
  }
}

// The extension of an ended entry extends the entry that the owner has then.
TEST(Reentry, AnEndedEntryThatWasExtendedIsNoOuterHold) {
  for (const auto& [first_lease_ms, outcome] :
       {std::pair(12, Outcome::kUnknown), std::pair(100, Outcome::kViolated)}) {
    History history = FromLanes(R"(
      c1:        A-aA-a=R-r======A-a=E-e=R-r===========R-r
      c2:           A-x                     A-a==R-r)");
    for (Event& event : history.events) {
      if (event.op == Op::kExtend) event.hold = 101;
      const bool first_grant = event.op == Op::kAcquire && event.hold == 101;
      if (first_grant) event.value[0] = int64_t{1'000'000} * first_lease_ms;
    }
    const ClaimVerdict verdict = CheckReentry(history, {});
    EXPECT_EQ(verdict.outcome, outcome) << first_lease_ms << verdict.reason;
  }
}

// K21: an acquire that was carried out twice counts as two entries. One exit leaves one entry.
TEST(Reentry, IsViolatedWhenTheLastExitDoesNotFreeTheLock) {
  const ClaimVerdict verdict = VerdictOnReentry(R"(
      c1:          A------a===R-r
      drop c1:        [-]
      c2:                            A-t       A-a==R-r)");
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(verdict.count, 1);
  EXPECT_EQ(
      verdict.violations.at(0).sentence,
      "client 2 was refused the key at 0.020 s, although client 1 had released it at 0.013 s, "
      "and nobody had been granted it since; no fault was active; before that, client 1's messages "
      "were "
      "being lost (0.003-0.005 s)");
}

TEST(Reentry, ARefusalProvesNothingWhereTheKeyMayHaveBeenTaken) {
  for (const ReentryCase& drawn : std::vector<ReentryCase>{
           {"a hold that was never released", R"(
      c1:          A-a===
      c2:                          A-t       A-a==R-r)"},
           {"a hold whose release is not answered", R"(
      c1:          A-a===R-?
      c2:                          A-t       A-a==R-r)"},
           {"an outer hold that was not released", R"(
      c1:          A-a==A-a===R-r
      c2:                          A-t       A-a==R-r)"},
           {"a nested acquire of unknown outcome", R"(
      c1:          A-a=A-?R-rR-r
      c2:                          A-t       A-a==R-r)"},
           {"an acquire of unknown outcome after an exit of unknown outcome", R"(
      c1:   A-a=A-a=R-rR-? A-?R-r
      c2:                            A-a=R-r
      c3:                                       A-t       A-a==R-r)"},
           {"an acquire of unknown outcome", R"(
      c1:          A-a===R-r
      c2:                          A-t       A-a==R-r
      c3:         A-?)"},
           {"an unknown acquire that was released during the refused acquire", R"(
      c1:          A-a===R-r
      c3:                A----?R----r
      c2:                        A---t     A-a==R-r)"},
           {"another acquire that was pending, and later granted", R"(
      c1:          A-a===R-r
      c2:                          A-t       A-a==R-r
      c3:                         A---a==R-r)"},
           {"a refused acquire from before the last exit returned", R"(
      c1:          A-a===R-r
      c2:                 A-t       A-a==R-r)"},
           {"a node that lost data and may have recovered it", R"(
      c1:          A-a===R-r
      restart n1:      []
      c2:                          A-t       A-a==R-r)"},
           {"the refused acquire may have run twice and taken the key", R"(
      c1:          A-a===R-r
      drop c2:                      []
      c2:                          A---t     A-a==R-r)"},
           {"an earlier refused acquire may have run twice", R"(
      c1:          A-a===R-r
      hold c2:                      []
      c2:                          A---x A-t     A-a==R-r)"},
           {"an unanswered acquire may have run again after its release", R"(
      c1:          A----?R-r
      hold c1:       [-]
      c2:                          A-t       A-a==R-r)"},
           {"an unanswered acquire may have been sent again", R"(
      c1:          A----?R-r
      drop c1:       [-]
      c2:                          A-t       A-a==R-r)"},
           {"the second copy may block its own client", R"(
      c1:          A----?R-r  A-t
      hold c1:       [-])"},
           {"a granted acquire may have run twice", R"(
      c1:          A----a=R-r
      hold c1:       [------------]
      c2:                            A-t       A-a==R-r)"},
           {"a granted acquire may have run twice because of a stall", R"(
      c1:          A----------a=R-r
      machine c1:    (-------)
      c2:                                A-t       A-a==R-r)"},
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

TEST(Reentry, OnlyAServerOfLocksMayReturnWithOlderDataThatHoldsAFreeKey) {
  const std::string refused = R"(
      c1:          A-a===R-r
      c2:                          A-t       A-a==R-r)";
  for (const auto asked : {10ms, 100ms}) {  // the key is free for 24 ms
    const LaneOptions lease{.lease = asked, .asked_lease = asked};
    EXPECT_EQ(VerdictOnReentry(refused + "\n      restart n0:  []", lease).outcome,
              Outcome::kViolated);
    const ClaimVerdict verdict = VerdictOnReentry(refused + "\n      restart n1:  []", lease);
    EXPECT_EQ(verdict.outcome, Outcome::kUnknown) << asked.count();
    EXPECT_NE(verdict.reason.find("if a server had returned with older data"), std::string::npos)
        << verdict.reason;
  }
}

// In each drawing, c1 may have sent its unanswered acquire twice. Then a call of c1 extends the
// entry of the second copy. The refusal comes more than a lease after the copy arrived.
TEST(Reentry, ACopyOfAnAcquireHoldsTheKeyAsLongAsItsSessionExtendsIt) {
  for (const ReentryCase& drawn : std::vector<ReentryCase>{{"by a release", R"(
      c1:          A-?======R-r
      drop c1:      []
      c2:                         A-t)"},
                                                           {"by a later hold", R"(
      c1:          A-?R-r===A-a====R-r
      drop c1:      []
      c2:                                         A-t)"},
                                                           {"by a re-entry", R"(
      c1:          A-?R-r=A-a===A-a=R-rR-r
      drop c1:      []
      c2:                                   A-t)"},
                                                           {"by calls before another grant", R"(
      c1:          A------?R-r
      c2:            A--a=R-r
      drop c1:      []
      c3:                       A-t)"}}) {
    EXPECT_NE(VerdictOnReentry(drawn.picture, {.asked_lease = 10ms}).outcome, Outcome::kViolated)
        << drawn.name;
    const std::string of_another =
        std::regex_replace(drawn.picture, std::regex("drop c1"), "drop c4");
    EXPECT_EQ(VerdictOnReentry(of_another, {.asked_lease = 10ms}).outcome, Outcome::kViolated)
        << drawn.name;
  }
  // A later grant to another client proves that the copy's entry has ended.
  EXPECT_EQ(VerdictOnReentry(R"(
      c1:          A-?R-r
      drop c1:      []
      c2:                A-a=R-r
      c3:                       A-t)",
                             {.asked_lease = 10ms})
                .outcome,
            Outcome::kViolated);
}

// The owner leaves its granted entry first, and then the unanswered one.
TEST(Reentry, ACopyOfAnAcquireByAHolderLastsAsLongAsTheHolderExtendsIt) {
  for (const auto& [client, outcome] :
       {std::pair("c1", Outcome::kUnknown), std::pair("c4", Outcome::kViolated)}) {
    History history = FromLanes(std::string(R"(
      c1:          A-a=A-?===============R-rR-r
      drop )") + client + R"(:          []
      c2:                                            A-t)",
                                {.asked_lease = 10ms});
    for (Event& event : history.events)
      if (event.op == Op::kRelease) event.hold = event.hold == 101 ? 102 : 101;
    history.facts.lock_traits = LockTraits{LockTrait::kReentry};
    EXPECT_EQ(CheckReentry(history, {}).outcome, outcome) << client;
  }
}

TEST(Reentry, ARefusalIsAViolationIfNoSecondCopyIsPossible) {
  for (const ReentryCase& drawn :
       std::vector<ReentryCase>{{"messages of another client were lost", R"(
      c1:          A-a===R-r
      drop c3:                      []
      c3:          Q
      c2:                          A---t     A-a==R-r)"},
                                {"messages were lost before the refused acquire", R"(
      c1:          A-a===R-r
      drop c2:            []
      c2:                          A---t     A-a==R-r)"},
                                {"the lease of an earlier refused acquire has ended", R"(
      c1:          A-a===R-r
      hold c2:                    []
      c2:                        A---x          A-t     A-a==R-r)"},
                                {"the lease of an unanswered acquire has ended", R"(
      c1:          A----?R-r
      hold c1:       [-]
      c2:                                 A-t       A-a==R-r)"},
                                {"the copy of a granted acquire came before another grant", R"(
      c1:          A-a==R-r
      hold c1:      [--]
      c2:                     A-a=R-r
      c3:                            A-t)"}}) {
    const ClaimVerdict verdict = VerdictOnReentry(drawn.picture, {.asked_lease = 10ms});
    EXPECT_EQ(verdict.outcome, Outcome::kViolated) << drawn.name << ": " << verdict.reason;
  }
  // The holder of a granted acquire may extend its copy's entry.
  EXPECT_NE(VerdictOnReentry(R"(
      c1:          A----a===============R-r
      hold c1:       []
      c2:                                    A-t)",
                             {.asked_lease = 10ms})
                .outcome,
            Outcome::kViolated);
  // The second copy may arrive as late as the end of the fault, and then holds the key for a lease.
  EXPECT_NE(VerdictOnReentry(R"(
      c1:          A-a===R-r
      hold c2:        [-----------]
      c2:             A-x             A-t)",
                             {.asked_lease = 10ms})
                .outcome,
            Outcome::kViolated);
}

// Client 1's copy may wait in a queue while client 2 holds the key, and hold the key afterwards.
TEST(Reentry, ASecondCopyMayWaitInAQueueWhileOthersHoldTheKey) {
  for (const auto& [traits, outcome] :
       {std::pair(LockTraits{LockTrait::kReentry}, Outcome::kViolated),
        std::pair(LockTraits{LockTrait::kReentry, LockTrait::kQueue}, Outcome::kUnknown)}) {
    for (const std::string acquires : {"A----a=R-r", "A-----x", "A----?R-r"}) {
      History history = FromLanes("      c1:         " + acquires + R"(
      hold c1:      [-]
      c2:           A-t     A-a===R-r
      c3:                                A-t)",
                                  {.asked_lease = 5ms});
      history.facts.lock_traits = traits;
      EXPECT_EQ(CheckReentry(history, {}).outcome, outcome) << acquires;
    }
  }
}

TEST(Reentry, ARefusalIsJudgedOnlyBeforeTheNextAcquireThatMayHaveBeenGranted) {
  const ClaimVerdict verdict = VerdictOnReentry(R"(
      c1:        A-a===A-a===R-r======R-r
      c2:              A-t      A-t       A-?
      c3:                                                               A-t)",
                                                {.asked_lease = 24ms});
  EXPECT_EQ(verdict.outcome, Outcome::kValid) << verdict.reason;
}

TEST(Reentry, AnEntryThatHasCertainlyEndedExplainsNoRefusal) {
  // First case: the release ended the acquire of unknown outcome. Second case: c2's grant proves
  // that c1's unreleased hold is gone.
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

TEST(Reentry, AHoldWhoseEndIsNotKnownExplainsNoRefusalLongAfterItsLease) {
  for (const ReentryCase& drawn : std::vector<ReentryCase>{{"an acquire of unknown outcome", R"(
      c3:                A-?
      c1:              A-a===R-r
      c2:                    )"},
                                                           {"a hold that was never released", R"(
      c3:                A-b=
      c1:              A-b===R-r
      c2:                    )"}}) {
    const LaneOptions lease{.lease = 6ms, .asked_lease = 6ms};
    EXPECT_EQ(VerdictOnReentry(drawn.picture + "   A-t          A-a==R-r", lease).reason,
              "no client entered again what it held")
        << drawn.name << ", within its lease";
    const ClaimVerdict verdict =
        VerdictOnReentry(drawn.picture + "     A-t        A-a==R-r", lease);
    EXPECT_EQ(verdict.outcome, Outcome::kUnknown);
    EXPECT_EQ(
        verdict.reason,
        "client 2 was refused the key at 0.013 s, although client 1 had released it at 0.008 s, "
        "and nobody had been granted it since; that is right if a hold without a known "
        "end still kept the key")
        << drawn.name;
  }
}

// A fair lock refuses a free key to all but the first client in its queue.
TEST(Reentry, IsUnknownWhereAnotherClientMayHaveBeenAheadInAQueue) {
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
      "client 3 was refused the key at 0.018 s, although client 1 had released it at 0.015 s, "
      "and nobody had been granted it since; that is right if another session was ahead in a "
      "queue");
}

// Each client that waits is refused after the last exit. So the first in any queue is refused too.
constexpr char kEachIsRefused[] = R"(
      c1:           A-a=A-a=R-r====R-r         A-a=R-r
      c2:            A-t       A-t    A-t
      c3:            A-t                  A-t)";

TEST(Reentry, IsUnknownWhereEachThatWaitsIsRefusedAFreeKey) {
  const LaneOptions lease{.lease = 30ms};
  const ClaimVerdict verdict = VerdictOnReentry(kEachIsRefused, lease);
  EXPECT_EQ(verdict.outcome, Outcome::kUnknown);
  EXPECT_EQ(
      verdict.reason,
      "client 3 was refused the key at 0.024 s, although client 1 had released it at 0.017 s, "
      "and nobody had been granted it since; that is right if the first in a queue had lost "
      "its "
      "place");
  EXPECT_EQ(VerdictOnReentry(R"(
      c1:           A-a=A-a=R-r====R-r         A-a=R-r
      c2:            A-t       A-t    A-t
      c3:            A-t)",
                             lease)
                .outcome,
            Outcome::kValid);
}

TEST(Reentry, ALockWithoutAQueueMayNotRefuseAFreeKey) {
  for (const auto& [traits, outcome] :
       {std::pair(LockTraits{LockTrait::kReentry}, Outcome::kViolated),
        std::pair(LockTraits{LockTrait::kReentry, LockTrait::kQueue}, Outcome::kUnknown),
        std::pair(LockTraits{LockTrait::kReentry, LockTrait::kMajority}, Outcome::kUnknown),
        std::pair(LockTraits{LockTrait::kReentry, LockTrait::kManyKeys}, Outcome::kUnknown)}) {
    History history = FromLanes(kEachIsRefused, {.lease = 30ms});
    history.facts.lock_traits = traits;
    EXPECT_EQ(CheckReentry(history, {}).outcome, outcome);
    history.facts.library = LibraryFact{"mylib", "1", {}};
    EXPECT_EQ(CheckReentry(history, {}).outcome, Outcome::kUnknown);
  }
}

// A nested exit or a re-entry may set a full lease again. The lease of the drawings is 15 columns.
TEST(Reentry, TheLeaseOfAnOwnerCountsFromItsLastCall) {
  const std::string killed = R"(
      c1:           A-a=A-a=R-r=
      c2:             A-x      A-x
      crash c1:                    [])";
  const std::string slow = R"(
      c1:           A-a=A-a=R-r========================R-r
      c2:             A-x      A-x)";
  const std::string refused_meanwhile = R"(
      c1:           A-a=A-a=R-r========A-x=======================R-r
      c2:             A-x      A-x)";
  const std::string within_its_lease = R"(
      c3:                               A-t          A-a==R-r)";
  const std::string after_its_lease = R"(
      c3:                                      A-t        A-a==R-r)";
  for (const std::string& owner : {killed, slow, refused_meanwhile}) {
    const LaneOptions lease{.asked_lease = 15ms};
    EXPECT_EQ(VerdictOnReentry(owner + within_its_lease, lease).outcome, Outcome::kValid) << owner;
    EXPECT_EQ(VerdictOnReentry(owner + after_its_lease, lease).outcome, Outcome::kUnknown) << owner;
  }
}

TEST(Reentry, AnOwnerThatIsKilledIsInsideUntilThen) {
  EXPECT_EQ(VerdictOnReentry(R"(
      c1:           A-a=A-a=R-r=
      c2:             A-x      A-x
      crash c1:                    []
      c3:                                       A-a==R-r)",
                             {.asked_lease = 15ms})
                .outcome,
            Outcome::kValid);
  // The refusal came after the lease of the outer entry.
  EXPECT_EQ(VerdictOnReentry(R"(
      c1:           A-a=A-a=R-r=
      c2:             A-x
      c3:                           A-x
      crash c1:                        []
      c4:                                       A-a==R-r)",
                             {.asked_lease = 15ms})
                .reason,
            "nobody was kept from the key after a nested exit");
  // The owner may have left its first entry before it entered again.
  EXPECT_EQ(VerdictOnReentry(R"(
      c1:        A-a=A-a=R-r===  A-a=R-r
      c2:          A-x     A-a=R-r)")
                .outcome,
            Outcome::kUnknown);
}

TEST(Reentry, IsUnknownWhereAnExitIsToldWithinItsLeaseThatTheLockIsNotItsOwn) {
  const std::string kept = R"(
      c1:        A-a=A-a=R-r====R-r
      c2:          A-x      A-x)";
  EXPECT_EQ(VerdictOnReentry(kept).outcome, Outcome::kValid);
  const std::string refused = kept + R"(
      c3:                            A-a=A-a=R-r==R-x)";
  EXPECT_EQ(VerdictOnReentry(refused).reason,
            "client 3's exit at 0.033 s reported a lost lock, though the lease ran until 1.020 s "
            "and nobody else was granted the key; the report is right only if an earlier exit "
            "freed the lock");
  EXPECT_EQ(VerdictOnReentry(refused + "\n      flush n1:                            []").outcome,
            Outcome::kValid);
  EXPECT_EQ(VerdictOnReentry(kept + R"(
      c3:                            A-a==R-x)")
                .outcome,
            Outcome::kValid);
}

// Client 1 had left its first entry, whose lease was over at its exit.
TEST(Reentry, AnExitAfterTheLeaseOfTheOuterEntryIsNoNestedExit) {
  EXPECT_EQ(VerdictOnReentry(R"(
      c1:    A-a!=======A-a=R-r
      c2:       A-------------a=R-r
      c3:    A-------------------x)")
                .reason,
            "no client entered again what it held");
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
