// Runs Bounds::executions random executions. lib/sim/choices/random_walk.h and
// lib/sim/choices/choice_pct.h describe how they are drawn.

#include <algorithm>
#include <utility>

#include "compose/explore/strategy.h"
#include "lib/sim/choices/choice_pct.h"
#include "lib/sim/choices/random_walk.h"

namespace doublehold {
namespace {

constexpr int64_t kDrawnInAPart = 200;

// `Source` is constructed from WalkTerms. Source::Begin starts the execution with a given number.
template <typename Source>
class RandomStrategy final : public Strategy {
 public:
  RandomStrategy(const Bounds& bounds, const Questions& plain)
      : bounds_(bounds),
        terms_(sim::WithQuestions({.seed = bounds.seed,
                                   .faults = static_cast<uint32_t>(bounds.depth),
                                   .delays = static_cast<uint32_t>(bounds.delays)},
                                  plain)) {}

  size_t NextRound() override {
    if (std::exchange(begun_, true)) return 0;
    return static_cast<size_t>((bounds_.executions + kDrawnInAPart - 1) / kDrawnInAPart);
  }

  std::vector<Done> RunPart(size_t part, Worker& worker) const override {
    std::vector<Done> all;
    Source source(terms_);
    const int64_t begin = static_cast<int64_t>(part) * kDrawnInAPart;
    for (int64_t i = begin; i < std::min(begin + kDrawnInAPart, bounds_.executions); ++i) {
      source.Begin(static_cast<uint64_t>(i));
      Done& done = all.emplace_back();
      worker.Run(source, done);
      done.deviations = source.deviations();
      worker.RunAgain(done);
    }
    return all;
  }
  void Take(const Done& /*done*/) override {}

 private:
  const Bounds& bounds_;
  sim::WalkTerms terms_;
  bool begun_ = false;
};

}  // namespace

std::unique_ptr<Strategy> MakeRandomWalks(const Bounds& bounds, const Questions& plain) {
  return std::make_unique<RandomStrategy<sim::RandomWalk>>(bounds, plain);
}

std::unique_ptr<Strategy> MakePct(const Bounds& bounds, const Questions& plain) {
  return std::make_unique<RandomStrategy<sim::PctChoices>>(bounds, plain);
}

}  // namespace doublehold
