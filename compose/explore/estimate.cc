#include "compose/explore/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compose/explore/strategy.h"
#include "compose/plan/plan_builder.h"

namespace doublehold {
namespace {

constexpr size_t kProbes = 400;
constexpr double kTolerance = 1.2;  // An estimate may exceed the budget by this factor.

class Probes {
 public:
  Probes(const Scenario& scenario, const Bounds& bounds)
      : bounds_(bounds), worker_(scenario, bounds), random_(bounds.seed, "estimate") {}

  double Run() {
    const sim::Deviations first = NextDeviations(bounds_, {}, OpenAfter({}));
    if (first.empty()) return 1;
    const size_t probes = std::min(kProbes, first.size());
    double sum = 0;
    for (size_t i = 0; i < probes; ++i)
      sum += Probe(first[i * first.size() / probes], static_cast<double>(first.size()));
    return 1 + sum / static_cast<double>(probes);
  }

 private:
  // Descends from `first` to a leaf and returns the estimated number of executions below the plain
  // one. `weight` is the number of executions on the first level that this descent represents.
  double Probe(const sim::Deviation& first, double weight) {
    sim::Deviations deviations{first};
    double sum = 0;
    while (true) {
      const Questions open = OpenAfter(deviations);
      if (!is_within_) return sum;
      sum += weight;
      const sim::Deviations next = NextDeviations(bounds_, deviations, open);
      if (next.empty()) return sum;
      weight *= static_cast<double>(next.size());
      deviations.push_back(next[random_.Below(next.size())]);
    }
  }

  Questions OpenAfter(const sim::Deviations& deviations) {
    Done done{.deviations = deviations};
    worker_.Run(done);
    is_within_ = done.is_within;
    return std::move(done.open);
  }

  const Bounds& bounds_;
  Worker worker_;
  Prng random_;
  bool is_within_ = true;
};

// For example "2,300" or "4.1 million".
std::string Rounded(double executions) {
  if (executions < 1000) return fmt::format("{:.0f}", executions);
  if (executions < 1e6) return fmt::format("{:.0f} thousand", std::ceil(executions / 1000));
  if (executions < 1e12) return fmt::format("{:.1f} million", executions / 1e6);
  return fmt::format("{:.0e}", executions);
}

}  // namespace

double EstimateExecutions(const Scenario& scenario, const Bounds& bounds) {
  return Probes(scenario, bounds).Run();
}

Result<void> CheckBudget(const Scenario& scenario, const Bounds& bounds) {
  if (bounds.executions == 0 || bounds.strategy != StrategyKind::kExhaustive) return {};
  const double all = EstimateExecutions(scenario, bounds);
  if (all <= static_cast<double>(bounds.executions) * kTolerance) return {};
  std::string smaller;
  const auto offer = [&](const char* option, int Bounds::*bound) {
    Bounds less = bounds;
    if (less.*bound == 0) return;
    --(less.*bound);
    smaller += fmt::format("--{} {} has about {}; ", option, less.*bound,
                           Rounded(EstimateExecutions(scenario, less)));
  };
  offer("depth", &Bounds::depth);
  offer("delay-bound", &Bounds::delays);
  return BadInput(fmt::format(
      "about {} executions are within the bounds, but --budget is {}: {}use fewer --faults, "
      "--clients or --cycles, raise --budget (0: no limit), or draw with --strategy pct",
      Rounded(all), bounds.executions, smaller));
}

}  // namespace doublehold
