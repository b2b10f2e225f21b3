#include "checker/claims/lock/release.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

ClaimVerdict VerdictOnRelease(const std::string& picture, const LaneOptions& options = {}) {
  return CheckRelease(FromLanes(picture, options), {});
}

struct ReleaseCase {
  std::string name;
  std::string picture;
  std::string because{};  // a part of the reason
};

constexpr char kReleaseStale[] = R"(
      c1:       A-a==!==========R-f
      c2:                A-a===========R-x
      pause c1:     [---------]           | 9)";

TEST(Release, IsViolatedWhenAHolderPastItsLeaseFreedTheNextHoldersLock) {
  const ClaimVerdict verdict = VerdictOnRelease(kReleaseStale);
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(verdict.count, 1);
  EXPECT_EQ(verdict.opportunities, 2);
  EXPECT_EQ(verdict.unit, "releases");
  EXPECT_EQ(verdict.reason, "1 of 2 releases freed a lock that another held");
  EXPECT_EQ(
      verdict.violations.at(0).sentence,
      "client 1's lease ended at 0.005 s while it was stopped (0.004-0.014 s); it released the "
      "key at 0.016 s and freed the lock of client 2, which had been granted it at 0.011 s");
  EXPECT_EQ(verdict.violations.at(0).first->hold, 101U);
  EXPECT_EQ(verdict.violations.at(0).second->hold, 201U);
  EXPECT_EQ(verdict.margins.at(0).what,
            "least lease left after a release that did not check the owner");
  EXPECT_EQ(verdict.margins.at(0).value, -13'000'000);
}

TEST(Release, IsViolatedByAReleaseWithoutAGrant) {
  const ClaimVerdict verdict = VerdictOnRelease(R"(
      c1:    A-a============R-f
      c2:         A-x R-f        )");
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(
      verdict.violations.at(0).sentence,
      "client 2 released the key at 0.009 s, though it had not been granted it, and freed the "
      "lock of client 1, which had been granted it at 0.002 s; no fault was active");
  EXPECT_FALSE(verdict.violations.at(0).first.has_value());
}

TEST(Release, ThreadsOfOneClientAreSeparateOwners) {
  const ClaimVerdict verdict = VerdictOnRelease(R"(
      c1:      A-a============R-x
      c1.2:         A-x R-f        )");
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(
      verdict.violations.at(0).sentence,
      "client 1, thread 2 released the key at 0.009 s, though it had not been granted it, and "
      "freed the lock of client 1, thread 1, which had been granted it at 0.002 s; no fault "
      "was active");
}

TEST(Release, IsValidWhereEveryOwnerFreesItsOwnLock) {
  for (const ReleaseCase& drawn :
       std::vector<ReleaseCase>{{"holds in turn", R"(
      c1:    A-a===R-f
      c2:                A-a===R-f)"},
                                {"releases that check the owner", R"(
      c1:    A-a==!==========R-r
      c2:             A-a===========R-r)"},
                                {"a refused release", R"(
      c1:    A-a==!==========R-x
      c2:             A-a===========R-r)"},
                                {"the next grant came before the release was answered", R"(
      c1:    A-a===R----f
      c2:             A-a===R-f)"},
                                {"the next acquire was invoked before the release", R"(
      c1:    A-a===R--f
      c2:        A----a===R-f)"}}) {
    EXPECT_EQ(VerdictOnRelease(drawn.picture).outcome, Outcome::kValid)
        << drawn.name << ": " << VerdictOnRelease(drawn.picture).reason;
  }
}

TEST(Release, AHolderMayFreeItsOwnLockUntilTheLastInstantOfItsLease) {
  EXPECT_EQ(VerdictOnRelease(R"(
      c1:    A-a===R---f
      c2:           A-a===R-r)",
                             {.asked_lease = 10ms})
                .outcome,
            Outcome::kValid);
}

