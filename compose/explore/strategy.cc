#include "compose/explore/strategy.h"

#include <algorithm>
#include <cstring>

#include "compose/plan/plan_builder.h"
#include "lib/base/check.h"

namespace doublehold {
namespace {

uint64_t Mix(uint64_t digest, uint64_t word) {
  constexpr uint64_t kOdd = 0x9E3779B97F4A7C15;
  digest = (digest ^ word) * kOdd;
  return digest ^ digest >> 29;
}

}  // namespace

bool MayDeviate(const Bounds& bounds, const sim::Deviations& deviations, sim::ChoiceKind kind) {
  const int most = kind == sim::ChoiceKind::kFault ? bounds.depth : bounds.delays;
  return std::ranges::count(deviations, kind, &sim::Deviation::kind) < most;
}

uint64_t DigestOf(const History& history) {
  uint64_t digest = history.events.size();
  // Event has no padding (event.h), so equal events have equal bytes.
  static_assert(std::has_unique_object_representations_v<Event> &&
                sizeof(Event) % sizeof(uint64_t) == 0);
  for (const Event& event : history.events) {
    std::array<uint64_t, sizeof(Event) / sizeof(uint64_t)> words;
    std::memcpy(words.data(), &event, sizeof(Event));
    for (const uint64_t word : words) digest = Mix(digest, word);
  }
  for (const FaultFact& fault : history.facts.faults) {
    for (const char letter : fault.what) digest = Mix(digest, static_cast<uint8_t>(letter));
  }
  return digest;
}

Worker::Worker(const Scenario& scenario, const Bounds& bounds)
    : scenario_(scenario), bounds_(bounds), judge_(scenario.plan.claims) {
  execution_.history.facts = again_.history.facts = FactsOf(scenario.plan);
}

void Worker::Run(sim::ChoiceSource& choices, Done& done) {
  Simulate(scenario_, choices, bench_, execution_);
  done.is_within = IsWithin(execution_.struck);
  done.cut_off = execution_.cut_off;
  done.is_again = bounds_.reduce && bounds_.strategy == StrategyKind::kExhaustive &&
                  execution_.redundant_from.has_value();
  for (const FaultForm fault : execution_.struck)
    done.how_unusual = std::max(done.how_unusual, static_cast<int>(fault));
  done.digest = DigestOf(execution_.history);
  if (!done.is_within || done.is_again) return;
  const ClaimJudge::Findings& findings = judge_.Judge(execution_.history);
  done.outcomes = findings.outcomes;
  done.marks = findings.marks;
}

void Worker::Run(Done& done) {
  sim::GivenChoices choices(done.deviations);
  Run(choices, done);
  CHECK(choices.Fits());
  done.open = choices.open();
  if (done.is_again) {
    std::erase_if(done.open,
                  [&](const auto& question) { return question.at >= *execution_.redundant_from; });
  }
  RunAgain(done);
}

void Worker::RunAgain(Done& done) {
  if (!bounds_.run_twice) return;
  sim::GivenChoices choices(done.deviations);
  Simulate(scenario_, choices, other_bench_, again_);
  done.is_equal =
      choices.Fits() && DigestOf(again_.history) == done.digest && again_.cut_off == done.cut_off;
}

std::string Worker::Sentence(size_t claim) const {
  return judge_.Sentence(execution_.history, claim);
}

bool Worker::IsWithin(const std::vector<FaultForm>& struck) const {
  return std::ranges::all_of(bounds_.most, [&](const auto& each) {
    return std::ranges::count(struck, each.first) <= each.second;
  });
}

}  // namespace doublehold
