#include "compose/explore/shrink.h"

#include <algorithm>
#include <utility>

#include "checker/evidence/evidence.h"
#include "compose/explore/timing_dependence.h"
#include "compose/plan/plan_builder.h"
#include "lib/base/check.h"

namespace doublehold {
namespace {

using sim::ChoiceKind;
using sim::Deviations;
constexpr int64_t kEventsOfAnExecution = 20;  // cost of an execution without events, in events
// The search skips a size that needs more than 1/kShareOfOneSize of the remaining effort.
constexpr int64_t kShareOfOneSize = 2;
constexpr int64_t kCostOfTimeChanges = 20;  // cost of IsSteady, in executions
constexpr int64_t kNear = 60;  // how far from its old place a later deviation is searched
constexpr int64_t kNearOfMany = 2;
// For an execution with at most so many deviations, the search at all places comes first.
constexpr size_t kFew = 4;

// Runs and judges executions, and subtracts their cost from the effort.
class ShrinkTrials {
 public:
  ShrinkTrials(const std::string& claim, int64_t effort)
      : checker_(*FindChecker(claim)), effort_(effort) {}

  // Selects the scenario of the next executions. `scenario` must live until the next call.
  void Enter(const Scenario& scenario) {
    scenario_ = &scenario;
    execution_.history.facts = FactsOf(scenario.plan);
  }

  // Runs an execution. Returns the questions after the last of `choices`. Returns nothing if the
  // choices do not fit.
  std::optional<std::vector<sim::GivenChoices::Question>> Run(const Deviations& choices) {
    sim::GivenChoices given(choices);
    Simulate(*scenario_, given, bench_, execution_);
    ++executions_;
    effort_ -= Cost();
    if (!given.Fits()) return std::nullopt;
    return given.open();
  }

  [[nodiscard]] bool Violates(const Deviations& choices) { return Run(choices) && Violated(); }
  // Whether the last execution violates the claim.
  [[nodiscard]] bool Violated() const {
    return checker_.check(Evidence(execution_.history), {.violations_told = 0}).outcome ==
           Outcome::kViolated;
  }
  // Whether the claim is also violated when short times differ (timing_dependence.h).
  [[nodiscard]] bool IsSteady(const Deviations& choices) {
    effort_ -= Cost() * kCostOfTimeChanges;
    return !FindTimingDependence(*scenario_, choices, checker_, Outcome::kViolated);
  }
  [[nodiscard]] std::string Sentence() const {
    const ClaimVerdict verdict =
        checker_.check(Evidence(execution_.history), {.violations_told = 1});
    return verdict.violations.empty() ? "" : verdict.violations.front().sentence;
  }
  [[nodiscard]] const std::vector<Event>& events() const { return execution_.history.events; }
  [[nodiscard]] std::vector<FaultForm> begun_faults() const {
    std::vector<FaultForm> begun_faults = execution_.begun_faults;
    std::ranges::sort(begun_faults);
    return begun_faults;
  }
  [[nodiscard]] int64_t Cost() const {
    return static_cast<int64_t>(events().size()) + kEventsOfAnExecution;
  }
  [[nodiscard]] int64_t effort() const { return effort_; }
  void Grant(int64_t more) { effort_ = std::max<int64_t>(effort_, 0) + more; }
  [[nodiscard]] int64_t executions() const { return executions_; }

