#include "checker/claims/library/release_result.h"

#include <gtest/gtest.h>

#include <string>
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
  EXPECT_EQ(verdict.unit, "releases of lost locks");
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

TEST(ReleaseResult, IsCertainOnlyWhereTheLockWasLostBeforeTheRelease) {
  const std::vector<ReleaseResultDrawn> drawn{
      {"who is refused is told", R"(
      c1:   A-a==!=============R-x
      c2:            A-a===R-r)",
       Outcome::kValid, 1},
      {"the other still has it", R"(
      c1:   A-a==!=============R-r
      c2:            A-a===========R-r)",
       Outcome::kViolated, 1},
      {"the other was answered after the release was called", R"(
      c1:   A-a==!=====R-------r
      c2:            A---a=R-r)"},
      {"at the same instant", R"(
      c1:   A-a==!=====R-r
      c2:         A----a=R-r)"},
      {"the other may have been granted it first", R"(
      c1:   A-----a==!=============R-r
      c2:    A-a===R-r)"},
      {"the other asked at the instant at which it was granted", R"(
      c1:   A-a==!=============R-r
      c2:     A---a===R-r)"},
      {"another session of the client is another", R"(
      c1:   A-a==!=============R-r
      c1.2:          A-a===R-r)",
       Outcome::kViolated, 1},
      {"it frees without looking", R"(
      c1:   A-a==!=============R-f
      c2:            A-a===R-r)"},
      {"it is not answered", R"(
      c1:   A-a==!=============R-?
      c2:            A-a===R-r)"},
      {"the first of two others was granted it in time", R"(
      c1:   A-a==!==================R-r
      c2:          A-a=R-r
      c3:                     A------a=)",
       Outcome::kViolated, 1},
      {"it asked once more before, and nobody knows what came of that", R"(
      c1:   A-?A-a==!=============R-r
      c2:               A-a===R-r)"},
      {"it was let in again", R"(
      c1:   A-a==!==============A-a=R-r=R-r
      c2:            A-a===R-r)"},
      {"readers let each other be", R"(
      c1:   A-b==!=============R-r
      c2:            A-b===R-r)"},
      {"a writer shuts a reader out", R"(
      c1:   A-b==!=============R-r
      c2:            A-a===R-r)",
       Outcome::kViolated, 1},
      {"a reader shuts a writer out", R"(
      c1:   A-a==!=============R-r
      c2:            A-b===R-r)",
       Outcome::kViolated, 1},
      {"a writer, and then a reader, shuts a reader out", R"(
      c1:   A-b==!====================R-r
      c2:            A-a=R-r
      c3:                    A-b=R-r)",
       Outcome::kViolated, 1},
      {"it was let in again before, and lets itself out", R"(
      c1:   A-a=A-a=R-r==!===========R-r
      c2:                   A-a=R-r)",
       Outcome::kViolated, 1},
      {"an inner exit frees nothing", R"(
      c1:   A-a=A-a==!===========R-r
      c2:               A-a=R-r)"},
      {"by its own count it may be inside still", R"(
      c1:   A-a=A-a=R-?==!===========R-r
      c2:                   A-a=R-r)"},
      {"the other may have been let in by its own count", R"(
      c1:              A-a==!==========R-r
      c2:   A-a=R-?              A-a=R-r)"},
      {"its acquire may have been sent twice, and come again", R"(
      hold c1: [--------------------------]
      c1:         A--a==!===================R-r
      c2:                   A-a===R-r)"},
      {"only another's was kept back", R"(
      hold c2: [--------------------------]
      c1:         A--a==!===================R-r
      c2:                   A-a===R-r)",
       Outcome::kViolated, 1},
      {"the node came back with older data", R"(
      c1:             A-a==!=============R-r
      c2:                      A-a===R-r
      restart n1:                    [-])"},
      {"it had done so before", R"(
      restart n1:  [-]
      c1:               A-a==!=============R-r
      c2:                        A-a===R-r)",
       Outcome::kViolated, 1},
      {"on several nodes both may have a part", R"(
      c1:   A-a==!=============R-r
      c2:            A-a===R-r)",
       Outcome::kUnknown, 0, 3},
      {"it has the key anew, and releases that", R"(
      c1:   A-a=R-r             A-a=R-r
      c2:            A-a===R-r)"},
  };
  for (const auto& [name, picture, outcome, opportunities, nodes] : drawn) {
    const ClaimVerdict verdict = VerdictOnReleaseResult(picture, {.nodes = nodes});
    EXPECT_EQ(Name(verdict.outcome), Name(outcome)) << name << ": " << verdict.reason;
    EXPECT_EQ(verdict.opportunities, opportunities) << name;
    EXPECT_EQ(verdict.violations.size(), outcome == Outcome::kViolated ? 1U : 0U) << name;
  }
}