TEST(Release, IsUnknownWhereTheReleaseMayBeInnocent) {
  for (const ReleaseCase& drawn :
       std::vector<ReleaseCase>{{"c1 may have been granted the key after c2 was", R"(
      c1:       A----------a=!R-f
      c2:     A----a===============R-f)",
                                 "client 1's acquire at 0.002 s was granted"},
                                {"c2 let go during the release, within c1's lease", R"(
      c1:    A-a========R------f
      c2:           A-a===R-r)"},
                                {"c1 may have freed its own lock and been answered late", R"(
      c1:    A-a==!R-----------f
      c2:             A-a==========R-f)",
                                 "client 1's acquire at 0.000 s was granted"},
                                {"an acquire of unknown outcome may have been delivered late", R"(
      c1:    A-? A-a==!==========R-f
      c2:                 A-a===========R-f)",
                                 "client 1's acquire at 0.000 s was not answered"},
                                {"c3's acquire of unknown outcome may have been granted", R"(
      c1:    A-a==!==========R-f
      c2:             A-a===========R-f
      c3:      A-?)",
                                 "client 3's acquire at 0.002 s was not answered"},
                                {"c2 was releasing the key meanwhile", R"(
      c1:    A-a==!==========R---f
      c2:             A-a======R-f)",
                                 "client 2 may have lost the key by then"},
                                {"the node restarted with older data", R"(
      c1:         A-a==!==========R-f
      c2:                  A-a===========R-f
      restart n1:                 [])",
                                 "node 1 had been restarted"},
                                {"c2 released at the instant of an unanswered release", R"(
      c1:    A-a==!==========R-?
      c2:             A-a====R-f)"},
                                {"the release was not answered", R"(
      c1:    A-a==!==========R-?
      c2:             A-a===========R-f)"}}) {
    const ClaimVerdict verdict = VerdictOnRelease(drawn.picture);
    EXPECT_EQ(verdict.outcome, Outcome::kUnknown) << drawn.name << ": " << verdict.reason;
    EXPECT_NE(verdict.reason.find(drawn.because), std::string::npos) << verdict.reason;
  }
  const std::string several = VerdictOnRelease(kReleaseStale, {.nodes = 3}).reason;
  EXPECT_TRUE(several.ends_with("of several nodes, only some may have freed it")) << several;
  EXPECT_EQ(VerdictOnRelease("c1: A-a===").reason, "no release was answered");
}