 private:
  const CheckerEntry& checker_;
  const Scenario* scenario_ = nullptr;
  sim::Workbench bench_;
  Execution execution_;
  int64_t effort_;
  int64_t executions_ = 0;
};

size_t CountKind(const Deviations& choices, ChoiceKind kind) {
  return static_cast<size_t>(std::ranges::count(choices, kind, &sim::Deviation::kind));
}

// The faults and delays that an execution must have, at any place.
struct RequiredChoices {
  std::vector<FaultForm> faults;  // sorted; may contain duplicates
  size_t delays = 0;
};

// Restricts the scenario to the wanted faults and delays: fewer questions make a shorter search.
Scenario RestrictScenario(Scenario scenario, const RequiredChoices& wanted) {
  scenario.terms.faults = wanted.faults;
  const auto rest = std::ranges::unique(scenario.terms.faults);
  scenario.terms.faults.erase(rest.begin(), rest.end());
  if (wanted.delays == 0) scenario.terms.window = {};
  return scenario;
}

// Searches every execution with the wanted faults and delays. Finds the first execution that
// violates the claim and does not depend on short times. If there is none, finds the first
// execution that violates the claim.
class SizeSearch {
 public:
  SizeSearch(ShrinkTrials& trials, const Scenario& scenario, const RequiredChoices& wanted)
      : trials_(trials), wanted_(wanted) {
    trials_.Enter(scenario);
  }

  enum class End : uint8_t { kFound, kNone, kTooMany };
  End Run() {
    if (IsTooLarge()) return End::kTooMany;
    if (Visit(wanted_.faults.size(), wanted_.delays)) return End::kFound;
    if (dependent_) {
      choices_ = *dependent_;
      return End::kFound;
    }
    return ended_ ? End::kTooMany : End::kNone;
  }
  [[nodiscard]] const Deviations& found() const { return choices_; }

 private:
  // Estimates the size of the search from the questions of the plain execution. Other executions
  // have about as many questions.
  bool IsTooLarge() {
    double answers[] = {0, 0};
    const auto plain = trials_.Run({});
    for (const auto& question : *plain)
      answers[static_cast<size_t>(question.kind)] += question.count - 1;
    double executions = 1;
    const auto times = [&](size_t count, double each) {
      for (size_t i = 1; i <= count; ++i) executions *= each / static_cast<double>(i);
    };
    times(wanted_.faults.size(), answers[static_cast<size_t>(ChoiceKind::kFault)]);
    times(wanted_.delays, answers[static_cast<size_t>(ChoiceKind::kOrder)]);
    return executions * static_cast<double>(trials_.Cost()) >
           static_cast<double>(trials_.effort() / kShareOfOneSize);
  }

  bool Visit(size_t faults, size_t delays) {
    if (trials_.effort() <= 0) ended_ = true;
    if (ended_) return false;
    const auto open = trials_.Run(choices_);
    CHECK(open.has_value());
    if (!std::ranges::includes(wanted_.faults, trials_.begun_faults())) return false;
    if (faults + delays == 0) return trials_.Violated() && AcceptIfSteady();
    for (const auto& question : *open) {
      const bool is_fault = question.kind == ChoiceKind::kFault;
      if ((is_fault ? faults : delays) == 0) continue;
      for (uint32_t choice = 1; choice < question.count; ++choice) {
        choices_.push_back({.at = question.at, .choice = choice, .kind = question.kind});
        if (Visit(faults - (is_fault ? 1 : 0), delays - (is_fault ? 0 : 1))) return true;
        choices_.pop_back();
      }
    }
    return false;
  }

  bool AcceptIfSteady() {
    if (trials_.IsSteady(choices_)) return true;
    if (!dependent_) dependent_ = choices_;
    return false;
  }

  ShrinkTrials& trials_;
  const RequiredChoices& wanted_;
  Deviations choices_;
  std::optional<Deviations> dependent_;  // the first violation that depends on short times
  bool ended_ = false;
};

// Removes the choice `removed` and moves the later choices by `moved` places. Returns nothing if
// the order of the choices would change.
std::optional<Deviations> RemoveChoice(const Deviations& choices, size_t removed, int64_t moved) {
  Deviations fewer;
  for (size_t i = 0; i < choices.size(); ++i) {
    if (i == removed) continue;
    const int64_t at = choices[i].at + (i > removed ? moved : 0);
    if (at < 0 || (!fewer.empty() && at <= fewer.back().at)) return std::nullopt;
    fewer.push_back(choices[i]);
    fewer.back().at = static_cast<uint32_t>(at);
  }
  return fewer;
}

// Removes choices: first many at once, then one at a time, faults before delays. When it removes
// one choice, it searches the later choices near their old places. At last it removes cycles that
// are not needed.
class NearbySearch {
 public:
  NearbySearch(ShrinkTrials& trials, Scenario& scenario, Deviations& choices)
      : trials_(trials), scenario_(scenario), choices_(choices) {}

