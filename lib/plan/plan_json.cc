#include "lib/plan/plan_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "lib/base/old_names.h"
#include "lib/base/words.h"

namespace doublehold {
namespace {

using nlohmann::json;

json TriggerToJson(const std::optional<Trigger>& trigger) {
  if (!trigger) return nullptr;
  return {{"client", trigger->client}, {"step", Name(trigger->step)}};
}

json MomentToJson(const std::optional<FaultMoment>& moment) {
  if (!moment) return nullptr;
  return {{"fault", moment->fault}, {"ended", moment->ended}};
}

// A pair each: client, node.
json LinksToJson(const std::vector<Link>& links) {
  json pairs = json::array();
  for (const Link& link : links) pairs.push_back({link.client, link.node});
  return pairs;
}

json FaultToJson(const FaultPlan& fault) {
  return {{"name", fault.name},
          {"kind", fault.kind},
          {"from_ns", fault.from.count()},
          {"on", TriggerToJson(fault.on)},
          {"every_ns", fault.every.count()},
          {"times", fault.times},
          {"length_ns", fault.length.count()},
          {"until", TriggerToJson(fault.until)},
          {"until_fault", MomentToJson(fault.until_fault)},
          {"during", fault.during},
          {"client", fault.client ? json(*fault.client) : json(nullptr)},
          {"nodes", fault.nodes},
          {"direction", fault.direction},
          {"command", fault.command},
          {"key", fault.key},
          {"count", fault.count},
          {"nth", fault.nth},
          {"chance", fault.chance},
          {"delay_ns", fault.delay.count()},
          {"jitter_ns", fault.jitter.count()},
          {"spread", fault.spread},
          {"bytes", fault.bytes},
          {"gap_ns", fault.gap.count()},
          {"bytes_per_second", fault.bytes_per_second},
          {"by_ns", fault.by.count()},
          {"period_ns", fault.period.count()},
          {"links", LinksToJson(fault.links)},
          {"rate", fault.rate},
          {"how", fault.how},
          {"data", fault.data},
          {"cut_ns", fault.cut.count()},
          {"drawn", fault.drawn_for}};
}

// nlohmann turns 1.5, true and 1e30 into an int without a word; here a value is of its type and in
// its range, or wrong.
template <typename T>
struct IsA {
  static bool Check(const json& value) {
    if constexpr (std::is_same_v<T, bool>) return value.is_boolean();
    if constexpr (std::is_same_v<T, std::string>) return value.is_string();
    if constexpr (std::is_floating_point_v<T>) return value.is_number();
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      if (value.is_number_unsigned()) return std::in_range<T>(value.get<uint64_t>());
      return value.is_number_integer() && std::in_range<T>(value.get<int64_t>());
    }
    return false;
  }
};
template <typename T>
struct IsA<std::vector<T>> {
  static bool Check(const json& value) {
    return value.is_array() && std::ranges::all_of(value, IsA<T>::Check);
  }
};
template <typename T>
struct IsA<std::map<std::string, T>> {
  static bool Check(const json& value) {
    return value.is_object() && std::ranges::all_of(value, IsA<T>::Check);
  }
};

// Takes the members of an object one by one. What is wrong is thrown, and ends in PlanFromJson.
class Taker {
 public:
  explicit Taker(const json& object) : object_(object) {
    if (!object.is_object()) throw std::invalid_argument("an object is wanted");
  }
  template <typename T>
  T Get(const char* name) {
    const json& value = GetJson(name);
    if (!IsA<T>::Check(value)) {
      throw std::invalid_argument(fmt::format("'{}' is of the wrong type", name));
    }
    return value.get<T>();
  }
  const json& GetJson(const char* name) {
    known_.emplace_back(name);
    if (!object_.contains(name)) throw std::invalid_argument(fmt::format("'{}' is missing", name));
    return object_.at(name);
  }
  Duration GetSpan(const char* name) { return Duration(Get<int64_t>(name)); }
  void CheckNothingElse() const {
    for (const auto& [name, value] : object_.items()) {
      if (std::ranges::find(known_, name) == known_.end()) {
        throw std::invalid_argument(UnknownWord("member", name, known_));
      }
    }
  }

