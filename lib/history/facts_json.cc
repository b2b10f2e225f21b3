#include "lib/history/facts_json.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "lib/base/json_fields.h"
#include "lib/base/json_object.h"

namespace doublehold {
namespace {

constexpr size_t kMostKeys = std::numeric_limits<uint16_t>::max();  // limit of Event::key

constexpr int64_t kMostStock = int64_t{1} << 52;  // sums over items must not overflow

constexpr int kMostNodes = 1'000'000;  // more than in any run, so the file is corrupt

const std::vector<std::string>& Outcomes() {
  static const std::vector<std::string> outcomes{"valid", "violated", "unknown", "any"};
  return outcomes;
}

}  // namespace

void ForEachField(ConstOrNot<FaultFact> auto& fault, auto&& visit) {
  visit("name", fault.name);
  visit("kind", fault.kind);
  visit("what", fault.what);
  visit("planned", fault.planned, {.least = 0});
  visit("traits", fault.traits, {.is_optional = true});
  visit("nodes", fault.nodes, {.is_optional = true, .least = 0, .most = kMostNodes});
  visit("drawn", fault.drawn_for, {.is_optional = true});
  visit("until", fault.until, {.is_optional = true});
  visit("key", fault.key, {.is_optional = true});
  visit("keeps_data", fault.keeps_data, {.is_optional = true});
  visit("for_ns", fault.lasts, {.is_optional = true, .least = 0, .most = kMostValue});
}

void ForEachField(ConstOrNot<LibraryFact> auto& library, auto&& visit) {
  visit("name", library.name);
  visit("version", library.version);
  visit("can", library.can, {.is_optional = true});
  visit("errors", library.errors, {.is_optional = true});
}

void ForEachField(ConstOrNot<RunFacts> auto& facts, auto&& visit) {
  visit("experiment", facts.experiment);
  visit("lock", facts.lock);
  visit("workload", facts.workload);
  visit("write", facts.write);
  visit("seed", facts.seed);
  visit("lease_ns", facts.lease, {.least = 1, .most = kMostValue});
  visit("grace_ns", facts.grace, {.least = 0, .most = kMostValue});
  visit("duration_ns", facts.duration, {.least = 0, .most = kMostValue});
  visit("clients", facts.clients, {.least = 0});
  visit("nodes", facts.nodes, {.least = 0});
  visit("initial_stock", facts.initial_stock, {.least = 0, .most = kMostStock});
  visit("keys", facts.keys);
  visit("faults", facts.faults);
  visit("claims", facts.claims);
  visit("expect", facts.expect, {.words = &Outcomes()});
  visit("lock_traits", facts.lock_traits, {.is_optional = true});
  visit("expect_cause", facts.expect_cause, {.is_optional = true});
  visit("limits", facts.limits, {.is_optional = true});
  visit("library", facts.library, {.is_optional = true});
  visit("interrupted_ns", facts.interrupted, {.is_optional = true, .least = 0, .most = kMostValue});
}

nlohmann::ordered_json FactsToJson(const RunFacts& facts) { return WriteField(facts); }

RunFacts ReadFacts(JsonObject& object) {
  RunFacts facts;
  ForEachField(facts, FieldReader{object});
  const JsonValue keys = object.Take("keys");
  if (facts.keys.size() > kMostKeys) keys.Fail(fmt::format("has over {} keys", kMostKeys));
  if (std::set<std::string>(facts.keys.begin(), facts.keys.end()).size() != facts.keys.size())
    keys.Fail("names a key twice");
  return facts;
}

Result<RunFacts> FactsFromJson(const nlohmann::json& json) {
  JsonDocument document(json);
  JsonObject object(document);
  RunFacts facts = ReadFacts(object);
  object.RejectUnknown();
  if (!document.ok()) return BadInput(document.error());
  return facts;
}

}  // namespace doublehold