  void Run() {
    trials_.Enter(scenario_);
    for (size_t many = choices_.size() / 2; many > 1; many /= 2) RemoveMany(many);
    while (RemoveOne(ChoiceKind::kFault) || RemoveOne(ChoiceKind::kOrder)) {
    }
    for (int cycles = 1; cycles < scenario_.cycles; ++cycles) {
      Scenario shorter = scenario_;
      shorter.cycles = cycles;
      trials_.Enter(shorter);
      if (trials_.effort() <= 0 || !trials_.Violates(choices_)) continue;
      scenario_ = shorter;
      return;
    }
  }

 private:
  // Goes from the end to the start, so that earlier choices keep their places.
  void RemoveMany(size_t many) {
    for (size_t end = choices_.size(); end >= many && trials_.effort() > 0;) {
      Deviations fewer = choices_;
      const auto from = fewer.begin() + static_cast<std::ptrdiff_t>(end - many);
      fewer.erase(from, from + static_cast<std::ptrdiff_t>(many));
      if (trials_.Violates(fewer)) choices_ = fewer;
      end -= many;
    }
  }

  bool RemoveOne(ChoiceKind kind) {
    const int64_t near = choices_.size() > kFew ? kNearOfMany : kNear;
    for (size_t i = 0; i < choices_.size(); ++i) {
      const bool is_last = i + 1 == choices_.size();
      if (choices_[i].kind != kind) continue;
      for (int64_t step = 0; step <= (is_last ? 0 : 2 * near); ++step) {
        const auto fewer = RemoveChoice(choices_, i, step % 2 == 0 ? step / 2 : -(step + 1) / 2);
        if (trials_.effort() <= 0) return false;
        if (!fewer || !trials_.Violates(*fewer)) continue;
        choices_ = *fewer;
        return true;
      }
    }
    return false;
  }

