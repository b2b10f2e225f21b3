#include "checker/rates/sequential.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "checker/rates/rate.h"
#include "lib/base/prng.h"

namespace doublehold {
namespace {

constexpr int kPaths = 4000;
constexpr int kTrials = 1500;

struct SequentialRow {
  TrialCount seen;
  double limit;
  RateAnswer answer;
};

TEST(Sequential, AnswersWhenTheEvidenceReachesTwenty) {
  // The expected numbers of trials come from numerical integration: the least n for which
  // 1/p * (integral of q^k (1-q)^(n-k) over q from 0 to p)  reaches  20 p^k (1-p)^(n-k).
  for (const SequentialRow& row : {SequentialRow{{.of = 448}, 0.01, RateAnswer::kOpen},
                                   {{.of = 449}, 0.01, RateAnswer::kBelow},
                                   {{.of = 449, .violated = 1}, 0.01, RateAnswer::kOpen},
                                   {{.of = 680, .violated = 1}, 0.01, RateAnswer::kOpen},
                                   {{.of = 690, .violated = 1}, 0.01, RateAnswer::kBelow},
                                   {{.of = 0}, 0.01, RateAnswer::kOpen},
                                   {{.of = 1, .violated = 1}, 0.01, RateAnswer::kNotBelow},
                                   {{.of = 1, .violated = 1}, 0.05, RateAnswer::kOpen},
                                   {{.of = 2, .violated = 2}, 0.05, RateAnswer::kNotBelow},
                                   {{.of = 1000, .violated = 10}, 0.01, RateAnswer::kOpen},
                                   {{.of = 1000, .violated = 40}, 0.01, RateAnswer::kNotBelow}}) {
    EXPECT_EQ(AnswerAt({.limit = row.limit}, row.seen), row.answer)
        << row.seen.violated << " of " << row.seen.of;
  }
}

TEST(Sequential, UndecidedTrialsCountAgainstEitherAnswer) {
  EXPECT_EQ(AnswerAt({.limit = 0.01}, {.of = 449, .undecided = 1}), RateAnswer::kOpen);
  EXPECT_EQ(AnswerAt({.limit = 0.01}, {.of = 1000, .undecided = 1000}), RateAnswer::kOpen);
  EXPECT_EQ(AnswerAt({.limit = 0.01}, {.of = 1000, .violated = 40, .undecided = 900}),
            RateAnswer::kNotBelow);
}

TEST(Sequential, TheFirstAnswerIsFinal) {
  SequentialTest test({.limit = 0.01});
  EXPECT_EQ(test.Take({.of = 400}), RateAnswer::kOpen);
  EXPECT_EQ(test.Take({.of = 100}), RateAnswer::kBelow);
  EXPECT_EQ(test.Take({.of = 500, .violated = 500}), RateAnswer::kBelow);
  EXPECT_EQ(test.seen(), (TrialCount{.of = 500}));
}

TEST(Sequential, TheAnswerIsBelowForLimitsAboveTheUpperBoundOnly) {
  for (const TrialCount& seen :
       {TrialCount{.of = 20}, {.of = 449}, {.of = 100, .violated = 3}, {.of = 100000}}) {
    const double bound = UpperBoundAt(seen, 0.95);
    EXPECT_EQ(AnswerAt({.limit = bound * 1.001}, seen), RateAnswer::kBelow) << seen.of;
    EXPECT_NE(AnswerAt({.limit = bound * 0.999}, seen), RateAnswer::kBelow) << seen.of;
  }
  EXPECT_EQ(UpperBoundAt({.of = 0}, 0.95), 1);
  EXPECT_EQ(UpperBoundAt({.of = 1, .violated = 1}, 0.95), 1);
  EXPECT_EQ(UpperBoundAt({.of = 50, .undecided = 50}, 0.95), 1);
}

TEST(Sequential, TheAnswerIsNotBelowForLimitsUnderTheLowerBoundOnly) {
  for (const TrialCount& seen : {TrialCount{.of = 20, .violated = 20},
                                 {.of = 100, .violated = 30},
                                 {.of = 100, .violated = 30, .undecided = 50},
                                 {.of = 100000, .violated = 3}}) {
    const double bound = LowerBoundAt(seen, 0.95);
    EXPECT_EQ(AnswerAt({.limit = bound * 0.999}, seen), RateAnswer::kNotBelow) << seen.violated;
    EXPECT_NE(AnswerAt({.limit = bound * 1.001}, seen), RateAnswer::kNotBelow) << seen.violated;
  }
  for (const TrialCount& seen : {TrialCount{.of = 0}, {.of = 50}, {.of = 50, .undecided = 50}})
    EXPECT_EQ(LowerBoundAt(seen, 0.95), 0);
}

TEST(Sequential, ReturnsHowManyTrialsWithoutViolationsAreNeeded) {
  EXPECT_EQ(FewestForBelow({.limit = 0.01}), 449);
  for (const RateQuestion& question : {RateQuestion{.limit = 0.9, .confidence = 0.5},
                                       {.limit = 0.2, .confidence = 0.9},
                                       {.limit = 1e-4, .confidence = 0.99}}) {
    const int64_t fewest = FewestForBelow(question);
    EXPECT_EQ(AnswerAt(question, {.of = fewest}), RateAnswer::kBelow) << question.limit;
    EXPECT_EQ(AnswerAt(question, {.of = fewest - 1}), RateAnswer::kOpen) << question.limit;
  }
  EXPECT_NEAR(static_cast<double>(FewestForBelow({.limit = 1e-9})), 4.5e9, 0.1e9);
}

// For each number of trials: the most violations for the answer "below", and the fewest violations
// for "not below". A boundary is computed once for all simulated series.
struct Boundary {
  std::vector<int64_t> below, not_below;
};

Boundary FindBoundary(double limit) {
  Boundary boundary;
  int64_t below = -1, not_below = 1;
  for (int64_t of = 1; of <= kTrials; ++of) {
    const auto answer = [&](int64_t violated) {
      return AnswerAt({.limit = limit}, {.of = of, .violated = violated});
    };
    while (below < of && answer(below + 1) == RateAnswer::kBelow) ++below;
    while (not_below <= of && answer(not_below) != RateAnswer::kNotBelow) ++not_below;
    boundary.below.push_back(below);
    boundary.not_below.push_back(not_below);
  }
  return boundary;
}

struct AnswerShares {
  double below = 0, not_below = 0;
};

// Simulates many series of trials with this rate, with a look after each trial. Returns the share
// of series that end with each answer.
AnswerShares Simulate(double rate, const Boundary& boundary, uint64_t seed) {
  AnswerShares shares;
  for (uint64_t path = 0; path < kPaths; ++path) {
    Prng random(seed, "sequential", path);
    int64_t violated = 0;
    for (size_t i = 0; i < boundary.below.size(); ++i) {
      violated += random.Unit() < rate ? 1 : 0;
      const bool below = violated <= boundary.below[i];
      if (!below && violated < boundary.not_below[i]) continue;
      ++(below ? shares.below : shares.not_below);
      break;
    }
  }
  shares.below /= kPaths;
  shares.not_below /= kPaths;
  return shares;
}

TEST(Sequential, AnswersWronglyNoMoreOftenThanItsLevel) {
  for (const double limit : {0.02, 0.1, 0.4}) {
    const Boundary boundary = FindBoundary(limit);
    const AnswerShares at = Simulate(limit, boundary, 11);
    EXPECT_LE(at.below, 0.05) << limit;
    EXPECT_LE(at.not_below, 0.05) << limit;
    EXPECT_GT(at.below + at.not_below, 0.02) << limit;  // the test must stop sometimes
    EXPECT_LE(Simulate(limit * 1.5, boundary, 12).below, 0.05) << limit;
    EXPECT_LE(Simulate(limit / 1.5, boundary, 13).not_below, 0.05) << limit;
  }
}

TEST(Sequential, AnswersIfTheRateIsFarFromTheLimit) {
  for (const double limit : {0.02, 0.1, 0.4}) {
    const Boundary boundary = FindBoundary(limit);
    EXPECT_GE(Simulate(limit / 4, boundary, 14).below, 0.95) << limit;
    EXPECT_GE(Simulate(limit * 2.2, boundary, 15).not_below, 0.95) << limit;
  }
}

// Shows why a sequential test is needed: the looks use an interval for a fixed number of trials.
TEST(Sequential, AnIntervalCheckedAfterEveryTrialErrsTooOften) {
  constexpr double kRate = 0.1;
  Boundary boundary;
  int64_t below = -1;
  for (int64_t of = 1; of <= kTrials; ++of) {
    while (below < of && ClopperPearsonOf(below + 1, of, 0.90).high < kRate) ++below;
    boundary.below.push_back(below);
    boundary.not_below.push_back(of + 1);
  }
  EXPECT_GT(Simulate(kRate, boundary, 16).below, 0.10);
}

}  // namespace
}  // namespace doublehold
