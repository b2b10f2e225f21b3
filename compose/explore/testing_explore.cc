#include "compose/explore/testing_explore.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compose/driver/driver.h"
#include "compose/plan/plan_builder.h"
#include "lib/base/words.h"

namespace doublehold {
namespace {

constexpr Duration kWindow = 2ms;

// The defaults of the settings of a test's search.
const SettingTexts& Defaults() {
  static const SettingTexts defaults{
      {"lock.lease", "400ms"},        {"retry.interval", "0.2 lease"},
      {"retry.timeout", "4 lease"},   {"workload.stock", "5"},
      {"workload.work", "0.5 lease"}, {"workload.work-distribution", "fixed"},
      {"workload.think", "0s"}};
  return defaults;
}

// Visits all executions that begin with a list of deviations and are within the bounds.
class Walk {
 public:
  Walk(const Searched& searched, const std::function<void(const Execution&)>& visit)
      : searched_(searched), scenario_(ScenarioOf(searched)), visit_(visit) {
    execution_.history.facts = FactsOf(scenario_.plan);
  }

  int64_t Run() {
    Visit();
    return count_;
  }

 private:
  void Visit() {
    sim::GivenChoices choices(deviations_);
    Simulate(scenario_, choices, bench_, execution_);
    for (size_t i = 0; i < searched_.most.size(); ++i) {
      if (std::ranges::count(execution_.begun_faults, searched_.faults[i]) > searched_.most[i])
        return;
    }
    ++count_;
    visit_(execution_);
    const std::vector<sim::GivenChoices::Question> open = choices.open();
    for (const auto& question : open) {
      const auto made = std::ranges::count(deviations_, question.kind, &sim::Deviation::kind);
      const bool is_fault = question.kind == sim::ChoiceKind::kFault;
      if (made >= (is_fault ? searched_.depth : searched_.delays)) continue;
      for (uint32_t choice = 1; choice < question.count; ++choice) {
        deviations_.push_back({.at = question.at, .choice = choice, .kind = question.kind});
        Visit();
        deviations_.pop_back();
      }
    }
  }

  const Searched& searched_;
  Scenario scenario_;
  const std::function<void(const Execution&)>& visit_;
  sim::Workbench bench_;
  Execution execution_;
  sim::Deviations deviations_;
  int64_t count_ = 0;
};

}  // namespace

int64_t EachExecution(const Searched& searched,
                      const std::function<void(const Execution&)>& visit) {
  return Walk(searched, visit).Run();
}

Plan PlanOf(const Searched& searched) {
  Settings settings;
  settings.Set("lock.name", searched.lock, "test");
  settings.Set("workload.clients", std::to_string(searched.clients), "test");
  SettingTexts all = searched.more;
  const auto workload = all.find("workload.name");
  const bool is_inventory = workload == all.end() || workload->second == "inventory";
  for (const auto& [name, value] : Defaults()) {
    if (is_inventory || !name.starts_with("workload.")) all.emplace(name, value);
  }
  for (const auto& [name, value] : all) {
    if (name == "claims") {
      settings.SetList(name, SplitAtCommas(value), "test");
    } else {
      settings.Set(name, value, "test");
    }
  }
  Result<Plan> plan = BuildPlan(std::move(settings));
  if (!plan) {
    ADD_FAILURE() << plan.error().message;
    return {};
  }
  return *plan;
}

Scenario ScenarioOf(const Searched& searched) {
  Scenario scenario = ScenarioOf(PlanOf(searched), searched.cycles, searched.faults);
  if (searched.delays > 0) scenario.terms.window = kWindow;
  return scenario;
}

Explored ExploreAll(const Searched& searched, std::unique_ptr<Lock> (*make)(const LockContext&)) {
  Scenario scenario = ScenarioOf(searched);
  scenario.make = make;
  Bounds bounds{.depth = searched.depth, .delays = searched.delays};
  for (size_t i = 0; i < searched.most.size(); ++i)
    bounds.most[searched.faults[i]] = searched.most[i];
  Explored explored = Explore(scenario, bounds, [](const Explored&) {});
  EXPECT_TRUE(explored.is_complete);
  EXPECT_EQ(explored.cut_off, 0);
  return explored;
}

std::string Violated(const Explored& explored) {
  std::string violated;
  for (const Found& found : explored.claims) {
    if (found.violated > 0) {
      violated += (violated.empty() ? "" : " ") + found.claim;
    }
  }
  return violated;
}

int64_t Count(const Explored& explored, std::string_view claim) {
  for (const Found& found : explored.claims) {
    if (found.claim == claim) return found.violated;
  }
  ADD_FAILURE() << "nobody judges " << claim;
  return 0;
}

}  // namespace doublehold
