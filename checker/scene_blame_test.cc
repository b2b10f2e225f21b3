// Whom a stall of the machine excuses, and whom it does not, by what the claim `exclusion` comes to.
#include <gtest/gtest.h>

#include "checker/exclusion.h"
#include "checker/lanes.h"

namespace doublehold {
namespace {

constexpr Outcome3 kUnknown = Outcome3::kUnknown;
constexpr Outcome3 kViolated = Outcome3::kViolated;

// A stall is of the lane `machine`; the lease that a watchdog keeps is of 10 ms.
struct Case {
  const char* what;
  const char* lanes;
  Outcome3 exclusion;
};

void Expect(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    SCOPED_TRACE(each.what);
    const History history = FromLanes(each.lanes);
    EXPECT_EQ(Name(CheckExclusion(history, {}).outcome), Name(each.exclusion));
    EXPECT_EQ(Name(CheckLeaseExclusion(history, {}).outcome), Name(Outcome3::kValid));
  }
}

TEST(Blame, AStallThatKeptTheWatchdogFromExtendingIsToBlame) {
  Expect({
      {"its client stood still when it was time",
       R"(
      c1:         A-a=E-e============!=================R-x
      c2:                              A-a=====R-r
      machine c1:          (--------)                      )",
       kUnknown},
      {"but nobody would have extended it any more who was refused before",
       R"(
      c1:         A-a=E-e=E-x============!=================R-x
      c2:                                  A-a=====R-r
      machine c1:             (--------)                      )",
       kViolated},
      {"the server did not answer, and no watchdog tried again",
       R"(
      c1:         A-a=E-e=E---?=====!=================R-x
      c2:                             A-a=====R-r
      machine n1:         (---)                          )",
       kUnknown},
      {"but for most of the time that it was not answered it was not the machine's",
       R"(
      c1:         A-a=E-e=E------?==!=================R-x
      c2:                             A-a=====R-r
      machine n1:         (--)                           )",
       kViolated},
      {"it tried again, and was answered",
       R"(
      c1:         A-a=E-e=E---?=E-e=======!=================R-x
      c2:                                   A-a=====R-r
      machine n1:         (---)                          )",
       kViolated},
      {"the store stood still, for which its session waited, and not its watchdog",
       R"(
      c1:         A-a=E-e====W--------w===!=================R-x    | 5>4
      c2:                                   A-a=====R-r
      machine n0:              (------)                        )",
       kViolated},
  });
}

TEST(Blame, AServerHoldsUpNobodyElseThanWhoWaitsForIt) {
  Expect({
      {"another thread does",
       R"(
      c1:         A-a=====!==========R-r
      c1.2:          A---------------x
      c2:                   A-a===R-r
      machine n1:     (--------------)  )",
       kViolated},
      {"it did, and gave up before",
       R"(
      c1:         A--?  A-a=====!===========R-r
      c2:                         A-a===R-r
      machine n1:  (------------------------)  )",
       kViolated},
      {"it waited for another server than the store",
       R"(
      c1:         A-----------a=!====R-r
      c2:                         A-a===R-r
      machine n0:    (-------)              )",
       kViolated},
      {"that was this one",
       R"(
      c1:         A-----------a=!====R-r
      c2:                         A-a===R-r
      machine n1:    (-------)              )",
       kUnknown},
      {"it waited for the store",
       R"(
      c1:         A-a=W-----w===!====R-r   | 5>4
      c2:                         A-a===R-r
      machine n0:    (-------)              )",
       kUnknown},
      {"it was held up by nobody else: not by its clock",
       R"(
      c1:            A-a======!======R-r
      c2:                        A-a===R-r
      jump c1:     [-----------------]       | 5
      machine c1:       (-------)            )",
       kUnknown},
      {"but by its messages",
       R"(
      c1:            A-a======!======R-r
      c2:                        A-a===R-r
      delay c1:    [-----------------]
      machine c1:       (-------)            )",
       kViolated},
  });
}

}  // namespace
}  // namespace doublehold