 private:
  const json& object_;
  std::vector<std::string> known_;
};

std::optional<Trigger> TriggerFromJson(const json& from) {
  if (from.is_null()) return std::nullopt;
  Taker take(from);
  const auto step = take.Get<std::string>("step");
  const auto parsed = ParseStep(step);
  if (!parsed) {
    const std::vector<std::string> names(kStepNames.begin(), kStepNames.end());
    throw std::invalid_argument(UnknownWord("step", step, names));
  }
  const Trigger trigger{.client = take.Get<int>("client"), .step = *parsed};
  take.CheckNothingElse();
  return trigger;
}

std::optional<FaultMoment> MomentFromJson(const json& from) {
  if (from.is_null()) return std::nullopt;
  Taker take(from);
  FaultMoment moment{.fault = take.Get<std::string>("fault"), .ended = take.Get<bool>("ended")};
  take.CheckNothingElse();
  return moment;
}

std::vector<Link> LinksFromJson(const std::vector<std::vector<int>>& pairs) {
  std::vector<Link> links;
  for (const std::vector<int>& pair : pairs) {
    if (pair.size() != 2) throw std::invalid_argument("a link is of a client and a node");
    links.push_back({.client = pair[0], .node = pair[1]});
  }
  return links;
}

FaultPlan FaultFromJson(const json& from) {
  Taker take(from);
  FaultPlan fault;
  fault.name = take.Get<std::string>("name");
  fault.kind = take.Get<std::string>("kind");
  fault.from = take.GetSpan("from_ns");
  fault.on = TriggerFromJson(take.GetJson("on"));
  fault.every = take.GetSpan("every_ns");
  fault.times = take.Get<int>("times");
  fault.length = take.GetSpan("length_ns");
  fault.until = TriggerFromJson(take.GetJson("until"));
  fault.until_fault = MomentFromJson(take.GetJson("until_fault"));
  fault.during = take.Get<std::string>("during");
  if (!take.GetJson("client").is_null()) fault.client = take.Get<int>("client");
  fault.nodes = take.Get<std::vector<int>>("nodes");
  fault.direction = take.Get<std::string>("direction");
  fault.command = take.Get<std::string>("command");
  fault.key = take.Get<std::string>("key");
  fault.count = take.Get<int>("count");
  fault.nth = take.Get<int>("nth");
  fault.chance = take.Get<double>("chance");
  fault.delay = take.GetSpan("delay_ns");
  fault.jitter = take.GetSpan("jitter_ns");
  fault.spread = take.Get<std::string>("spread");
  fault.bytes = take.Get<int64_t>("bytes");
  fault.gap = take.GetSpan("gap_ns");
  fault.bytes_per_second = take.Get<int64_t>("bytes_per_second");
  fault.by = take.GetSpan("by_ns");
  fault.period = take.GetSpan("period_ns");
  fault.links = LinksFromJson(take.Get<std::vector<std::vector<int>>>("links"));
  fault.rate = take.Get<double>("rate");
  fault.how = take.Get<std::string>("how");
  fault.data = take.Get<std::string>("data");
  fault.cut = take.GetSpan("cut_ns");
  fault.drawn_for = take.Get<std::string>("drawn");
  take.CheckNothingElse();
  return fault;
}

std::vector<FaultPlan> FaultsFromJson(const json& from) {
  if (!from.is_array()) throw std::invalid_argument("'faults' is of the wrong type");
  std::vector<FaultPlan> faults;
  for (const json& fault : from) {
    try {
      faults.push_back(FaultFromJson(fault));
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(fmt::format("fault {}: {}", faults.size() + 1, error.what()));
    }
  }
  return faults;
}

RetryPlan RetryFromJson(const json& from) {
  Taker take(from);
  RetryPlan retry{.interval = take.GetSpan("interval_ns"),
                  .growth = take.Get<double>("growth"),
                  .longest = take.GetSpan("longest_ns"),
                  .jitter = take.Get<double>("jitter"),
                  .retries = take.Get<int64_t>("retries"),
                  .timeout = take.GetSpan("timeout_ns")};
  take.CheckNothingElse();
  return retry;
}

json DriverToJson(const std::optional<DriverPlan>& driver) {
  if (!driver) return nullptr;
  return {{"command", driver->command},
          {"options", driver->options},
          {"name", driver->name},
          {"version", driver->version},
          {"can", driver->can}};
}

std::optional<DriverPlan> DriverFromJson(const json& from) {
  if (from.is_null()) return std::nullopt;
  Taker take(from);
  DriverPlan driver{.command = take.Get<std::string>("command"),
                    .options = take.Get<std::map<std::string, std::string>>("options"),
                    .name = take.Get<std::string>("name"),
                    .version = take.Get<std::string>("version"),
                    .can = take.Get<std::vector<std::string>>("can")};
  take.CheckNothingElse();
  return driver;
}

// By the claims' current names.
template <typename T>
std::map<std::string, T> TakeByClaim(Taker& take, const char* name) {
  std::map<std::string, T> by_claim;
  for (auto& [given, value] : take.Get<std::map<std::string, T>>(name)) {
    const std::string claim = CurrentClaimName(given);
    if (!by_claim.emplace(claim, value).second)
      throw std::invalid_argument(fmt::format("{}: {}", name, ClaimGivenTwice(claim)));
  }
  return by_claim;
}

Plan FromJson(const json& from) {
  using Words = std::map<std::string, std::string>;
  Taker take(from);
  Plan plan;
  plan.experiment = take.Get<std::string>("experiment");
  plan.seed = take.Get<uint64_t>("seed");
  plan.lock = take.Get<std::string>("lock");
  plan.lock_options = take.Get<Words>("lock_options");
  plan.driver = DriverFromJson(take.GetJson("driver"));
  plan.lease = take.GetSpan("lease_ns");
  plan.call_timeout = take.GetSpan("call_timeout_ns");
  plan.retry = RetryFromJson(take.GetJson("retry"));
  plan.topology = take.Get<std::string>("topology");
  plan.nodes = take.Get<int>("nodes");
  plan.replicas = take.Get<int>("replicas");
  plan.down_after = take.GetSpan("down_after_ns");
  plan.clients = take.Get<int>("clients");
  plan.threads = take.Get<int>("threads");
  plan.direct = take.Get<bool>("direct");
  plan.net = take.Get<std::string>("net");
  plan.packet_delay = take.GetSpan("packet_delay_ns");
  plan.workload = take.Get<std::string>("workload");
  plan.workload_options = take.Get<Words>("workload_options");
  plan.duration = take.GetSpan("duration_ns");
  plan.sections = take.Get<int64_t>("sections");
  plan.grace = take.GetSpan("grace_ns");
  plan.faults = FaultsFromJson(take.GetJson("faults"));
  plan.claims = CurrentClaimNames(take.Get<std::vector<std::string>>("claims"));
  plan.limits = take.Get<Words>("limits");
  plan.expect = TakeByClaim<std::string>(take, "expect");
  plan.expect_cause = TakeByClaim<std::vector<std::string>>(take, "expect_cause");
  take.CheckNothingElse();
  return plan;
}

}  // namespace

