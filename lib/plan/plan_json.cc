#include "lib/plan/plan_json.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

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
          {"count", fault.count},
          {"delay_ns", fault.delay.count()},
          {"jitter_ns", fault.jitter.count()},
          {"by_ns", fault.by.count()},
          {"rate", fault.rate}};
}

// Takes the members of an object one by one; nlohmann's exceptions carry what is wrong, and end in PlanFromJson.
class Taker {
 public:
  explicit Taker(const json& object) : object_(object) {
    if (!object.is_object()) throw std::invalid_argument("an object is wanted");
  }
  template <typename T>
  T Get(const char* name) {
    known_.emplace_back(name);
    if (!object_.contains(name)) throw std::invalid_argument(fmt::format("'{}' is missing", name));
    try {
      return object_.at(name).get<T>();
    } catch (const json::exception&) {
      throw std::invalid_argument(fmt::format("'{}' is of the wrong type", name));
    }
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
  return Trigger{.client = take.Get<int>("client"), .step = *parsed};
}

std::optional<FaultMoment> MomentFromJson(const json& from) {
  if (from.is_null()) return std::nullopt;
  Taker take(from);
  return FaultMoment{.fault = take.Get<std::string>("fault"), .ended = take.Get<bool>("ended")};
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
  fault.count = take.Get<int>("count");
  fault.delay = take.GetSpan("delay_ns");
  fault.jitter = take.GetSpan("jitter_ns");
  fault.by = take.GetSpan("by_ns");
  fault.rate = take.Get<double>("rate");
  take.CheckNothingElse();
  return fault;
}

RetryPlan RetryFromJson(const json& from) {
  Taker take(from);
  RetryPlan retry{.interval = take.GetSpan("interval_ns"),
                  .jitter = take.Get<double>("jitter"),
                  .retries = take.Get<int64_t>("retries"),
                  .timeout = take.GetSpan("timeout_ns")};
  take.CheckNothingElse();
  return retry;
}

Plan FromJson(const json& from) {
  using Words = std::map<std::string, std::string>;
  Taker take(from);
  Plan plan;
  plan.experiment = take.Get<std::string>("experiment");
  plan.seed = take.Get<uint64_t>("seed");
  plan.lock = take.Get<std::string>("lock");
  plan.lock_options = take.Get<Words>("lock_options");
  plan.lease = take.GetSpan("lease_ns");
  plan.call_timeout = take.GetSpan("call_timeout_ns");
  plan.retry = RetryFromJson(take.GetJson("retry"));
  plan.topology = take.Get<std::string>("topology");
  plan.nodes = take.Get<int>("nodes");
  plan.clients = take.Get<int>("clients");
  plan.direct = take.Get<bool>("direct");
  plan.workload = take.Get<std::string>("workload");
  plan.workload_options = take.Get<Words>("workload_options");
  plan.duration = take.GetSpan("duration_ns");
  plan.grace = take.GetSpan("grace_ns");
  for (const json& fault : take.GetJson("faults")) plan.faults.push_back(FaultFromJson(fault));
  plan.claims = take.Get<std::vector<std::string>>("claims");
  plan.expect = take.Get<Words>("expect");
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
          {"lease_ns", plan.lease.count()},
          {"call_timeout_ns", plan.call_timeout.count()},
          {"retry",
           {{"interval_ns", plan.retry.interval.count()},
            {"jitter", plan.retry.jitter},
            {"retries", plan.retry.retries},
            {"timeout_ns", plan.retry.timeout.count()}}},
          {"topology", plan.topology},
          {"nodes", plan.nodes},
          {"clients", plan.clients},
          {"direct", plan.direct},
          {"workload", plan.workload},
          {"workload_options", plan.workload_options},
          {"duration_ns", plan.duration.count()},
          {"grace_ns", plan.grace.count()},
          {"faults", std::move(faults)},
          {"claims", plan.claims},
          {"expect", plan.expect}};
}

Result<Plan> PlanFromJson(const json& from, std::string_view name) {
  try {
    return FromJson(from);
  } catch (const std::exception& error) {
    return BadInput(fmt::format("{}: {}", name, error.what()));
  }
}

Result<Plan> ReadPlanFile(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return BadInput(fmt::format("{}: no such file", file.string()));
  json parsed = json::parse(in, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_discarded())
    return BadInput(fmt::format("{}: not JSON, or cut off", file.string()));
  return PlanFromJson(parsed, file.string());
}

}  // namespace doublehold
