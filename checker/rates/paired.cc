#include "checker/rates/paired.h"

#include <algorithm>
#include <array>
#include <limits>

#include "checker/rates/sequential.h"

namespace doublehold {
namespace {

// Each of the two sides of a bound may err with half of the probability.
double OneSided(double confidence) { return (1 + confidence) / 2; }

// Whether `count` successes in `of` trials are too few for a success probability of 1/2.
bool TooFew(int64_t count, int64_t of, double confidence) {
  return AnswerAt({.limit = 0.5, .confidence = OneSided(confidence)},
                  {.of = of, .violated = count}) == RateAnswer::kBelow;
}

}  // namespace

std::string_view Name(Difference difference) {
  constexpr std::array<std::string_view, 3> kNames{"not seen", "more", "less"};
  return kNames[static_cast<size_t>(difference)];
}

Difference DifferenceOf(const PairCount& pairs, double confidence) {
  const auto [of, first, second, both, undecided] = pairs;
  const int64_t apart = first + second + undecided;
  if (TooFew(second + undecided, apart, confidence)) return Difference::kMore;
  if (TooFew(first + undecided, apart, confidence)) return Difference::kLess;
  return Difference::kNotSeen;
}

Interval BoundsOf(const PairCount& pairs, double confidence) {
  if (pairs.of == 0) return {.low = -1, .high = 1};
  const double each = OneSided(OneSided(confidence));  // four bounds
  const TrialCount more{.of = pairs.of, .violated = pairs.only_first, .undecided = pairs.undecided};
  const TrialCount less{
      .of = pairs.of, .violated = pairs.only_second, .undecided = pairs.undecided};
  Interval bounds{.low = LowerBoundAt(more, each) - UpperBoundAt(less, each),
                  .high = UpperBoundAt(more, each) - LowerBoundAt(less, each)};
  const Difference shown = DifferenceOf(pairs, confidence);
  if (shown == Difference::kMore) bounds.low = std::max(bounds.low, 0.0);
  if (shown == Difference::kLess) bounds.high = std::min(bounds.high, 0.0);
  return bounds;
}

int64_t FewestForDifference(double confidence) {
  int64_t pairs = 1;
  while (!TooFew(0, pairs, confidence)) ++pairs;
  return pairs;
}

double MedianOf(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

Shift ShiftOf(std::vector<double> differences, double confidence) {
  Shift shift;
  shift.bounds = {.low = -std::numeric_limits<double>::infinity(),
                  .high = std::numeric_limits<double>::infinity()};
  if (differences.empty()) return shift;
  std::ranges::sort(differences);
  const size_t of = differences.size();
  shift.median = MedianOf(differences);
  // If the true median were below the bound, too few differences would be below it. Half of them
  // are never too few.
  size_t outside = 0;
  while (TooFew(static_cast<int64_t>(outside), static_cast<int64_t>(of), confidence)) ++outside;
  if (outside == 0) return shift;
  shift.bounds = {.low = differences[outside - 1], .high = differences[of - outside]};
  if (shift.bounds.low > 0) shift.difference = Difference::kMore;
  if (shift.bounds.high < 0) shift.difference = Difference::kLess;
  return shift;
}

}  // namespace doublehold