TEST(Release, IsUnknownWhereAnUnansweredReleaseMayHaveFreedALockThatWasGoneEarly) {
  const ClaimVerdict verdict = VerdictOnRelease(R"(
      c1:    A-a==R-?
      c2:             A-a===R-x A-a===R-r)");
  EXPECT_EQ(verdict.outcome, Outcome::kUnknown);
  EXPECT_EQ(verdict.reason,
            "the lock of client 2 was gone at 0.017 s, before its lease was over, and the release "
            "that client 1 called at 0.005 s was not answered");
  // A server's clock explains a lock that was gone early, a client's clock does not.
  for (const auto& [lane, outcome] :
       {std::pair("jump n1:     [-----------------]", Outcome::kValid),
        std::pair("restart n1:                 []", Outcome::kValid),
        std::pair("jump c2:     [-----------------]", Outcome::kUnknown)}) {
    const ClaimVerdict explained = VerdictOnRelease(std::string(R"(
      c1:            A-a==R-?
      c2:                     A-a===R-x A-a===R-r
      )") + lane);
    EXPECT_EQ(explained.outcome, outcome) << lane << ": " << explained.reason;
  }
  // The first lock was gone before the release, and the second was not gone.
  EXPECT_EQ(VerdictOnRelease(R"(
      c1:                     A-a==R-?
      c2:         A-a===R-x            A-a===R-r)")
                .outcome,
            Outcome::kValid);
  // Of several, the last lock that was gone and the first release that was not answered count.
  EXPECT_EQ(VerdictOnRelease(R"(
      c1:                     A-a==R-?
      c2:         A-a===R-x            A-a===R-x)")
                .outcome,
            Outcome::kUnknown);
}

TEST(Release, IsUnknownWhereASlowReleaseMayHaveFreedALockThatWasGoneEarly) {
  const ClaimVerdict verdict = VerdictOnRelease(R"(
      c1:    A-a=R--!---------r
      c2:               A-a========R-x)");
  EXPECT_EQ(verdict.outcome, Outcome::kUnknown);
  EXPECT_EQ(verdict.reason,
            "the lock of client 2 was gone at 0.024 s, before its lease was over, and client 1 "
            "released the key from 0.004 s to 0.017 s, when its own lease had ended");
  for (const ReleaseCase& drawn : std::vector<ReleaseCase>{{"within its own lease", R"(
      c1:    A-a=R------------r   !
      c2:               A-a========R-x)"},
                                                           {"c2's lock was there", R"(
      c1:    A-a=R--!---------r
      c2:               A-a========R-r)"},
                                                           {"c2's lease had ended", R"(
      c1:    A-a=R--!---------r
      c2:               A-a=====!==R-x)"},
                                                           {"of another key", R"(
      c1 b:  A-a=R--!---------r
      c2:               A-a========R-x)"},
                                                           {"before c2's acquire", R"(
      c1:    A-a=R--!-r
      c2:               A-a========R-x)"},
                                                           {"after c2's release", R"(
      c1:    A-a====!=================R-r
      c2:         A-a========R-x)"}}) {
    EXPECT_EQ(Name(VerdictOnRelease(drawn.picture).outcome), Name(Outcome::kValid))
        << drawn.name << ": " << VerdictOnRelease(drawn.picture).reason;
  }
}

TEST(Release, ALibrarysReleaseMayHaveFoundNoKey) {
  const auto check_library = [](const std::string& picture) {
    History history = FromLanes(picture);
    history.facts.library = LibraryFact{"drawn", "1", {}};
    return CheckRelease(history, {}).outcome;
  };
  EXPECT_EQ(check_library(kReleaseStale), Outcome::kViolated);
  for (const ReleaseCase& drawn : std::vector<ReleaseCase>{{"c2's lease had ended", R"(
      c1:    A-a==!===============R-f
      c2:             A-a===!============R-x)"},
                                                           {"c2's key was deleted", R"(
      c1:           A-a==!===============R-f
      c2:                    A-a================R-x
      delete-key n1:              [])"},
                                                           {"the node's clock was moved", R"(
      c1:     A-a==!===============R-f
      c2:              A-a================R-x
      jump n1:              [])"}}) {
    EXPECT_EQ(check_library(drawn.picture), Outcome::kUnknown) << drawn.name;
    EXPECT_EQ(VerdictOnRelease(drawn.picture).outcome, Outcome::kViolated) << drawn.name;
  }
}

TEST(Release, ANestedExitOfALibraryNeedNotFreeALock) {
  const auto outcome = [](const std::vector<std::string>& can) {
    return VerdictOnRelease(R"(
      c1:       A-a=A-a==!=======R-f========R-x
      c2:                   A-a==================R-f)",
                            {.library = LibraryFact{"drawn", "1", can}})
        .outcome;
  };
  EXPECT_EQ(outcome({"lease", "blind-release"}), Outcome::kViolated);
  EXPECT_EQ(outcome({"lease", "blind-release", "reentrant"}), Outcome::kUnknown);
}

TEST(Release, ASecondCopyOfAnOwnAcquireMayHaveBeenFreed) {
  const std::string picture = R"(
      c1:             A--a===!                  R-f
      c2:                       A-a===!============R-x)";
  EXPECT_EQ(VerdictOnRelease(picture).outcome, Outcome::kViolated);
  EXPECT_EQ(VerdictOnRelease(picture + R"(
      duplicate c1:    [-------------])")
                .outcome,
            Outcome::kUnknown);
}

TEST(Release, IsUnknownWhereALibraryReportedSuccessForALostLock) {
  const auto check_library = [](const std::string& picture, std::vector<std::string> can) {
    History history = FromLanes(picture);
    history.facts.library = LibraryFact{"drawn", "1", std::move(can)};
    return CheckRelease(history, {});
  };
  const std::string lost = R"(
      c1:    A-a==!==================R-r
      c2:             A-a==R-r          )";
  const std::string met = lost + R"(
      c3:                       A-a=======R-r)";
  // Client 1's unanswered acquire may have taken the key, but client 3 has held it since.
  const std::string asked_before = R"(
      c1: A-? A-a==!==================R-r
      c2:             A-a==R-r
      c3:                       A-a=======R-r)";
  EXPECT_EQ(check_library(asked_before, {"lease"}).outcome, Outcome::kUnknown);
  const ClaimVerdict unknown = check_library(met, {"lease"});
  EXPECT_EQ(unknown.outcome, Outcome::kUnknown);
  EXPECT_EQ(unknown.reason,
            "client 1 released the key at 0.024 s and was told that this freed its lock, which was "
            "lost; client 3 held the key then, and may have lost it by that");
  EXPECT_EQ(check_library(met, {"lease", "silent-release"}).outcome, Outcome::kValid);
  EXPECT_EQ(check_library(lost, {"lease"}).outcome, Outcome::kValid) << "nobody held the key then";
  EXPECT_EQ(check_library(lost + R"(
      c3:                       A-a==R-r)",
                          {"lease"})
                .outcome,
            Outcome::kValid)
      << "c3 may have released the key before";
  EXPECT_EQ(check_library(lost + R"(
      c3:                     A-a=!=========R-x)",
                          {"lease"})
                .outcome,
            Outcome::kValid)
      << "c3's lease had ended";
  EXPECT_EQ(VerdictOnRelease(met).outcome, Outcome::kValid) << "our locks check the owner";
}