TEST(ReleaseResult, IsUnknownWhereOneReleaseMayBeFalseAlthoughAnotherIsRight) {
  EXPECT_EQ(VerdictOnReleaseResult(R"(
      c1:              A-a==!==========R-r         A-a=R-r
      c2:   A-a=R-?              A-a=R-r
      c3:                                      A-a==========R-x)")
                .outcome,
            Outcome::kUnknown);
}

// A drawing cannot show this: its second release has no hold.
TEST(ReleaseResult, ASecondReleaseOfAHoldMustReportThatNothingWasThere) {
  for (const std::string first : {"?", "r"}) {
    for (const std::string second : {"r", "x"}) {
      const std::string one = "c1: A-a==R-" + first + "           R-" + second;
      History history = FromLanes(one + "\nc2:              A-a=R-r");
      for (Event& event : history.events) {
        if (event.op == Op::kRelease && event.hold == 0) event.hold = 101;
      }
      const ClaimVerdict verdict = CheckReleaseResult(history, {});
      const bool lies = first == "r" && second == "r";
      EXPECT_EQ(verdict.outcome, lies ? Outcome::kViolated : Outcome::kUnknown)
          << first << second << verdict.reason;
      if (!lies) continue;
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

struct OwnDrawn {
  std::string name;
  std::string picture;
  Outcome outcome = Outcome::kUnknown;
};

TEST(ReleaseResult, IsViolatedWhereAReleaseDeniesALiveLockThatNobodyElseCanHaveTaken) {
  const ClaimVerdict verdict = VerdictOnReleaseResult(R"(
      c1:   A-a=====R-x     !
      c2:                A-a=R-r)");
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(verdict.reason, "1 of 1 release was answered falsely");
  EXPECT_EQ(verdict.violations.at(0).sentence,
            "client 1 released the key at 0.008 s and was told that the lock was not its own, "
            "though its lease ran until 0.016 s and nobody else was granted the key; no fault was "
            "active");
  const std::vector<OwnDrawn> drawn{
      {"its lease was over by the answer", R"(
      c1:   A-a=====R-!-x)"},
      {"another was granted the key meanwhile: it is lost, and that is told", R"(
      c1:   A-a=========R-x     !
      c2:       A-a==R-r)",
       Outcome::kValid},
      {"another was granted it, before or after", R"(
      c1:   A-a=========R---x     !
      c2:       A----------a==R-r)"},
      {"that explains it, and elsewhere all is told", R"(
      c1:   A-a=========R---x     !              A-a==!============R-x
      c2:       A----------a==R-r                          A-a=R-r)",
       Outcome::kValid},
      {"another may have been granted it", R"(
      c1:   A-a=========R-x     !
      c2:       A-?)"},
      {"that was before it asked", R"(
      c1:       A-a=====R-x     !
      c2:   A-?)"},
      {"another was refused it", R"(
      c1:   A-a=========R-x     !
      c2:       A-x)",
       Outcome::kViolated},
      {"its own acquire was not answered", R"(
      c1:   A-?  A-a=========R-x     !)"},
      {"its own release was not answered", R"(
      c1:   A-a=R-?  A-a=========R-x     !)"},
      {"another frees without looking", R"(
      c1:         A-a=========R-x     !
      c2: A-a=R----------f)"},
      {"another has freed its own before", R"(
      c1:         A-a=========R-x     !
      c2: A-a=R-r)",
       Outcome::kViolated},
      {"another that had not been granted it frees without looking", R"(
      c1:         A-a=========R-x     !
      c2: A-xR-f         R-f)"},
      {"a release that does not look is not answered", R"(
      c1:                     A-a=========R-x     !
      c2: A-a==R-f A-a==R-?)"},
      {"what a fault keeps back may come now", R"(
      c1:         A-a=========R-x     !
      hold c1: [----------------------------])"},
      {"the server was killed", R"(
      c1:              A-a=========R-x     !
      crash n1: [])"},
      {"it went in twice", R"(
      c1:   A-a=A-a===R-r=====R-x     !)"},
      {"readers let each other be", R"(
      c1:   A-b=========R-x     !
      c2:       A-b==R-r)"},
      {"a clock was moved", R"(
      c1:       A-a=========R-x     !
      jump n1:    [--])"},
      {"keys were taken away", R"(
      c1:       A-a=========R-x     !
      flush n1:   [--])"},
  };
  for (const auto& [name, picture, outcome] : drawn) {
    const ClaimVerdict of_picture = VerdictOnReleaseResult(picture);
    EXPECT_EQ(Name(of_picture.outcome), Name(outcome)) << name << ": " << of_picture.reason;
  }
}

