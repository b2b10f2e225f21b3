#include "workloads/pace.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "lib/base/check.h"

namespace doublehold {
namespace {

constexpr std::array<std::string_view, 4> kDistributions{"uniform", "fixed", "exponential",
                                                         "pareto"};

Distribution ParseDistribution(std::string_view name) {
  const auto found = std::ranges::find(kDistributions, name);
  CHECK(found != kDistributions.end());
  return static_cast<Distribution>(found - kDistributions.begin());
}

}  // namespace

std::vector<OptionSpec> PaceOptions(std::string_view work, std::string_view think) {
  using Kind = OptionSpec::Kind;
  return {{.name = "work",
           .kind = Kind::kDuration,
           .fallback = work,
           .help = "mean time that a client works in a section"},
          {.name = "work-distribution",
           .kind = Kind::kChoice,
           .fallback = "uniform",
           .help = "distribution of `work`; uniform: 0.5 to 1.5 times the mean",
           .choices = {kDistributions.begin(), kDistributions.end()}},
          {.name = "think",
           .kind = Kind::kDuration,
           .fallback = think,
           .help = "mean pause of a client between two sections"}};
}

Duration Draw(Distribution distribution, Duration mean, Prng& random) {
  constexpr double kLongestTail = 100;
  switch (distribution) {
    case Distribution::kUniform:
      return random.Between(mean / 2, mean * 3 / 2);
    case Distribution::kFixed:
      return mean;
    case Distribution::kExponential:
      return random.Exponential(mean);
    case Distribution::kPareto: {
      const double means = std::min(0.5 / std::sqrt(1 - random.Unit()), kLongestTail);
      return Duration(std::llround(means * static_cast<double>(mean.count())));
    }
  }
  return mean;
}

Pace::Pace(const Options& options)
    : distribution_(ParseDistribution(options.Text("work-distribution"))),
      work_(options.Span("work")),
      think_(options.Span("think")) {}

void Pace::Work(Env& env) const {
  if (work_ <= Duration::zero()) return;
  env.SleepUntil(env.Mono() + Draw(distribution_, work_, env.Random()));
}

void Pace::Think(Env& env) const {
  if (think_ > Duration::zero()) env.SleepUntil(env.Mono() + env.Random().Exponential(think_));
}

}  // namespace doublehold