json ToJson(const Plan& plan) {
  json faults = json::array();
  for (const FaultPlan& fault : plan.faults) faults.push_back(FaultToJson(fault));
  return {{"experiment", plan.experiment},
          {"seed", plan.seed},
          {"lock", plan.lock},
          {"lock_options", plan.lock_options},
          {"driver", DriverToJson(plan.driver)},
          {"lease_ns", plan.lease.count()},
          {"call_timeout_ns", plan.call_timeout.count()},
          {"retry",
           {{"interval_ns", plan.retry.interval.count()},
            {"growth", plan.retry.growth},
            {"longest_ns", plan.retry.longest.count()},
            {"jitter", plan.retry.jitter},
            {"retries", plan.retry.retries},
            {"timeout_ns", plan.retry.timeout.count()}}},
          {"topology", plan.topology},
          {"nodes", plan.nodes},
          {"replicas", plan.replicas},
          {"down_after_ns", plan.down_after.count()},
          {"clients", plan.clients},
          {"threads", plan.threads},
          {"direct", plan.direct},
          {"net", plan.net},
          {"packet_delay_ns", plan.packet_delay.count()},
          {"workload", plan.workload},
          {"workload_options", plan.workload_options},
          {"duration_ns", plan.duration.count()},
          {"sections", plan.sections},
          {"grace_ns", plan.grace.count()},
          {"faults", std::move(faults)},
          {"claims", plan.claims},
          {"limits", plan.limits},
          {"expect", plan.expect},
          {"expect_cause", plan.expect_cause}};
}

Result<Plan> PlanFromJson(const json& from, std::string_view name) {
  try {
    return FromJson(from);
  } catch (const std::exception& error) {
    return BadInput(fmt::format("{}: {}", name, error.what()));
  }
}

Result<Plan> ReadPlanFile(const std::filesystem::path& file) {
  std::error_code code;
  std::ifstream in(file, std::ios::binary);
  if (std::filesystem::is_directory(file, code))
    return BadInput(fmt::format("{}: a folder; a plan.json is wanted", file.string()));
  if (!in) return BadInput(fmt::format("{}: no such file", file.string()));
  json parsed = json::parse(in, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_discarded())
    return BadInput(fmt::format("{}: not JSON, or cut off", file.string()));
  return PlanFromJson(parsed, file.string());
}

}  // namespace doublehold