// The history of `picture`, behind a library. The library's leases last 5 columns; the picture asks
// for a second.
ClaimVerdict VerdictOnLibrary(const std::string& picture, const std::vector<std::string>& can) {
  History history =
      FromLanes(picture, {.lease = 5ms, .grace = 5ms, .library = LibraryFact{"lib", "1", can}});
  for (Event& event : history.events) {
    if (event.op == Op::kAcquire && event.type == EventType::kInvoke)
      event.value[0] = ToNs(history.facts.lease);
  }
  if (can.empty()) history.facts.library.reset();
  return CheckReleaseResult(history, {});
}

TEST(ReleaseResult, IsViolatedWhereALibraryReportsSuccessLaterThanLeaseAndGrace) {
  const std::string late = "c1:  A-a==!             R-r";
  const ClaimVerdict verdict = VerdictOnLibrary(late, {"lease"});
  ASSERT_EQ(verdict.outcome, Outcome::kViolated) << verdict.reason;
  EXPECT_EQ(verdict.violations.at(0).sentence,
            "client 1's lease ended at 0.005 s; it released the key at 0.019 s and was told that "
            "this freed its lock, whose lease was over since 0.007 s; no fault was active");
  const std::vector<OwnDrawn> drawn{
      {"it is refused", "c1:  A-a==!             R-x"},
      {"within grace of the latest end", "c1:  A-a==!      R-r"},
      {"it frees without looking", "c1:  A-a==!             R-f"},
      {"it may have the key once more", "c1:  A-?  A-a==!             R-r"},
      {"its acquire may be sent again", R"(
      delay c1: [---------]
      c1:         A-a==!             R-r)"},
      {"a clock was moved", R"(
      c1:         A-a==!             R-r
      jump n1:       [-])"},
      {"it reads, and another may keep its lock", "c1:  A-b==!             R-r"},
      {"its extension may be sent again", R"(
      hold c1:                 [-]
      c1:         A-a==!             R-r)"},
  };
  for (const auto& [name, picture, outcome] : drawn) {
    const ClaimVerdict of_picture = VerdictOnLibrary(picture, {"lease"});
    EXPECT_EQ(Name(of_picture.outcome), Name(outcome)) << name << ": " << of_picture.reason;
  }
  EXPECT_EQ(VerdictOnLibrary(late, {"lease", "watchdog"}).outcome, Outcome::kUnknown);
  EXPECT_EQ(VerdictOnLibrary(late, {"lost"}).outcome, Outcome::kUnknown);
  EXPECT_EQ(VerdictOnLibrary(late, {}).outcome, Outcome::kUnknown) << "it is one of ours";
}

TEST(ReleaseResult, WithLostRecordsASessionMayHaveBeenGrantedTheKeyAgain) {
  EXPECT_EQ(VerdictOnReleaseResult(std::string(kLost) + "\n      lost c1:             *").outcome,
            Outcome::kUnknown);
}

}  // namespace
}  // namespace doublehold
