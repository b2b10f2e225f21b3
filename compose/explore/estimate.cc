#include "compose/explore/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compose/explore/strategy.h"
#include "compose/plan/plan_builder.h"

namespace doublehold {
namespace {

constexpr size_t kProbes = 400;
constexpr double kTolerance = 1.2;  // an estimate may exceed the budget by this factor
// Limit of a search without a budget. A hundred threads would take some months.
constexpr double kMostWithoutBudget = 1e13;
// With more than kManyFirst first deviations, hundreds of probes take seconds. So the estimate ends
// as soon as it is certain to exceed the budget by the factor kFarBeyond.
constexpr double kFarBeyond = 1000;
constexpr size_t kManyFirst = 300;

class Probes {
 public:
  Probes(const Scenario& scenario, const Bounds& bounds, double enough)
      : bounds_(bounds),
        worker_(scenario, bounds),
        random_(bounds.seed, "estimate"),
        enough_(enough) {}

  double Run() {
    const sim::Deviations first = NextDeviations(bounds_, {}, OpenAfter({}));
    if (first.empty()) return 1;
    const size_t probes = std::min(kProbes, first.size());
    if (first.size() > kManyFirst) most_ = enough_ * static_cast<double>(probes);
    double sum = 0;
    for (size_t i = 0; i < probes && sum <= most_; ++i)
      sum += Probe(first[i * first.size() / probes], static_cast<double>(first.size()));
    return 1 + sum / static_cast<double>(probes);
  }

 private:
  // Adds random deviations after `first`, one a level, until no more fit. Returns an estimate of
  // the number of all executions with at least one deviation. `weight` is the number of first
  // deviations.
  double Probe(const sim::Deviation& first, double weight) {
    sim::Deviations deviations{first};
    double sum = 0;
    while (true) {
      const Questions open = OpenAfter(deviations);
      if (!is_within_) return sum;
      sum += weight;
      if (sum > most_) return sum;
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
  double enough_;
  double most_ = std::numeric_limits<double>::infinity();  // limit of the sum over all probes
  bool is_within_ = true;
};

// For example "3 thousand" or "4.1 million".
std::string FormatRounded(double executions) {
  if (executions < 1000) return fmt::format("{:.0f}", executions);
  if (executions < 1e6) return fmt::format("{:.0f} thousand", std::ceil(executions / 1000));
  if (executions < 1e9) return fmt::format("{:.1f} million", executions / 1e6);
  if (executions < 1e12) return fmt::format("{:.0f} billion", executions / 1e9);
  return fmt::format("{:.0e}", executions);
}

}  // namespace

double EstimateExecutions(const Scenario& scenario, const Bounds& bounds, double enough) {
  return Probes(scenario, bounds, enough).Run();
}

Result<double> EstimateWithinBudget(const Scenario& scenario, const Bounds& bounds) {
  if (bounds.strategy != StrategyKind::kExhaustive) return static_cast<double>(bounds.executions);
  const bool has_budget = bounds.executions > 0;
  const double budget = has_budget ? static_cast<double>(bounds.executions) : kMostWithoutBudget;
  const double enough = budget * kFarBeyond;
  const double all = EstimateExecutions(scenario, bounds, enough);
  if (all <= budget * kTolerance) return all;
  std::string smaller;
  const auto offer = [&](const char* option, int Bounds::*bound) {
    Bounds less = bounds;
    if (less.*bound == 0) return;
    --(less.*bound);
    const double executions = EstimateExecutions(scenario, less, enough);
    if (executions > budget * kTolerance) return;
    smaller +=
        fmt::format("--{} {} has about {}; ", option, less.*bound, FormatRounded(executions));
  };
  offer("depth", &Bounds::depth);
  offer("delay-bound", &Bounds::delays);
  const std::string limit =
      has_budget ? fmt::format("but --budget is {}", bounds.executions) : "more than can be run";
  return BadInput(
      fmt::format("{} {} executions are within the bounds, {}: {}use fewer --faults, --clients or "
                  "--cycles, {}or draw with --strategy pct",
                  all > enough ? "more than" : "about", FormatRounded(std::min(all, enough)), limit,
                  smaller, has_budget ? "raise --budget (0: no limit), " : ""));
}

}  // namespace doublehold
