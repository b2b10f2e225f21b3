#include "compose/cli/fault_self_test.h"

#include <algorithm>
#include <array>
#include <utility>

#include "compose/driver/driver.h"
#include "compose/os/scratch.h"
#include "compose/run/run_once.h"
#include "lib/plan/settings.h"

namespace doublehold {
namespace {

// Messages name this as the place at which the settings were written.
constexpr const char* kWhere = "doctor";

struct KeyValue {
  std::string_view key;
  const char* value;
};
// The durations are well above any measurement without a fault, and well below the length of the
// run.
constexpr std::array kKeyValues{
    KeyValue{"client", "1"},    KeyValue{"nodes", "1"},  KeyValue{"by", "1s"},
    KeyValue{"period", "40ms"}, KeyValue{"rate", "1.5"}, KeyValue{"delay", "50ms"},
    KeyValue{"bytes", "8"},     KeyValue{"gap", "2ms"},  KeyValue{"bytes-per-second", "4000"}};

Settings SettingsForTrial(const FaultEntry& fault) {
  Settings settings;
  const auto set = [&settings](const std::string& name, std::string_view value) {
    settings.Set(name, std::string(value), kWhere);
  };
  set("name", "doctor");
  set("lock.name", "set-nx-px");
  set("lock.lease", "300ms");
  set("workload.clients", "2");
  set("workload.duration", "1s");
  set("fault.0.kind", fault.name);
  set("fault.0.from", "200ms");
  // A fault that ends by itself gets a length only if its measurement is compared with the length.
  const bool lasts = !fault.is_final && (!fault.ends_itself ||
                                         fault.asked_ns({.length = std::chrono::seconds(1)}) != 0);
  if (lasts) set("fault.0.for", "300ms");
  for (const KeyValue& known : kKeyValues) {
    if (std::ranges::find(fault.keys, known.key) == fault.keys.end()) continue;
    set("fault.0." + std::string(known.key), known.value);
  }
  for (const auto& [name, value] : fault.trial) set(std::string(name), value);
  return settings;
}

}  // namespace

Result<Plan> PlanTrial(const FaultEntry& fault) { return BuildPlan(SettingsForTrial(fault)); }

Result<FaultTrial> TryFault(const FaultEntry& fault, const ServerProgram& server) {
  const Plan plan = TRY(PlanTrial(fault));
  const Scratch scratch = TRY(Scratch::Create());
  const RunVerdict verdict =
      TRY(RunOnce({.plan = plan, .folder = scratch.folder(), .programs = {server, server}}));
  FaultTrial trial{.what = verdict.facts.faults.front().what, .acted = verdict.not_fired.empty()};
  if (verdict.episodes.empty()) return trial;
  trial.asked_ns = verdict.episodes.front().asked_ns;
  trial.measured_ns = verdict.episodes.front().measured_ns;
  return trial;
}

}  // namespace doublehold
