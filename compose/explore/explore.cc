#include "compose/explore/explore.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "compose/explore/in_order.h"
#include "compose/explore/strategy.h"
#include "lib/base/check.h"

namespace doublehold {
namespace {

constexpr size_t kPartsBetweenProgress = 32;
constexpr size_t kMostDifferent = 1 << 22;  // limit of distinct histories that are counted

class Search {
 public:
  Search(const Scenario& scenario, const Bounds& bounds,
         const std::function<void(const Explored&)>& progress)
      : scenario_(scenario), bounds_(bounds), progress_(progress) {
    CHECK(bounds.executions > 0 || bounds.strategy == StrategyKind::kExhaustive);
    for (int i = 0; i < std::max(bounds.jobs, 1); ++i)
      workers_.push_back(std::make_unique<Worker>(scenario, bounds));
    for (const std::string& claim : scenario.plan.claims)
      explored_.claims.push_back({.claim = claim});
  }

  // Returns nothing if a client has read its wall clock, although the states leave clocks out.
  std::optional<Explored> Run() {
    Done plain;
    workers_.front()->Run(plain);
    if (IsMisled(plain)) return std::nullopt;
    for (const auto& question : plain.open) {
      if (question.kind != sim::ChoiceKind::kFault) continue;
      ++explored_.points;
      last_point_ = question.at;
    }
    const std::unique_ptr<Strategy> strategy = MakeStrategy(plain.open);
    while (!is_over_ && (explored_.parts = strategy->NextRound()) > 0) {
      explored_.levels.emplace_back();
      RunRound(*strategy);
    }
    if (is_misled_) return std::nullopt;
    if (!is_over_ && bounds_.strategy != StrategyKind::kExhaustive)
      explored_.ended = Ended::kBudget;
    if (!is_over_ && !bounds_.sample.empty()) explored_.ended = Ended::kPart;
    explored_.is_complete = explored_.ended == Ended::kAllRun;
    for (Found& found : explored_.claims) DescribeFinding(found);
    return std::move(explored_);
  }

 private:
  [[nodiscard]] std::unique_ptr<Strategy> MakeStrategy(const Questions& plain) const {
    switch (bounds_.strategy) {
      case StrategyKind::kExhaustive:
        return MakeExhaustive(bounds_);
      case StrategyKind::kRandom:
        return MakeRandomWalks(bounds_, plain);
      case StrategyKind::kPct:
        return MakePct(bounds_, plain);
    }
    CHECK(false);
  }

  void RunRound(Strategy& strategy) {
    InOrder<std::vector<Done>> results(
        explored_.parts, workers_.size(), [&](size_t part, size_t thread) {
          return IsWanted(part) ? strategy.RunPart(part, *workers_[thread]) : std::vector<Done>{};
        });
    for (size_t part = 0; part < explored_.parts && !is_over_; ++part) {
      for (const Done& done : results.Next()) Take(strategy, done, BlockOf(part));
      explored_.parts_done = part + 1;
      if (explored_.parts_done % kPartsBetweenProgress == 0) Progress();
    }
    Progress();
  }

  void Progress() {
    explored_.points_struck = static_cast<int64_t>(points_.size());
    explored_.different = static_cast<int64_t>(digests_.size());
    progress_(explored_);
  }

  [[nodiscard]] bool IsMisled(const Done& done) const {
    return done.has_read_clock && !scenario_.terms.clients_read_clocks;
  }

  [[nodiscard]] size_t BlockOf(size_t part) const { return part * kLevelBlocks / explored_.parts; }
  [[nodiscard]] bool IsWanted(size_t part) const {
    const bool is_last = std::ssize(explored_.levels) - 1 == bounds_.depth + bounds_.delays;
    return bounds_.sample.empty() || !is_last || bounds_.sample[BlockOf(part)];
  }

  void Take(Strategy& strategy, const Done& done, size_t block) {
    is_misled_ = is_misled_ || IsMisled(done);
    is_over_ = is_over_ || is_misled_;
    if (is_over_ || !done.is_within) return;
    Count(done);
    CountInBlock(done, explored_.levels.back().counts[block]);
    uint64_t& digest = explored_.levels.back().digests[block];
    digest = MixDigest(MixDigest(digest, done.digest), static_cast<uint64_t>(done.stands_for));
    for (const Outcome outcome : done.outcomes)
      digest = MixDigest(digest, static_cast<uint64_t>(outcome));
    strategy.Take(done);
    if (bounds_.executions > 0 && explored_.run >= bounds_.executions) {
      explored_.ended = Ended::kBudget;
      is_over_ = true;
    } else if (strategy.KeptBytes() > bounds_.memory_bytes) {
      explored_.ended = Ended::kMemory;
      is_over_ = true;
    }
  }

