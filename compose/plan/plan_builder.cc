#include "compose/plan/plan_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "compose/plan/claim_settings.h"
#include "compose/plan/expectations.h"
#include "compose/plan/fault_rules.h"
#include "compose/plan/fault_settings.h"
#include "compose/plan/restart_rules.h"
#include "compose/plan/service_rules.h"
#include "compose/plan/setting_reader.h"
#include "compose/plan/topology_settings.h"
#include "faults/fault.h"
#include "faults/plans/profiles.h"
#include "lib/base/words.h"
#include "lib/driver/driver_lock.h"
#include "lib/history/foreign/json_lines.h"
#include "lib/locks/registry.h"
#include "lib/plan/topology.h"
#include "workloads/workload.h"

namespace doublehold {
namespace {

constexpr Duration kUsualLease = 500ms;
constexpr Duration kLongestRun = std::chrono::hours(24);
constexpr int kMostClients = 256;                 // each client is a process
constexpr int kMostThreads = 16;                  // threads of one client
constexpr int64_t kMostSections = 1'000'000'000;  // sections of one session
constexpr double kMostGrowth = 100;

// Returns the times of the lock's source as defaults if `lock.pace` is "source". Returns no times
// otherwise.
SourcePace ReadSourcePace(SettingReader& reader, const LockEntry& lock) {
  if (reader.Known("lock.pace", "pace", "scaled", {"scaled", "source"}) == "scaled") return {};
  if (lock.source.lease.empty())
    reader.Fail("lock.pace",
                fmt::format("the source of lock '{}' names no times; use 'scaled'", lock.name));
  return lock.source;
}

std::string_view TextOrDefault(std::string_view text, std::string_view usual) {
  return text.empty() ? usual : text;
}

// Queries the driver, because the claims to judge depend on its capabilities.
void ReadDriver(SettingReader& reader, const QueryDriver& meet, Plan& plan) {
  plan.lock = kDriverLock;
  if (reader.Word("lock.name", kDriverLock) != kDriverLock) {
    return reader.Fail("lock.name",
                       fmt::format("must be '{}', because lock.driver is set", kDriverLock));
  }
  const std::string command = reader.Word("lock.driver", "");
  if (command.empty())
    return reader.Fail("lock.driver", "is empty; name the command that starts the driver");
  if (!IsUtf8(command)) return reader.Fail("lock.driver", "is not valid UTF-8");
  std::map<std::string, std::string> options;
  for (const std::string& name : reader.settings().TakeBelow("lock.options").Names()) {
    const std::string setting = "lock.options." + name;
    options[name] = reader.Word(setting, "");
    if (!IsUtf8(name + options[name])) return reader.Fail(setting, "is not valid UTF-8");
  }
  if (reader.error()) return;
  Result<DriverPlan> driver = meet(command, options);
  if (!driver) return reader.FailPlainly(driver.error());
  plan.driver = std::move(*driver);
}

void ReadLock(SettingReader& reader, const QueryDriver& meet, Plan& plan) {
  const std::vector<std::string> names = ListNames(Locks());
  if (!reader.settings().Has("lock.name") && !reader.settings().Has("lock.driver")) {
    for (const std::string& name : reader.settings().TakeBelow("lock").Names()) {
      for (const std::string needed : {"name", "driver"}) {
        if (needed.starts_with(name))
          return reader.Fail("lock." + name,
                             UnknownWord("setting", "lock." + name, {"lock." + needed}));
      }
    }
    return reader.Fail("lock.name", fmt::format("no lock is named; use --lock NAME (one of: {})",
                                                fmt::join(names, ", ")));
  }
  if (reader.settings().Has("lock.driver")) {
    ReadDriver(reader, meet, plan);
  } else if (reader.Word("lock.name", "") == kDriverLock) {
    return reader.Fail("lock.name", "needs a driver; use --driver COMMAND, or set lock.driver");
  } else {
    plan.lock = reader.Known("lock.name", "lock", "", names);
  }
  if (reader.error()) return;
  const SourcePace source = ReadSourcePace(reader, *FindLock(plan.lock));
  const std::string usual =
      FormatDuration(std::max<Duration>(kUsualLease, FactsOfServiceOf(plan).shortest_lease));
  plan.lease = reader.Span("lock.lease", TextOrDefault(source.lease, usual));
  if (const std::string why = ExplainLease(plan); !why.empty())
    return reader.Fail("lock.lease", why);
  reader.UseLease(plan.lease);
  plan.call_timeout = reader.Span("lock.call-timeout", "1 lease");
  if (plan.call_timeout <= Duration::zero()) reader.Fail("lock.call-timeout", "must be above 0");
}

// Reads all settings in [lock] or [workload] that are not common to all: they are options of the
// lock or the workload.
std::map<std::string, std::string> ReadOptions(SettingReader& reader, const std::string& table,
                                               const std::vector<std::string>& common,
                                               std::string_view what,
                                               std::span<const OptionSpec> specs, Lease lease) {
  Settings part = reader.settings().TakeBelow(table);
  std::map<std::string, std::string> given;
  for (const std::string& name : part.Names()) {
    if (std::ranges::find(common, name) != common.end()) continue;
    const Result<std::optional<std::string>> word = part.TakeWord(name);
    if (!word) {
      reader.FailPlainly(word.error());
      return {};
    }
    given[name] = **word;
    std::vector<std::string> known = ListNames(specs);
    known.insert(known.end(), common.begin(), common.end());
    if (std::ranges::find(known, name) == known.end()) {
      reader.Fail(table + "." + name,
                  fmt::format("{} has no such setting{}", what, Suggestion(name, known)));
      return {};
    }
    // Options are checked one at a time, so that a message names the option's place.
    if (const auto checked = CompleteOptions(what, specs, {{name, **word}}, lease); !checked) {
      reader.Fail(table + "." + name, checked.error().message);
      return {};
    }
  }
  // Marks the options as known, so that a misspelt table gets a suggestion.
  for (const OptionSpec& spec : specs) {
    std::ignore = reader.settings().Take(fmt::format("{}.{}", table, spec.name));
  }
  Result<std::map<std::string, std::string>> complete = CompleteOptions(what, specs, given, lease);
  if (complete) return *complete;
  reader.FailPlainly(complete.error());
  return {};
}

void ReadRetry(SettingReader& reader, const LockEntry& lock, Plan& plan) {
  const SourcePace source = ReadSourcePace(reader, lock);
  const std::string_view interval = TextOrDefault(source.interval, lock.retry_interval);
  plan.retry.interval = reader.Span("retry.interval", TextOrDefault(interval, "0.02 lease"));
  plan.retry.growth = reader.Number("retry.growth", lock.retry_growth, 1, kMostGrowth);
  plan.retry.longest = reader.Span("retry.longest", TextOrDefault(lock.retry_longest, "1 lease"));
  plan.retry.jitter = reader.Number("retry.jitter", source.interval.empty() ? 0.5 : 0, 0, 1);
  plan.retry.retries = reader.Integer("retry.retries", source.retries, -1, INT64_MAX);
  plan.retry.timeout = reader.Span("retry.timeout", TextOrDefault(source.timeout, "10 lease"));
}

// Returns the registry entry of the plan's lock, with the traits that its options add. For a
// driver, returns an entry with the driver's capabilities.
LockEntry FindLockOfPlan(const Plan& plan) {
  if (plan.driver) return DriverEntryWith(plan.driver->can);
  LockEntry lock = *FindLock(plan.lock);
  for (const OptionTrait& each : lock.option_traits) {
    const auto option = plan.lock_options.find(std::string(each.option));
    if (option != plan.lock_options.end() && option->second == each.value)
      lock.traits.Add(each.trait);
  }
  return lock;
}

// Sets workload.write to the way that the lock needs, and workload.store to where this way exists,
// unless the experiment sets them.
void SuggestWrite(Settings& settings, const WorkloadEntry& workload, const LockEntry& lock) {
  const auto write = std::ranges::find(workload.options, "write", &OptionSpec::name);
  if (lock.write.empty() || write == workload.options.end() ||
      std::ranges::find(write->choices, lock.write) == write->choices.end())
    return;
  const auto suggest = [&](const char* setting, std::string_view word) {
    const std::string place = fmt::format("lock {}", lock.name);
    if (!settings.Has(setting)) settings.Set(setting, std::string(word), place);
  };
  suggest("workload.write", lock.write);
  if (lock.Has(Trait::kLockFree)) suggest("workload.store", lock.service);
}

// Returns the default duration: 5 s, or more if the fault profiles need more at this lease.
std::string UsualDuration(const Settings& settings, Lease lease) {
  constexpr Duration kUsual = 5s;
  Settings read = settings;
  SettingReader reader(read);
  const int64_t profiles = std::ssize(ReadProfileNames(reader));
  if (profiles == 0) return FormatDuration(kUsual);
  const Duration least =
      LeastDuration(lease, static_cast<int>(std::min<int64_t>(profiles, kMostClients)));
  return FormatDuration(std::min(std::max(kUsual, least), Duration(kLongestRun)));
}

void ReadWorkload(SettingReader& reader, const LockEntry& lock, Plan& plan) {
  plan.workload = reader.Known("workload.name", "workload", "inventory", ListNames(Workloads()));
  plan.clients = static_cast<int>(reader.Integer("workload.clients", 4, 1, kMostClients));
  plan.threads = static_cast<int>(reader.Integer("workload.threads", 1, 1, kMostThreads));
  plan.duration = reader.Span("workload.duration", UsualDuration(reader.settings(), plan.lease));
  plan.sections = reader.Integer("workload.sections", 0, 0, kMostSections);
  plan.grace = reader.Span("workload.grace", "1 lease");
  if (plan.duration <= Duration::zero() || plan.duration > kLongestRun) {
    reader.Fail("workload.duration", "must be above 0 and at most 24h");
  }
  const WorkloadEntry* workload = FindWorkload(plan.workload);
  if (workload == nullptr) return;
  const bool write_alone =
      reader.settings().Has("workload.write") && !reader.settings().Has("workload.name");
  SuggestWrite(reader.settings(), *workload, lock);
  plan.workload_options = ReadOptions(
      reader, "workload", {"name", "clients", "threads", "duration", "sections", "grace"},
      "workload " + plan.workload, workload->options, plan.lease);
  if (reader.error()) return;
  if (const std::string why = WhyMisfit(*workload, Options(plan.workload_options), lock);
      !why.empty())
    return reader.Fail(write_alone ? "workload.write" : "workload.name", why);
  if (const std::string why = ExplainStore(plan); !why.empty())
    return reader.Fail("workload.store", why);
  plan.claims = UsualClaims(plan, lock);
}

// Returns a field of plan.json that is out of range. Returns an empty text if there is none.
std::string_view FindPlanFieldOutOfRange(const Plan& plan) {
  const RetryPlan& retry = plan.retry;
  using Field = std::pair<std::string_view, bool>;
  for (const auto& [name, is_good] :
       {Field{"lease_ns", ExplainLease(plan).empty()},
        Field{"clients", plan.clients >= 1 && plan.clients <= kMostClients},
        Field{"threads", plan.threads >= 1 && plan.threads <= kMostThreads},
        Field{"duration_ns", plan.duration > Duration::zero() && plan.duration <= kLongestRun},
        Field{"sections", plan.sections >= 0 && plan.sections <= kMostSections},
        Field{"call_timeout_ns", plan.call_timeout > Duration::zero()},
        Field{"grace_ns", plan.grace >= Duration::zero()},
        Field{"retry.interval_ns", retry.interval >= Duration::zero()},
        Field{"retry.timeout_ns", retry.timeout >= Duration::zero()},
        Field{"retry.retries", retry.retries >= -1},
        Field{"retry.jitter", retry.jitter >= 0 && retry.jitter <= 1},
        Field{"retry.growth", retry.growth >= 1 && retry.growth <= kMostGrowth},
        Field{"retry.longest_ns", retry.longest >= Duration::zero()}}) {
    if (!is_good) return name;
  }
  return FindTopologyFieldOutOfRange(plan);
}

Result<void> CheckAllButFaults(const Plan& plan) {
  const LockEntry* lock = FindLock(plan.lock);
  if (lock == nullptr) return BadInput(UnknownWord("lock", plan.lock, ListNames(Locks())));
  const WorkloadEntry* workload = FindWorkload(plan.workload);
  if (workload == nullptr)
    return BadInput(UnknownWord("workload", plan.workload, ListNames(Workloads())));
  if (plan.driver.has_value() != (plan.lock == kDriverLock))
    return BadInput(
        "lock 'driver' needs the field 'driver'; with any other lock, remove the field");
  if (FindTopology(plan.topology) == nullptr)
    return BadInput(UnknownWord("topology", plan.topology, ListNames(Topologies())));
  if (const std::string_view field = FindPlanFieldOutOfRange(plan); !field.empty())
    return BadInput(fmt::format("field '{}' is out of range", field));
  TRY(CheckCompleted("lock " + plan.lock, lock->options, plan.lock_options));
  if (const Incompatibility incompatibility = FindIncompatibility(plan, *lock);
      !incompatibility.why.empty())
    return BadInput(fmt::format("topology.{}: {}", incompatibility.setting, incompatibility.why));
  TRY(CheckCompleted("workload " + plan.workload, workload->options, plan.workload_options));
  for (const std::string& why :
       {ExplainInvalidRestartDelay(plan), ExplainStore(plan), ExplainSpeed(plan),
        WhyMisfit(*workload, Options(plan.workload_options), FindLockOfPlan(plan)),
        ExplainUnjudgedClaims(plan, FindLockOfPlan(plan)), ExplainInvalidExpectations(plan)}) {
    if (!why.empty()) return BadInput(why);
  }
  return {};
}

}  // namespace

Result<Plan> BuildPlan(Settings settings, const QueryDriver& meet) {
  Plan plan;
  SettingReader reader(settings);
  plan.experiment = reader.Word("name", "run");
  if (const std::string why = WhyNotAName(plan.experiment); !why.empty()) reader.Fail("name", why);
  plan.seed = static_cast<uint64_t>(reader.Integer("seed", 1, 0, INT64_MAX));
  ReadLock(reader, meet, plan);
  if (reader.error()) return tl::unexpected(*reader.error());
  const LockEntry lock = FindLockOfPlan(plan);
  std::vector<std::string> common{"name", "lease", "pace", "call-timeout"};
  if (plan.driver) {
    common.emplace_back("driver");
    for (const auto& [name, word] : plan.driver->options) common.push_back("options." + name);
  }
  plan.lock_options =
      ReadOptions(reader, "lock", common, "lock " + plan.lock, lock.options, plan.lease);
  if (const std::string why = reader.error() ? "" : ExplainInvalidRestartDelay(plan);
      !why.empty()) {
    reader.Fail("lock.restart-delay", why);
  }
  ReadRetry(reader, lock, plan);
  ReadTopology(reader, lock, plan);
  ReadWorkload(reader, lock, plan);
  if (reader.error()) return tl::unexpected(*reader.error());
  ReadClaims(reader, lock, plan);
  ReadExpectations(reader, plan);
  if (reader.error()) return tl::unexpected(*reader.error());
  const std::vector<FaultPlace> places = ReadFaults(reader, plan);
  if (reader.error()) return tl::unexpected(*reader.error());
  TRY(settings.CheckAllTaken("setting", {"fault"}));
  KeepNodesOut(plan);
  TRY(CheckFaults(plan, places));
  return plan;
}

Result<void> CheckPlan(const Plan& plan, const std::string& where) {
  if (const std::string why = WhyNotAName(plan.experiment); !why.empty())
    return BadInput(fmt::format("{}: experiment: {}", where, why));
  if (Result<void> ok = CheckAllButFaults(plan); !ok)
    return BadInput(fmt::format("{}: {}", where, ok.error().message));
  return CheckFaults(plan, std::vector<FaultPlace>(plan.faults.size(), {.fault = where}));
}

// Returns the planned length of a fault. Returns 0 if `for` has another meaning for this kind.
Duration FaultLength(const FaultPlan& fault) {
  const FaultEntry* kind = FindFault(fault.kind);
  const bool is_its = !kind->length_is_of_frames && !kind->ends_itself && !kind->is_final;
  return is_its ? fault.length : Duration{};
}

bool KeepsData(const Plan& plan, const FaultPlan& fault) {
  const FaultEntry* kind = FindFault(fault.kind);
  return kind->keeps_data != nullptr && kind->keeps_data(plan, fault);
}

RunFacts FactsOf(const Plan& plan) {
  const WorkloadEntry& workload = *FindWorkload(plan.workload);
  const auto option = [&](const char* name) {
    const auto found = plan.workload_options.find(name);
    return found == plan.workload_options.end() ? std::string() : found->second;
  };
  const std::string stock = option("stock");
  RunFacts facts{.experiment = plan.experiment,
                 .lock = plan.lock,
                 .lock_traits = FindLockOfPlan(plan).traits,
                 .workload = plan.workload,
                 .write = option("write"),
                 .seed = plan.seed,
                 .lease = plan.lease,
                 .grace = plan.grace,
                 .duration = plan.duration,
                 .clients = plan.clients,
                 .nodes = ServersOf(plan),
                 .initial_stock = stock.empty() ? 0 : std::stoll(stock),
                 .keys = workload.make(Options(plan.workload_options))->Keys(),
                 .claims = plan.claims,
                 .expect = plan.expect,
                 .expect_cause = plan.expect_cause,
                 .limits = plan.limits};
  if (plan.driver)
    facts.library = LibraryFact{plan.driver->name, VersionText(*plan.driver), plan.driver->can};
  for (const FaultPlan& fault : plan.faults) {
    facts.faults.push_back({.name = fault.name,
                            .kind = fault.kind,
                            .traits = FindFault(fault.kind)->traits,
                            .what = Describe(fault),
                            // Each episode records the node that led at its start.
                            .nodes = NamesLeader(fault) ? std::vector<int>{} : fault.nodes,
                            .drawn_for = fault.drawn_for,
                            .until = AwaitedEnd(fault),
                            .lasts = FaultLength(fault),
                            .key = FindFault(fault.kind)->of_one_key ? fault.key : "",
                            .keeps_data = KeepsData(plan, fault),
                            .planned = fault.times});
  }
  return facts;
}

}  // namespace doublehold
