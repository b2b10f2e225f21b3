#include "checker/rates/sequential.h"

#include <algorithm>
#include <array>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <ranges>

#include "lib/base/check.h"

namespace doublehold {
namespace {

// The logarithm of the evidence against one side of `limit`, averaged over the rates on the other
// side.
double LogEvidence(int64_t violated, int64_t of, double limit, bool for_below) {
  const auto k = static_cast<double>(violated);
  const auto rest = static_cast<double>(of - violated);
  const double share = for_below ? boost::math::ibeta(k + 1, rest + 1, limit)
                                 : boost::math::ibetac(k + 1, rest + 1, limit);
  const double whole = std::lgamma(k + 1) + std::lgamma(rest + 1) - std::lgamma(k + rest + 2);
  const double width = for_below ? limit : 1 - limit;
  return whole + std::log(share) - std::log(width) - k * std::log(limit) -
         rest * std::log1p(-limit);
}

}  // namespace

TrialCount& TrialCount::operator+=(const TrialCount& other) {
  of += other.of;
  violated += other.violated;
  undecided += other.undecided;
  return *this;
}

std::string_view Name(RateAnswer answer) {
  constexpr std::array<std::string_view, 3> kNames{"not decided", "below", "not below"};
  return kNames[static_cast<size_t>(answer)];
}

RateAnswer AnswerAt(const RateQuestion& question, const TrialCount& seen) {
  CHECK(question.limit > 0 && question.limit < 1);
  CHECK(seen.violated >= 0 && seen.undecided >= 0 && seen.violated + seen.undecided <= seen.of);
  const double enough = -std::log(1 - question.confidence);
  const int64_t most = seen.violated + seen.undecided;
  if (LogEvidence(most, seen.of, question.limit, true) >= enough) return RateAnswer::kBelow;
  if (LogEvidence(seen.violated, seen.of, question.limit, false) >= enough)
    return RateAnswer::kNotBelow;
  return RateAnswer::kOpen;
}

double UpperBoundAt(const TrialCount& seen, double confidence) {
  const int64_t most = seen.violated + seen.undecided;
  const double enough = -std::log(1 - confidence);
  if (most >= seen.of || LogEvidence(most, seen.of, 1 - 1e-12, true) < enough) return 1;
  double open = static_cast<double>(most) / static_cast<double>(seen.of);
  double below = 1 - 1e-12;
  while (below - open > 1e-9 * below) {
    const double limit = (open + below) / 2;
    (LogEvidence(most, seen.of, limit, true) >= enough ? below : open) = limit;
  }
  return below;
}

double LowerBoundAt(const TrialCount& seen, double confidence) {
  if (seen.violated == 0) return 0;
  const double enough = -std::log(1 - confidence);
  double not_below = 0;
  double open = static_cast<double>(seen.violated) / static_cast<double>(seen.of);
  while (open - not_below > 1e-9 * open) {
    const double limit = (open + not_below) / 2;
    (LogEvidence(seen.violated, seen.of, limit, false) >= enough ? not_below : open) = limit;
  }
  return not_below;
}

int64_t FewestForBelow(const RateQuestion& question) {
  const auto too_few = [&](int64_t of) {
    return AnswerAt(question, {.of = of}) != RateAnswer::kBelow;
  };
  int64_t most = 1;
  while (too_few(most)) most *= 2;
  return *std::ranges::partition_point(std::views::iota(most / 2 + 1, most + 1), too_few);
}

RateAnswer SequentialTest::Take(const TrialCount& run) {
  if (answer_ != RateAnswer::kOpen) return answer_;
  seen_ += run;
  return answer_ = AnswerAt(question_, seen_);
}

}  // namespace doublehold