  void Count(const Done& done) {
    explored_.executions += done.stands_for;
    explored_.levels.back().executions += done.stands_for;
    if (!done.is_run) return CountOutcomes(done);
    ++explored_.run;
    ++explored_.levels.back().run;
    explored_.level = static_cast<int>(done.deviations.size());
    if (!done.is_equal && explored_.unequal++ == 0) explored_.first_unequal = done.deviations;
    explored_.marks |= done.marks;
    if (digests_.size() < kMostDifferent) digests_.insert(done.digest);
    // An execution equals the plain execution up to its first deviation. So the place of its first
    // deviation is a point of the plain execution.
    const auto& deviations = done.deviations;
    const bool is_of_plain = !deviations.empty() && deviations[0].at <= last_point_ &&
                             deviations[0].kind == sim::ChoiceKind::kFault;
    if (is_of_plain) points_.insert(deviations[0].at);
    CountOutcomes(done);
  }

  static void CountInBlock(const Done& done, std::vector<int64_t>& counts) {
    counts.resize(2 + 2 * done.outcomes.size());
    counts[0] += done.stands_for;
    counts[1] += done.is_run ? 1 : 0;
    for (size_t i = 0; i < done.outcomes.size(); ++i) {
      if (done.outcomes[i] == Outcome::kViolated) counts[2 + 2 * i] += done.stands_for;
      if (done.outcomes[i] == Outcome::kUnknown) counts[3 + 2 * i] += done.stands_for;
    }
  }

  void CountOutcomes(const Done& done) {
    if (done.cut_off) explored_.cut_off += done.stands_for;
    for (size_t i = 0; i < done.outcomes.size(); ++i) {
      Found& found = explored_.claims[i];
      const bool is_violated = done.outcomes[i] == Outcome::kViolated;
      const bool is_first = (is_violated ? found.violated : found.violated + found.unknown) == 0;
      if (is_violated) found.violated += done.stands_for;
      if (done.outcomes[i] == Outcome::kUnknown) found.unknown += done.stands_for;
      if (is_violated || (done.outcomes[i] == Outcome::kUnknown && found.violated == 0))
        Show(done, is_first, found);
    }
  }

  static void Show(const Done& done, bool is_first, Found& found) {
    const auto size_of = [](const auto& one, const sim::Deviations& deviations) {
      return std::pair(deviations.size(), one.how_unusual);
    };
    if (!is_first && size_of(done, done.deviations) >= size_of(found, found.shortest)) return;
    found.shortest = done.deviations;
    found.how_unusual = done.how_unusual;
  }

  void DescribeFinding(Found& found) {
    if (found.violated + found.unknown == 0) return;
    Done done{.deviations = found.shortest};
    workers_.front()->Run(done);
    found.sentence =
        workers_.front()->Sentence(static_cast<size_t>(&found - explored_.claims.data()));
  }

  const Scenario& scenario_;
  const Bounds& bounds_;
  const std::function<void(const Explored&)>& progress_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unordered_set<uint64_t> digests_;
  std::unordered_set<uint32_t> points_;
  uint32_t last_point_ = 0;
  Explored explored_;
  bool is_over_ = false;
  bool is_misled_ = false;
};

}  // namespace

std::vector<bool> BlocksOf(int part, int parts) {
  std::vector<bool> blocks(kLevelBlocks);
  // Later blocks have fewer executions, so each part has earlier and later ones.
  for (int i = part - 1; i < static_cast<int>(kLevelBlocks); i += parts)
    blocks[static_cast<size_t>(i)] = true;
  return blocks;
}

Explored Explore(const Scenario& scenario, const Bounds& bounds,
                 const std::function<void(const Explored&)>& progress) {
  // Most locks read no wall clock. If no execution of the search reads one, none would have.
  if (bounds.ComparesStates() && bounds.tries_without_clocks) {
    Scenario blind = scenario;
    blind.terms.clients_read_clocks = false;
    if (auto explored = Search(blind, bounds, progress).Run()) return *std::move(explored);
  }
  Explored explored = *Search(scenario, bounds, progress).Run();
  explored.clocks_were_read = bounds.ComparesStates();
  return explored;
}

}  // namespace doublehold
