// Counts the executions of a search that differ, and the states that it reaches again. A state is a
// place at which a fault may begin: what was recorded before it, and what happens after it if no
// further fault begins. Equal states have equal continuations, so one of them could be left out.
//
//     bench_states [DEPTH [LOCK...]]
//
// Prints a line for each lock: executions of at most DEPTH faults, different histories, and by how
// much the executions of one more fault would be fewer if equal states were continued once.
// docs/states.md has the four meanings of "equal".
#include <fmt/format.h>

#include <array>
#include <string>
#include <unordered_set>
#include <vector>

#include "compose/explore/judge_cache.h"
#include "compose/explore/scenario_settings.h"
#include "compose/explore/simulate.h"
#include "compose/explore/strategy.h"
#include "compose/plan/plan_builder.h"
#include "lib/base/check.h"
#include "lib/base/fault_forms.h"
#include "lib/locks/registry.h"

namespace doublehold {
namespace {

uint64_t MixSince(uint64_t digest, Event event, int64_t origin_ns) {
  event.at_ns -= origin_ns;
  return MixDigest(digest, event);
}

uint64_t MeaningOf(const FaultFact& fault) {
  uint64_t digest = fault.keeps_data ? 1 : 0;
  for (int trait = 0; trait <= static_cast<int>(FaultTrait::kForgetsScripts); ++trait) {
    if (fault.traits && fault.traits->Has(static_cast<FaultTrait>(trait)))
      digest = MixDigest(digest, static_cast<uint64_t>(trait));
  }
  return digest;
}

enum Meaning : uint8_t { kWhole, kTraits, kClients, kRelative, kMeanings };

struct Counts {
  int64_t executions = 0;
  std::unordered_set<uint64_t> histories;
  int64_t continuations = 0;
  std::array<int64_t, kMeanings> distinct{};
  std::array<std::unordered_set<uint64_t>, kMeanings> seen;
};

class Counter {
 public:
  Counter(const Scenario& scenario, int depth)
      : scenario_(scenario), depth_(depth), judge_(scenario.plan.claims) {
    scenario_.terms.asked = &asked_;
    scenario_.terms.frames = &frames_;
    execution_.history.facts = FactsOf(scenario.plan);
    bounds_.depth = depth + 1;
  }

  Counts Run() {
    Visit({});
    return std::move(counts_);
  }

 private:
  void Visit(const sim::Deviations& made) {
    asked_.clear();
    frames_.clear();
    sim::GivenChoices choices(made);
    Simulate(scenario_, choices, bench_, execution_);
    ++counts_.executions;
    counts_.histories.insert(ComputeDigest(execution_.history));
    const Questions open = choices.open();
    CountStates(made.size(), open);
    if (std::ssize(made) == depth_) return;
    for (const sim::Deviation& next : NextDeviations(bounds_, made, open)) {
      sim::Deviations more = made;
      more.push_back(next);
      Visit(more);
    }
  }

  void CountStates(size_t faults, const Questions& open) {
    const std::vector<Event>& events = execution_.history.events;
    for (const auto& question : open) {
      const size_t before = asked_[question.at].events_before;
      const size_t frames_before = asked_[question.at].frames_before;
      counts_.continuations += question.count - 1;
      const int64_t now_ns = frames_before < frames_.size() ? frames_[frames_before].at_ns
                             : before < events.size()       ? events[before].at_ns
                                                            : 0;
      const uint64_t start = MixDigest(faults, question.count);
      for (int meaning = 0; meaning < kMeanings; ++meaning) {
        const uint64_t past = PastOf(meaning, before);
        const uint64_t state = After(meaning, MixDigest(start, past), before, frames_before,
                                     meaning == kRelative ? now_ns : 0);
        if (counts_.seen[meaning].insert(state).second)
          counts_.distinct[meaning] += question.count - 1;
      }
    }
  }

