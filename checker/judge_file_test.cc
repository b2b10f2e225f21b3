#include "checker/judge_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "checker/testing/ascii_history.h"
#include "lib/history/binary.h"
#include "lib/testing/temp_file.h"

namespace doublehold {
namespace {

using JudgeFileClaims = std::vector<std::string>;

class JudgeFileTest : public ::testing::Test {
 protected:
  // Gives the holds of each client a base of their own, as in a run.
  RunVerdict Judged(History history, const JudgeFileClaims& claims) {
    for (Event& event : history.events) {
      if (event.hold != 0) event.hold |= static_cast<uint64_t>(event.client) << 40U;
    }
    EXPECT_TRUE(WriteBinaryFile(history, file_).has_value());
    const Result<MappedHistory> mapped = MappedHistory::Open(file_);
    EXPECT_TRUE(mapped.has_value());
    Result<RunVerdict> verdict = JudgeFile(*mapped, claims);
    EXPECT_TRUE(verdict.has_value()) << verdict.error().message;
    return std::move(*verdict);
  }

  const testing::TempFile temp_{"judge-file-test"};
  const std::filesystem::path& file_ = temp_.path();
};

constexpr char kNoOverlap[] = R"(
    c1:    A-a===R-r
    c2:       A--x   A-a==R-r)";
constexpr char kOverlap[] = R"(
    c1:    A-a===R-r
    c2:       A-a==R-r)";

TEST_F(JudgeFileTest, AScanAgreesWithTheWholeHistory) {
  const RunVerdict pass = Judged(FromLanes(kNoOverlap), {"exclusion"});
  const RunVerdict whole = Judged(FromLanes(kNoOverlap), {"exclusion", "lease-exclusion"});
  ASSERT_EQ(pass.claims.size(), 1u);
  EXPECT_EQ(pass.overall, Outcome::kValid);
  EXPECT_EQ(pass.exit_code, ExitCode::kAsExpected);
  EXPECT_TRUE(pass.tally.latency.empty()) << "the scan did not decide";
  ASSERT_FALSE(whole.tally.latency.empty());
  EXPECT_EQ(pass.claims[0].reason, whole.claims[0].reason);
  EXPECT_EQ(pass.claims[0].opportunities, whole.claims[0].opportunities);
  EXPECT_EQ(pass.claims[0].margins.at(0).value, whole.claims[0].margins.at(0).value);
}

TEST_F(JudgeFileTest, AHistoryThatAScanCannotDecideIsJudgedInMemory) {
  const RunVerdict verdict = Judged(FromLanes(kOverlap), {"exclusion"});
  EXPECT_EQ(verdict.overall, Outcome::kViolated);
  EXPECT_EQ(verdict.claims[0].violations.size(), 1u);
  EXPECT_EQ(Judged(FromLanes("    c1:  A-a==R-r"), {"exclusion"}).overall, Outcome::kUnknown);
}

TEST_F(JudgeFileTest, AScanWithTooLittleEvidenceIsUnknownAsTheWholeHistoryIs) {
  for (const char* picture : {"c1 item-0: A-a==R-r\nc2 item-1: A-a==R-r",
                              "c1 item-0: A-a==R-r\nc2 item-0:          A-a=R-r\n"
                              "c1 item-1:         A-a=R-rA-a=R-rA-a=R-rA-a=R-r"}) {
    const RunVerdict pass = Judged(FromLanes(picture), {"exclusion"});
    const RunVerdict whole = Judged(FromLanes(picture), {"exclusion", "lease-exclusion"});
    EXPECT_EQ(pass.claims[0].outcome, Outcome::kUnknown) << picture;
    EXPECT_EQ(pass.claims[0].reason, whole.claims[0].reason) << picture;
  }
}

TEST_F(JudgeFileTest, ARunThatEndedEarlyIsUnknown) {
  History history = FromLanes(kNoOverlap);
  history.facts.duration = 1s;
  EXPECT_EQ(Judged(history, {"exclusion"}).overall, Outcome::kUnknown);
}

TEST_F(JudgeFileTest, OnlyJudgedClaimsAreComparedWithTheirExpectations) {
  const LaneOptions options{.expect = {{"exclusion", "violated"}, {"stock", "violated"}}};
  const RunVerdict verdict = Judged(FromLanes(kOverlap, options), {"exclusion"});
  EXPECT_TRUE(verdict.as_expected);
  EXPECT_FALSE(Judged(FromLanes(kNoOverlap, options), {"exclusion"}).as_expected);
}

TEST(RestrictTo, KeepsOnlyTheClaimsToJudgeAndWhatIsExpectedOfThem) {
  RunFacts facts{.claims = {"exclusion", "stock"},
                 .expect = {{"exclusion", "violated"}, {"stock", "violated"}},
                 .expect_cause = {{"exclusion", {"stalled"}}, {"stock", {"stalled"}}}};
  RestrictTo({"stock"}, facts);
  EXPECT_EQ(facts.claims, JudgeFileClaims{"stock"});
  EXPECT_EQ(facts.expect.size(), 1U);
  EXPECT_EQ(facts.expect_cause.size(), 1U);
  EXPECT_TRUE(facts.expect_cause.contains("stock"));
}

}  // namespace
}  // namespace doublehold
