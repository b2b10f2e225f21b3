#include "checker/claims/data/exactly_once.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

ClaimVerdict VerdictOnExactlyOnce(const std::string& picture) {
  return CheckExactlyOnce(FromLanes(picture), {});
}

struct ExactlyOnceCase {
  std::string name;
  std::string picture;
  Outcome outcome = Outcome::kViolated;
  int64_t count = 0;
};

TEST(ExactlyOnce, IsViolatedWhenATaskWasSavedTwice) {
  const ClaimVerdict verdict = VerdictOnExactlyOnce(R"(
      c1:       A-a==!==========S-k=R-x     | 7
      c2:               A-a=S-k=R-r         | 7
      pause c1:     [---------]             | 10
      final:                              * | 1/2)");
  EXPECT_EQ(verdict.outcome, Outcome::kViolated);
  EXPECT_EQ(verdict.count, 1);
  EXPECT_EQ(verdict.opportunities, 2);
  ASSERT_EQ(verdict.violations.size(), 1U);
  EXPECT_EQ(
      verdict.violations.at(0).sentence,
      "client 1's lease ended at 0.005 s while it was stopped (0.004-0.014 s); it saved task 7 "
      "at 0.018 s, and client 2 saved it at 0.014 s");
}

TEST(ExactlyOnce, TheCountsInTheStoreDecideSavesOfUnknownOutcome) {
  for (const ExactlyOnceCase& drawn : std::vector<ExactlyOnceCase>{
           {"one save for each task", R"(
      c1:    A-a=S-k=R-r                    | 1
      c2:                A-a=S-k=S-x=R-r    | 2 1
      final:                              * | 2/2)",
            Outcome::kValid},
           {"a save of unknown outcome that took no effect", R"(
      c1:    A-a=S-?=R-r                    | 1
      c2:                A-a=S-k=R-r        | 1
      final:                              * | 1/1)",
            Outcome::kValid},
           {"a save of unknown outcome that took effect", R"(
      c1:    A-a=S-?=R-r                    | 1
      c2:                A-a=S-k=R-r        | 1
      final:                              * | 1/2)",
            Outcome::kViolated, 1},
           {"an unknown save of another task may arrive between the counts", R"(
      c1:    A-a=S-?=R-r                    | 1
      c2:                A-a=S-k=R-r        | 2
      final:                              * | 1/2)",
            Outcome::kValid},
           {"two saves of unknown outcome, and one surplus result", R"(
      c1:    A-a=S-?=R-r  A-a=S-?=R-r       | 1 2
      c2:                A-a=S-k=R-r        | 1
      final:                              * | 1/2)",
            Outcome::kUnknown},
           {"more results than saves", R"(
      c2:                A-a=S-k=R-r        | 1
      final:                              * | 1/3)",
            Outcome::kViolated, 2},
           {"a result is missing", R"(
      c1:    A-a=S-k=R-r                    | 1
      c2:                A-a=S-k=R-r        | 2
      final:                              * | 1/1)",
            Outcome::kViolated, 1},
           {"no more results than saved tasks, and records were lost", R"(
      c1:        A-a=S-k=R-r                    | 1
      lost c2:                *
      final:                                  * | 1/1)",
            Outcome::kValid},
           {"the store was not counted", R"(
      c1:    A-a=S-k=R-r                    | 1)",
            Outcome::kUnknown},
           {"the store was counted before the last save", R"(
      final:         *                      | 1/1
      c1:    A-a=S-k=R-r   A-a=S-k=R-r      | 1 2)",
            Outcome::kUnknown},
           {"one of two keys was counted before its last save", R"(
      c1 item-0:    A-a=S-k=R-r   A-a=S-k=R-r     | 1 2
      c1 item-1:    A-a=S-k=R-r                   | 1
      final item-0:            *                  | 1/1
      final item-1:                             * | 1/1)",
            Outcome::kUnknown},
           {"an uncounted key hides no surplus of another key", R"(
      c1 item-0:    A-a=S-k=R-r                          | 1
      c1 item-1:                     A-a=S-k=R-r         | 1
      final item-0:               *                      | 1/3)",
            Outcome::kViolated, 2},
           {"nothing was saved", R"(
      c1:    A-a=S-x=R-r                    | 1
      final:                              * | 0/0)",
            Outcome::kUnknown},
           {"the results of one of two keys were not counted", R"(
      c1 item-0:    A-a=S-k=R-r                    | 1
      c1 item-1:    A-a=S-k=R-r                    | 1
      final item-0:                              * | 1/1)",
            Outcome::kUnknown},
           {"the same task number under two keys", R"(
      c1 item-0:    A-a=S-k=R-r                    | 1
      c1 item-1:    A-a=S-k=R-r                    | 1
      final item-0:                              * | 1/1
      final item-1:                              * | 1/1)",
            Outcome::kValid}}) {
    const ClaimVerdict verdict = VerdictOnExactlyOnce(drawn.picture);
    EXPECT_EQ(Name(verdict.outcome), Name(drawn.outcome)) << drawn.name << ": " << verdict.reason;
    EXPECT_EQ(verdict.count, drawn.count) << drawn.name << ": " << verdict.reason;
    EXPECT_EQ(verdict.violations.empty(), drawn.count == 0) << drawn.name;
  }
}

}  // namespace
}  // namespace doublehold
