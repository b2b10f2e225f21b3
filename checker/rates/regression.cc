#include "checker/rates/regression.h"

#include <algorithm>
#include <boost/math/distributions/hypergeometric.hpp>

namespace doublehold {
namespace {

// Returns the one-sided p-value of Fisher's exact test: the probability of this many violated
// trials now, or more, if both rates are equal.
double ChanceOfMore(int64_t now, int64_t of_now, int64_t before, int64_t of_before) {
  if (now == 0) return 1;
  const auto all = static_cast<unsigned>(of_now + of_before);
  const boost::math::hypergeometric_distribution<double> violated_now(
      static_cast<unsigned>(now + before), static_cast<unsigned>(of_now), all);
  const auto fewer = static_cast<unsigned>(now - 1);
  // The support may begin above `fewer`.
  if (fewer < boost::math::support(violated_now).first) return 1;
  return boost::math::cdf(boost::math::complement(violated_now, fewer));
}

double ShareOf(int64_t count, int64_t of) {
  return static_cast<double>(count) / static_cast<double>(of);
}

}  // namespace

Change ChangeOf(const TrialCount& now, const TrialCount& before, double error) {
  if (now.of == 0 || before.of == 0) return Change::kCannotTell;
  if (now.violated > 0 && before.violated + before.undecided == 0) return Change::kNewlyViolated;
  // An undecided trial of the baseline may have been violated, or not.
  const int64_t most_before = before.violated + before.undecided;
  if (ChanceOfMore(now.violated, now.of, most_before, before.of) < error) return Change::kWorse;
  if (before.undecided > 0) {
    const Change otherwise = ChangeOf(now, {.of = before.of, .violated = before.violated}, error);
    if (otherwise == Change::kWorse || otherwise == Change::kNewlyViolated)
      return Change::kCannotTell;
  }
  if (ShareOf(now.undecided, now.of) > ShareOf(before.undecided, before.of))
    return before.undecided == 0 ? Change::kNewlyUndecided : Change::kCannotTell;
  const bool more = ShareOf(now.violated, now.of) > ShareOf(before.violated, before.of);
  const bool too_few = ChanceOfMore(now.of, now.of, most_before, before.of) >= error;
  return more && too_few ? Change::kCannotTell : Change::kNotWorse;
}

}  // namespace doublehold
