#include "checker/claims/library/extend_result.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

struct ExtendCase {
  std::string name;
  std::string picture;
  Outcome outcome = Outcome::kUnknown;
};

void ExpectEachExtendResult(const std::vector<ExtendCase>& drawn) {
  for (const ExtendCase& each : drawn) {
    const ClaimVerdict verdict = CheckExtendResult(FromLanes(each.picture), {});
    EXPECT_EQ(Name(verdict.outcome), Name(each.outcome)) << each.name << ": " << verdict.reason;
  }
}

TEST(ExtendResult, IsViolatedByASuccessWhileAnotherMustHaveTheLock) {
  const ClaimVerdict verdict = CheckExtendResult(FromLanes(R"(
      c1:  A-a===!=====E-e===R-r
      c2:          A-a=============R-r)"),
                                                 {});
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(verdict.reason, "1 of 1 extension misreported whether its lock was lost");
  EXPECT_EQ(verdict.violations.at(0).sentence,
            "client 1 asked for an extension at 0.012 s, and it succeeded at 0.014 s, although "
            "client 2 had been granted the key at 0.010 s; no fault was active");
  ExpectEachExtendResult({
      {"the loss is reported", R"(
      c1:  A-a===!=====E-x===R-r
      c2:          A-a=============R-r)",
       Outcome::kValid},
      {"the lease of the other had ended", R"(
      c1:  A-a===!===========E-e===R-r
      c2:          A-a=!=============R-r)"},
      {"the other was granted it meanwhile, and one other extension was in time", R"(
      c1:  A-a=E-e=!===E-----e===R-r
      c2:            A---a=============R-r)",
       Outcome::kValid},
      {"the other released it meanwhile", R"(
      c1:  A-a===!=====E-----e===R-r
      c2:          A-a===R-r)"},
      {"the other asked for it before", R"(
      c1:    A-a===!=====E-e===R-r
      c2:  A---------a=============R-r)",
       Outcome::kViolated},
      {"two readers", R"(
      c1:  A-b===!=====E-e===R-r
      c2:          A-b=============R-r)"},
      {"a second copy of its first release may have freed the other's second lock", R"(
      c1:            A-a===!============E-e===R-r
      c2:                    A-aR-rA-a=============R-r
      duplicate c2:             [-----])"},
      {"the other's acquire was sent twice", R"(
      c1:            A-a===!=====E-e===R-r
      c2:                    A-a=============R-r
      duplicate c2:            [-])",
       Outcome::kViolated},
      {"both leases were valid", R"(
      c1:  A-a=========E-e===R-r
      c2:          A-a=============R-r)",
       Outcome::kValid},
  });
}

TEST(ExtendResult, ADoubtNamesTheEventBehindIt) {
  const std::vector<std::pair<std::string, std::string>> drawn{
      {R"(
      c1:          A-a========E-x===!  R-x
      machine c1:    (------))",
       "the machine stalled (0.002-0.009 s), and messages may have been late or sent again"},
      {R"(
      c1:          A-a========E-x===!  R-x
      c2:              A-?)",
       "client 2's acquire at 0.004 s may have been granted"},
      {"c1:  A-b===E-x===!  R-x", "the lock was shared, and its loss cannot be judged"},
      {R"(
      c1:  A-a===!===========E-e===R-r
      c2:          A-a=!=============R-r)",
       "client 2 may have lost the key by then"},
      {R"(
      c1:        A-a===!===========E-e===R-r
      c2:                A-a=================R-r
      flush n1:             [])",
       "node 1 had been emptied at 0.011 s"},
      {R"(
      c1:  A-a===!===========E-e===R-r
      c2:          A-a=================R-f
      c3:            A-x   R-f)",
       "client 3's release at 0.016 s did not check the owner, and may have freed it"},
  };
  for (const auto& [picture, why] : drawn) {
    const ClaimVerdict verdict = CheckExtendResult(FromLanes(picture), {});
    EXPECT_TRUE(verdict.reason.ends_with("; that answer may be right: " + why)) << verdict.reason;
  }
}

TEST(ExtendResult, IsViolatedByALossThatCannotHaveHappened) {
  ExpectEachExtendResult({
      {"the lease ran on, and nobody asked", "c1:  A-a===E-x===!  R-x", Outcome::kViolated},
      {"the machine stalled before", R"(
      c1:          A-a========E-x===!  R-x
      machine c1:    (------))"},
      {"the lease had ended", "c1:  A-a==!==E-x==  R-x"},
      {"the lease ended meanwhile", "c1:  A-a===E-!-x==  R-x"},
      {"another was granted it", R"(
      c1:  A-a=======E-x===!  R-x
      c2:     A-a=R-r)"},
      {"another's acquire is unanswered", R"(
      c1:  A-a=======E-x===!  R-x
      c2:     A-?)"},
      {"another was refused", R"(
      c1:  A-a=======E-x===!  R-x
      c2:     A-x)",
       Outcome::kViolated},
      {"a message may arrive late", R"(
      c1:         A-a=======E-x===!  R-x
      hold c1:      [-------])"},
      {"keys were removed", R"(
      c1:         A-a=======E-x===!  R-x
      flush n1:      [-])"},
      {"no answer", "c1:  A-a===E-?===!  R-x"},
      {"records were lost", R"(
      c1:         A-a=======E-x===!  R-x
      lost c2:       *)"},
  });
}

}  // namespace
}  // namespace doublehold