  uint64_t PastOf(int meaning, size_t before) {
    const std::vector<Event>& events = execution_.history.events;
    uint64_t digest = 0;
    if (meaning == kRelative) {
      History past{
          .facts = execution_.history.facts,
          .events = {events.begin(), events.begin() + static_cast<std::ptrdiff_t>(before)}};
      past.facts.duration = past.events.empty() ? Duration{} : Duration(past.events.back().at_ns);
      for (const Outcome outcome : judge_.Judge(past).outcomes)
        digest = MixDigest(digest, static_cast<uint64_t>(outcome));
      return digest;
    }
    for (size_t i = 0; i < before; ++i) {
      Event event = events[i];
      if (event.op == Op::kFault && meaning != kWhole) {
        if (meaning == kClients) continue;
        event.value[0] = static_cast<int64_t>(
            MeaningOf(execution_.history.facts.faults[static_cast<size_t>(event.value[0])]));
      }
      digest = MixDigest(digest, event);
    }
    if (meaning == kWhole) {
      for (const FaultForm fault : execution_.begun_faults)
        digest = MixDigest(digest, static_cast<uint64_t>(fault));
    }
    return digest;
  }

  uint64_t After(int meaning, uint64_t digest, size_t before, size_t frames_before,
                 int64_t origin_ns) {
    const std::vector<Event>& events = execution_.history.events;
    for (size_t i = before; i < events.size(); ++i) {
      if (events[i].op == Op::kFault && meaning >= kClients) continue;
      Event event = events[i];
      if (event.op == Op::kFault) event.value[0] = 0;
      digest = MixSince(digest, event, origin_ns);
    }
    for (size_t i = frames_before; i < frames_.size(); ++i) {
      const Frame& frame = frames_[i];
      digest = MixDigest(digest, static_cast<uint64_t>(frame.at_ns - origin_ns));
      digest = MixDigest(digest, static_cast<uint64_t>(frame.client * 64 + frame.node * 2 +
                                                       (frame.is_reply ? 1 : 0)));
      digest = MixDigest(digest, std::hash<std::string>{}(frame.command));
    }
    return digest;
  }

  Scenario scenario_;
  int depth_;
  Bounds bounds_;
  ClaimJudge judge_;
  sim::Workbench bench_;
  Execution execution_;
  std::vector<sim::AskedChoice> asked_;
  std::vector<Frame> frames_;
  Counts counts_;
};

Result<Plan> PlanOf(const std::string& lock, int clients) {
  Settings settings;
  settings.Set("lock.name", lock, "bench");
  settings.Set("workload.stock", "10", "bench");
  settings.Set("workload.clients", std::to_string(clients), "bench");
  if (FindLock(lock)->most_nodes >= 3) settings.Set("topology.nodes", "3", "bench");
  AddScenarioDefaults(settings);
  return SimulatedPlan(settings);
}

void Print(const std::string& lock, int clients, int depth) {
  const Result<Plan> plan = PlanOf(lock, clients);
  if (!plan) return;
  std::vector<FaultForm> faults;
  for (const FaultFormEntry& entry : kFaultForms) {
    if (ExplainMissing(entry.form, *plan).empty()) faults.push_back(entry.form);
  }
  const Counts counts = Counter(ScenarioOf(*plan, /*cycles=*/1, faults), depth).Run();
  fmt::print("| {} | {} | {} | {} | {} |", lock, clients, counts.executions,
             counts.histories.size(), counts.continuations);
  for (const int64_t distinct : counts.distinct)
    fmt::print(" {:.2f} |", static_cast<double>(counts.continuations) /
                                static_cast<double>(std::max<int64_t>(distinct, 1)));
  fmt::print("\n");
}

int Main(int argc, char** argv) {
  const int depth = argc > 1 ? std::atoi(argv[1]) : 1;
  std::vector<std::string> locks(argv + std::min(argc, 2), argv + argc);
  if (locks.empty()) {
    for (const LockEntry& lock : Locks()) locks.emplace_back(lock.name);
  }
  fmt::print(
      "| lock | clients | executions | different | one fault more | whole | traits | clients "
      "| relative |\n|---|---|---|---|---|---|---|---|---|\n");
  for (const std::string& lock : locks) {
    for (const int clients : {2, 3}) Print(lock, clients, depth);
  }
  return 0;
}

}  // namespace
}  // namespace doublehold

int main(int argc, char** argv) { return doublehold::Main(argc, argv); }