  ShrinkTrials& trials_;
  Scenario& scenario_;
  Deviations& choices_;
};

// Translates `choices` from `scenario` to `only`, which has fewer questions. Returns nothing if no
// choices in `only` give the same execution.
std::optional<Deviations> TranslateChoices(ShrinkTrials& trials, const Scenario& only,
                                           const Scenario& scenario, const Deviations& choices) {
  Deviations same, so_far;
  for (const sim::Deviation& next : choices) {
    so_far.push_back(next);
    trials.Enter(scenario);
    if (!trials.Run(so_far)) return std::nullopt;
    const std::vector<Event> events = trials.events();
    trials.Enter(only);
    const auto open = trials.Run(same);
    bool is_there = false;
    for (size_t i = 0; open && !is_there && i < open->size(); ++i) {
      const auto& question = (*open)[i];
      for (uint32_t choice = 1; !is_there && choice < question.count; ++choice) {
        if (question.kind != next.kind) continue;
        same.push_back({.at = question.at, .choice = choice, .kind = question.kind});
        is_there = trials.Run(same) && trials.events() == events;
        if (!is_there) same.pop_back();
      }
    }
    if (!is_there) return std::nullopt;
  }
  return same;
}

// Returns all distinct subsets of `faults`, smallest first.
std::vector<std::vector<FaultForm>> ListSubsets(const std::vector<FaultForm>& faults) {
  std::vector<std::vector<FaultForm>> parts{{}};
  for (const FaultForm fault : faults) {
    for (size_t i = parts.size(); i-- > 0;) {
      parts.push_back(parts[i]);
      parts.back().push_back(fault);
    }
  }
  std::ranges::sort(parts, [](const auto& a, const auto& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  const auto rest = std::ranges::unique(parts);
  parts.erase(rest.begin(), rest.end());
  return parts;
}

// Searches the executions that are not larger than the known execution, smallest first. Returns
// false if it found no violation.
class SmallestFirst {
 public:
  SmallestFirst(ShrinkTrials& trials, Shrunk& shrunk, const PlanWithClients& with_clients)
      : trials_(trials), shrunk_(shrunk), with_clients_(with_clients) {}

  bool Run() {
    trials_.Enter(shrunk_.scenario);
    CHECK(trials_.Violates(shrunk_.choices));
    const size_t delays = CountKind(shrunk_.choices, ChoiceKind::kOrder);
    for (const std::vector<FaultForm>& part : ListSubsets(trials_.begun_faults())) {
      for (int clients = 1; clients <= shrunk_.scenario.plan.clients; ++clients) {
        if (Try({.faults = part, .delays = delays}, clients)) return true;
      }
    }
    return false;
  }

 private:
  bool Try(RequiredChoices most, int clients) {
    Scenario fewer = shrunk_.scenario;
    if (clients < fewer.plan.clients) {
      const std::optional<Plan> plan = with_clients_(clients);
      if (!plan) return false;
      fewer.plan = *plan;
      fewer.terms.clients = clients;
    }
    for (int cycles = 1; cycles <= shrunk_.scenario.cycles; ++cycles) {
      fewer.cycles = cycles;
      for (size_t delays = 0; delays <= most.delays; ++delays) {
        const RequiredChoices wanted{.faults = most.faults, .delays = delays};
        const Scenario only = RestrictScenario(fewer, wanted);
        SizeSearch search(trials_, only, wanted);
        const SizeSearch::End end = search.Run();
        if (end == SizeSearch::End::kTooMany) shrunk_.is_smallest = false;
        if (end != SizeSearch::End::kFound) continue;
        shrunk_.scenario = only;
        shrunk_.choices = search.found();
        return true;
      }
    }
    return false;
  }

  ShrinkTrials& trials_;
  Shrunk& shrunk_;
  const PlanWithClients& with_clients_;
};

// Removes the questions about faults that do not begin in the execution. Used if no smaller
// execution was found.
void RemoveUnusedFaults(ShrinkTrials& trials, Shrunk& shrunk) {
  trials.Enter(shrunk.scenario);
  CHECK(trials.Violates(shrunk.choices));
  const RequiredChoices wanted{.faults = trials.begun_faults(),
                               .delays = CountKind(shrunk.choices, ChoiceKind::kOrder)};
  const Scenario only = RestrictScenario(shrunk.scenario, wanted);
  const auto same = TranslateChoices(trials, only, shrunk.scenario, shrunk.choices);
  if (!same) return;
  shrunk.scenario = only;
  shrunk.choices = *same;
}

}  // namespace

Shrunk Shrink(const Scenario& scenario, const Deviations& choices, const std::string& claim,
              const PlanWithClients& with_clients, int64_t effort) {
  Shrunk shrunk{.scenario = scenario, .choices = choices, .sentence = {}};
  ShrinkTrials trials(claim, effort / 2);
  const bool are_few = choices.size() <= kFew;
  if (!are_few) NearbySearch(trials, shrunk.scenario, shrunk.choices).Run();
  trials.Grant(effort / 2);
  if (!SmallestFirst(trials, shrunk, with_clients).Run()) {
    if (are_few) NearbySearch(trials, shrunk.scenario, shrunk.choices).Run();
    RemoveUnusedFaults(trials, shrunk);
  }
  trials.Enter(shrunk.scenario);
  CHECK(trials.Violates(shrunk.choices));
  shrunk.sentence = trials.Sentence();
  shrunk.executions = trials.executions();
  return shrunk;
}

}  // namespace doublehold