TEST(Release, ALibrarysSuccessIsNotDoubtedIfTheOtherKeyMayHaveBeenGone) {
  const std::string met = R"(
      c1:             A-a==!==================R-r
      c2:                      A-a==R-r
      c3:                                A-a=======R-r)";
  const auto outcome = [&](const std::string& fault) {
    History history = FromLanes(met + fault);
    history.facts.library = LibraryFact{"drawn", "1", {"lease"}};
    return CheckRelease(history, {}).outcome;
  };
  EXPECT_EQ(outcome(""), Outcome::kUnknown);
  EXPECT_EQ(outcome(R"(
      delete-key n1:                        [])"),
            Outcome::kValid);
  EXPECT_EQ(outcome(R"(
      jump n1:                              [])"),
            Outcome::kValid);
  EXPECT_EQ(outcome(R"(
      delete-key n1:              [])"),
            Outcome::kUnknown)
      << "c3's key was set after that fault";
  EXPECT_EQ(outcome(R"(
      restart n0:                           [])"),
            Outcome::kUnknown)
      << "the store keeps no locks";
  History other = FromLanes(met + R"(
      delete-key n1:                        [])");
  other.facts.library = LibraryFact{"drawn", "1", {"lease"}};
  other.facts.keys.emplace_back("item-1");
  other.facts.faults.at(0).key = "item-1";
  EXPECT_EQ(CheckRelease(other, {}).outcome, Outcome::kUnknown) << "another lock's key was deleted";
}

TEST(Release, ALibrarysSuccessIsDoubtedOnlyIfAnotherClientHeldTheLostKey) {
  const auto outcome = [](const std::string& picture, int nodes = 1) {
    History history = FromLanes(picture, {.nodes = nodes});
    history.facts.library = LibraryFact{"drawn", "1", {"lease"}};
    return CheckRelease(history, {}).outcome;
  };
  const std::string met = R"(
      c1:          A-a==!==================R---r
      c2:                   A-a==R-r
      c3:                             A-a========R-r)";
  EXPECT_EQ(outcome(met), Outcome::kUnknown);
  // Even if client 1's acquire has run twice, client 3 has held the key since.
  const std::string copied = met + "\n      delay c1:    []";
  EXPECT_EQ(outcome(copied), Outcome::kUnknown);
  EXPECT_EQ(outcome(copied, 3), Outcome::kValid) << "some nodes may have kept client 1's lock";
  for (const ReleaseCase& drawn :
       std::vector<ReleaseCase>{{"the library reported the lost lock", R"(
      c1:    A-a==!==================R---x
      c2:             A-a==R-r
      c3:                       A-a========R-r)"},
                                {"c3 was granted the key during the release", R"(
      c1:    A-a==!==================R---r
      c2:             A-a==R-r
      c3:                          A---a=====R-r)"},
                                {"c3 was granted the key at the instant of c1's release", R"(
      c1:    A-a==!==================R---r
      c2:             A-a==R-r
      c3:                        A---a=====R-r)"},
                                {"c3 released the key during the release of c1", R"(
      c1:    A-a==!==================R---r
      c2:             A-a==R-r
      c3:                       A-a====R-r)"}}) {
    EXPECT_EQ(outcome(drawn.picture), Outcome::kValid) << drawn.name;
  }
}

TEST(Release, IsUnknownWhereAStallExplainsTheRelease) {
  EXPECT_EQ(VerdictOnRelease(R"(
      c1:         A-a==!==========R-f
      c2:                  A-a===========R-x
      machine c1:    (-----------)          )")
                .outcome,
            Outcome::kUnknown);
}

TEST(Release, IsUnknownWhereAReaderMayHaveFreedItsOwnOrAnotherReadersLock) {
  // c1 may have freed its own lock or c2's: readers hold the key together.
  EXPECT_EQ(VerdictOnRelease(R"(
      c1:    A-b==!==========R-f
      c2:             A-b===========R-r)")
                .outcome,
            Outcome::kUnknown);
}

// A client that was killed keeps its lock until its lease ends.
TEST(Release, IsUnknownWhereAReleaseMayHaveFreedAKilledClientsLock) {
  const ClaimVerdict verdict = CheckRelease(FromLanes(R"(
      c1:         A-a==!=============R-f
      c2:                   A-a==
      crash c2:                 []
      c3:                                A-a==R-f)"),
                                            {});
  EXPECT_EQ(verdict.outcome, Outcome::kUnknown) << verdict.reason;
}

}  // namespace
}  // namespace doublehold
