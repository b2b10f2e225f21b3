#include "compose/explore/scenario_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "compose/driver/driver.h"
#include "compose/driver/lock_name.h"
#include "compose/plan/service_rules.h"
#include "faults/fault.h"
#include "lib/locks/registry.h"
#include "lib/plan/topology.h"
#include "lib/sim/service_models.h"

namespace doublehold {
namespace {

// The defaults of `explore`.
constexpr const char* kWork = "0.5 lease";
// Longer than a lease, so that a watchdog extends the lease.
constexpr const char* kWorkOfWatchdogs = "1.5 lease";
// The option with which locks that have a watchdog switch it off.
constexpr std::string_view kNoWatchdog = "explicit-lease";
constexpr std::array<std::pair<const char*, const char*>, 7> kScenarioDefaults{{
    {"lock.lease", "400ms"},  // kExploreLease
    {"retry.timeout", "4 lease"},
    // Retries are rare, so that executions do not consist mostly of retries.
    {"retry.interval", "0.2 lease"},
    {"workload.clients", "2"},
    {"workload.work", kWork},
    {"workload.work-distribution", "fixed"},
    {"workload.think", "0s"},
}};
constexpr const char* kDefaultPlace = "the default of explore";
constexpr const char* kNoDrivers =
    "a driver is a separate program, which cannot be simulated; name a built-in lock";
constexpr Lease kExploreLease = 400ms;  // or the shortest that the lock's service keeps
constexpr int kLeastStock = 5;
constexpr Duration kWindow = 2ms;  // events at most this far apart may be reordered

bool SellsStock(Settings settings) {
  const std::optional<Setting> workload = settings.Take("workload.name");
  return !workload || workload->words == std::vector<std::string>{"inventory"};
}

}  // namespace

void AddScenarioDefaults(Settings& settings) {
  const bool inventory = SellsStock(settings);
  for (const auto& [name, value] : kScenarioDefaults) {
    const bool of_inventory = std::string_view(name).starts_with("workload.") &&
                              name != std::string_view("workload.clients");
    if ((inventory || !of_inventory) && !settings.Has(name))
      settings.Set(name, value, kDefaultPlace);
  }
  ChooseByLock(settings);
}

Result<Settings> ReadScenarioSettings(const ParsedLine& line) {
  ParsedLine plain = line;
  plain.values.erase("faults");
  Result<Settings> settings = ReadExperiment(plain);
  if (!settings) return settings;
  TRY(ResolveLockName(*settings));
  AddScenarioDefaults(*settings);
  // There is more stock than sales. If stock ran out, a refused sale could hide an oversold unit.
  if (SellsStock(*settings) && !settings->Has("workload.stock")) {
    const int clients = std::atoi(Settings(*settings).Take("workload.clients")->words[0].c_str());
    const int64_t sales = int64_t{2} * clients * line.values["cycles"].as<int>();
    settings->Set("workload.stock", std::to_string(std::max<int64_t>(kLeastStock, sales)),
                  kDefaultPlace);
  }
  return settings;
}

void ChooseByLock(Settings& settings) {
  Settings read = settings;
  const std::optional<Setting> lock = read.Take("lock.name");
  const LockEntry* entry = lock && lock->words.size() == 1 ? FindLock(lock->words[0]) : nullptr;
  if (entry == nullptr) return;
  if (const auto lease = read.Take("lock.lease"); lease && lease->where == kDefaultPlace) {
    const Lease least = FactsOfService(entry->service).shortest_lease;
    settings.Set("lock.lease", FormatDuration(std::max<Lease>(kExploreLease, least)),
                 kDefaultPlace);
  }
  const std::optional<Setting> work = read.Take("workload.work");
  if (!work || work->where != kDefaultPlace) return;
  const bool extends =
      FactsOfService(entry->service).keeps_alive ||
      std::ranges::find(entry->options, kNoWatchdog, &OptionSpec::name) != entry->options.end();
  const bool is_off = settings.Has(fmt::format("lock.{}", kNoWatchdog));
  settings.Set("workload.work", extends && !is_off ? kWorkOfWatchdogs : kWork, kDefaultPlace);
}

std::string ExplainMissing(FaultForm form, const Plan& plan) {
  const FaultFormEntry& entry = EntryOf(form);
  if (entry.site == FaultSite::kMasters && plan.replicas == 0)
    return fmt::format("topology {} has no replicas; use --topology replicated", plan.topology);
  const FaultPlan fault{
      .kind = std::string(entry.kind), .nodes = {1}, .data = std::string(entry.data)};
  const ServiceFacts& service = FactsOfServiceOf(plan);
  const bool is_redis = service.name == kRedisService;
  if (Does(fault, FaultTrait::kRepeats) && !is_redis)
    return fmt::format("requests to the model of {} cannot be sent twice; use a lock on Redis",
                       service.title);
  if (entry.site != FaultSite::kNode) return "";
  const Result<void> possible = CheckService(plan, fault);
  if (!possible) return possible.error().message;
  return Does(fault, FaultTrait::kMovesClock) && !is_redis
             ? fmt::format("the model of {} has no wall clock", service.title)
             : "";
}

Result<Plan> SimulatedPlan(const Settings& settings) {
  Settings named = settings;
  TRY(ResolveLockName(named));
  const std::optional<Setting> lock = named.Take("lock.name");
  if (lock && lock->words == std::vector{std::string(kDriverLock)})
    return BadInput(lock->where + ": " + kNoDrivers);
  if (named.Has("lock.driver")) return BadInput(std::string("lock.driver: ") + kNoDrivers);
  Result<Plan> plan = BuildPlan(named);
  if (!plan) return plan;
  if (!plan->faults.empty())
    return BadInput("explore chooses the faults itself: use an experiment without faults");
  if (const ServiceFacts& service = FactsOfServiceOf(*plan);
      sim::FindServiceModel(service.name) == nullptr) {
    return BadInput(
        fmt::format("lock.name: lock {} keeps its keys in {}, which is not simulated; "
                    "try it on real servers (doublehold run, doublehold sweep)",
                    plan->lock, service.title));
  }
  if (StoreServiceOf(*plan) != kRedisService)
    return BadInput(fmt::format("workload.store: a store in {} is not simulated; use redis",
                                FactsOfService(StoreServiceOf(*plan)).title));
  if (const auto pooler = plan->lock_options.find(kThroughPooler);
      pooler != plan->lock_options.end() && pooler->second != kNoPooler)
    return BadInput(
        fmt::format("lock.{}: PgBouncer is not simulated; use {}", kThroughPooler, kNoPooler));
  if (plan->sections > 0) return BadInput("workload.sections: only for real runs; use --cycles");
  if (plan->direct) return BadInput("topology.direct: the simulation has no proxy to bypass");
  if (plan->net == kNamespaces)
    return BadInput("topology.net: packets are not simulated; use net = \"proxy\"");
  const bool is_redis = ServiceOf(*plan) == kRedisService;
  const bool is_simulated = is_redis
                                ? !FindTopology(plan->topology)->FailsOver() && !IsExternal(*plan)
                                : plan->topology == "single";
  if (!is_simulated) {
    return BadInput(fmt::format("topology.name: {} is not simulated; use {}", plan->topology,
                                is_redis ? "single, independent or replicated" : "single"));
  }
  plan->expect.clear();
  plan->expect_cause.clear();
  return plan;
}

Scenario ScenarioOf(const Plan& plan, const ReplayString& replay) {
  Scenario scenario = ScenarioOf(plan, replay.cycles, replay.faults);
  if (replay.reorders) scenario.terms.window = kWindow;
  return scenario;
}

ReplayString MakeReplayString(const Settings& settings, const Scenario& scenario,
                              const sim::Deviations& choices) {
  ReplayString replay{.settings = settings,
                      .cycles = scenario.cycles,
                      .faults = scenario.terms.faults,
                      .reorders = scenario.terms.window > Duration::zero(),
                      .choices = choices};
  replay.settings.Set("workload.clients", std::to_string(scenario.plan.clients), "explore");
  return replay;
}

}  // namespace doublehold
