#include "lib/history/facts_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <vector>

#include "lib/base/old_names.h"
#include "lib/base/words.h"

namespace doublehold {
namespace {

using nlohmann::json;

constexpr size_t kMostKeys = std::numeric_limits<uint16_t>::max();  // Event::key counts them

constexpr int64_t kMostStock = int64_t{1} << 52;  // so that sums over items cannot overflow

constexpr int kMostNodes = 1'000'000;  // beyond any run: a garbled file

// Takes fields out of one JSON object and keeps the first thing that was wrong, so that a reader of
// many fields asks once at its end.
class Fields {
 public:
  // `what` is what messages call the object, with a space behind it: "fault 2's ".
  Fields(const json& object, std::string what) : object_(object), what_(std::move(what)) {
    if (!object.is_object()) Fail("facts are not an object");
  }

  std::string Text(std::string_view name) {
    const json* field = Find(name, "a string", &json::is_string);
    return field == nullptr ? std::string() : field->get<std::string>();
  }

  int64_t Whole(std::string_view name, int64_t least, int64_t most) {
    const json* field = Find(name, "a whole number", &json::is_number_integer);
    if (field == nullptr) return 0;
    const bool huge =
        field->is_number_unsigned() &&
        field->get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    const int64_t number = huge ? 0 : field->get<int64_t>();
    if (huge || number < least || number > most) {
      Fail(fmt::format("field '{}' is {}, outside {} to {}", name, field->dump(), least, most));
      return 0;
    }
    return number;
  }

  int Count(std::string_view name) {
    return static_cast<int>(Whole(name, 0, std::numeric_limits<int32_t>::max()));
  }

  Duration Span(std::string_view name, int64_t least_ns) {
    return Duration(Whole(name, least_ns, kMostValue));
  }

  uint64_t Unsigned(std::string_view name) {
    const json* field = Find(name, "a whole number from 0 on", &json::is_number_unsigned);
    return field == nullptr ? 0 : field->get<uint64_t>();
  }

  bool Flag(std::string_view name) {
    const json* field = Find(name, "true or false", &json::is_boolean);
    return field != nullptr && field->get<bool>();
  }

  const json& List(std::string_view name) {
    const json* field = Find(name, "a list", &json::is_array);
    static const json empty = json::array();
    return field == nullptr ? empty : *field;
  }

  const json& Object(std::string_view name) {
    const json* field = Find(name, "an object", &json::is_object);
    static const json empty = json::object();
    return field == nullptr ? empty : *field;
  }

  std::vector<std::string> Texts(std::string_view name) {
    std::vector<std::string> texts;
    for (const json& element : List(name)) {
      if (!element.is_string()) {
        Fail(fmt::format("field '{}' holds {}, which is not a string", name, element.dump()));
        return {};
      }
      texts.push_back(element.get<std::string>());
    }
    return texts;
  }

  [[nodiscard]] bool Has(std::string_view name) const {
    return object_.is_object() && object_.contains(name);
  }

  std::vector<int> Numbers(std::string_view name) {
    std::vector<int> numbers;
    for (const json& element : List(name)) {
      if (!element.is_number_integer() || element < 0 || element > kMostNodes) {
        Fail(fmt::format("field '{}' holds {}, which is not a node", name, element.dump()));
        return {};
      }
      numbers.push_back(element.get<int>());
    }
    return numbers;
  }

  void Fail(std::string reason) {
    if (reason_.empty()) reason_ = what_ + std::move(reason);
  }

  // Call last: the first thing that was wrong, else a field that nobody asked for, else nothing.
  [[nodiscard]] std::string Finish() {
    if (!reason_.empty() || !object_.is_object()) return reason_;
    for (const auto& [name, unused] : object_.items()) {
      if (std::ranges::find(asked_, name) == asked_.end())
        return what_ + UnknownWord("field", name, asked_);
    }
    return "";
  }

 private:
  const json* Find(std::string_view name, std::string_view kind,
                   bool (json::*is)() const noexcept) {
    asked_.emplace_back(name);
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(name);
    if (found == object_.end()) {
      Fail(fmt::format("field '{}' is missing", name));
      return nullptr;
    }
    if (!((*found).*is)()) {
      Fail(fmt::format("field '{}' is not {}", name, kind));
      return nullptr;
    }
    return &*found;
  }

  const json& object_;
  std::string what_;
  std::vector<std::string> asked_;
  std::string reason_;
};

template <typename Traits>
std::optional<Traits> ReadTraits(Fields& fields, std::string_view name) {
  if (!fields.Has(name)) return std::nullopt;
  const auto traits = Traits::FromNames(fields.Texts(name));
  if (!traits) fields.Fail(fmt::format("field '{}' holds a word that is no trait", name));
  return traits;
}

std::vector<FaultFact> ReadFaults(Fields& fields) {
  std::vector<FaultFact> faults;
  for (const json& element : fields.List("faults")) {
    Fields fault(element, fmt::format("fault {}: ", faults.size()));
    faults.push_back({.name = fault.Text("name"),
                      .kind = fault.Text("kind"),
                      .traits = ReadTraits<FaultTraits>(fault, "traits"),
                      .what = fault.Text("what"),
                      .nodes = fault.Has("nodes") ? fault.Numbers("nodes") : std::vector<int>(),
                      .drawn_for = fault.Has("drawn") ? fault.Text("drawn") : "",
                      .until = fault.Has("until") ? fault.Text("until") : "",
                      .lasts = fault.Has("for_ns") ? fault.Span("for_ns", 0) : Duration{},
                      .key = fault.Has("key") ? fault.Text("key") : "",
                      .keeps_data = fault.Has("keeps_data") && fault.Flag("keeps_data"),
                      .planned = fault.Count("planned")});
    if (std::string reason = fault.Finish(); !reason.empty()) fields.Fail(std::move(reason));
  }
  return faults;
}

std::map<std::string, std::string> ReadExpectations(Fields& fields) {
  const std::vector<std::string> outcomes{"valid", "violated", "unknown", "any"};
  std::map<std::string, std::string> expect;
  for (const auto& [name, outcome] : fields.Object("expect").items()) {
    if (!outcome.is_string()) {
      fields.Fail(fmt::format("field 'expect': '{}' is not a string", name));
      return {};
    }
    const auto word = outcome.get<std::string>();
    if (std::ranges::find(outcomes, word) == outcomes.end()) {
      fields.Fail(fmt::format("field 'expect': {}", UnknownWord("outcome", word, outcomes)));
      return {};
    }
    const std::string claim = CurrentClaimName(name);
    if (!expect.emplace(claim, word).second)
      fields.Fail("field 'expect': " + ClaimGivenTwice(claim));
  }
  return expect;
}

std::map<std::string, std::vector<std::string>> ReadExpectedCauses(Fields& fields) {
  std::map<std::string, std::vector<std::string>> expect;
  if (!fields.Has("expect_cause")) return expect;
  const json& causes = fields.Object("expect_cause");
  Fields inner(causes, "field 'expect_cause': ");
  for (const auto& [name, unused] : causes.items()) {
    const std::string claim = CurrentClaimName(name);
    if (!expect.emplace(claim, inner.Texts(name)).second) inner.Fail(ClaimGivenTwice(claim));
  }
  if (std::string reason = inner.Finish(); !reason.empty()) fields.Fail(std::move(reason));
  return expect;
}

std::map<std::string, std::string> ReadLimits(Fields& fields) {
  std::map<std::string, std::string> limits;
  if (!fields.Has("limits")) return limits;
  const json& given = fields.Object("limits");
  Fields inner(given, "field 'limits': ");
  for (const auto& [claim, unused] : given.items()) limits[claim] = inner.Text(claim);
  if (std::string reason = inner.Finish(); !reason.empty()) fields.Fail(std::move(reason));
  return limits;
}

std::optional<LibraryFact> ReadLibrary(Fields& fields) {
  if (!fields.Has("library")) return std::nullopt;
  Fields inner(fields.Object("library"), "field 'library': ");
  LibraryFact library{.name = inner.Text("name"), .version = inner.Text("version")};
  if (inner.Has("can")) library.can = inner.Texts("can");
  if (std::string reason = inner.Finish(); !reason.empty()) fields.Fail(std::move(reason));
  return library;
}

}  // namespace

nlohmann::ordered_json FactsToJson(const RunFacts& facts) {
  auto faults = nlohmann::ordered_json::array();
  for (const FaultFact& fault : facts.faults) {
    faults.push_back({{"name", fault.name},
                      {"kind", fault.kind},
                      {"what", fault.what},
                      {"planned", fault.planned}});
    if (fault.traits) faults.back()["traits"] = fault.traits->Names();
    if (!fault.nodes.empty()) faults.back()["nodes"] = fault.nodes;
    if (!fault.drawn_for.empty()) faults.back()["drawn"] = fault.drawn_for;
    if (!fault.until.empty()) faults.back()["until"] = fault.until;
    if (!fault.key.empty()) faults.back()["key"] = fault.key;
    if (fault.keeps_data) faults.back()["keeps_data"] = true;
    if (fault.lasts > Duration{}) faults.back()["for_ns"] = ToNs(fault.lasts);
  }
  auto expect = nlohmann::ordered_json::object();
  for (const auto& [claim, outcome] : facts.expect) expect[claim] = outcome;
  nlohmann::ordered_json object{{"experiment", facts.experiment},
                                {"lock", facts.lock},
                                {"workload", facts.workload},
                                {"write", facts.write},
                                {"seed", facts.seed},
                                {"lease_ns", ToNs(facts.lease)},
                                {"grace_ns", ToNs(facts.grace)},
                                {"duration_ns", ToNs(facts.duration)},
                                {"clients", facts.clients},
                                {"nodes", facts.nodes},
                                {"initial_stock", facts.initial_stock},
                                {"keys", facts.keys},
                                {"faults", std::move(faults)},
                                {"claims", facts.claims},
                                {"expect", std::move(expect)}};
  if (facts.lock_traits) object["lock_traits"] = facts.lock_traits->Names();
  if (!facts.expect_cause.empty()) object["expect_cause"] = facts.expect_cause;
  if (!facts.limits.empty()) object["limits"] = facts.limits;
  if (facts.library)
    object["library"] = {{"name", facts.library->name},
                         {"version", facts.library->version},
                         {"can", facts.library->can}};
  return object;
}

Result<RunFacts> FactsFromJson(const json& object) {
  Fields fields(object, "");
  RunFacts facts{.experiment = fields.Text("experiment"),
                 .lock = fields.Text("lock"),
                 .lock_traits = ReadTraits<LockTraits>(fields, "lock_traits"),
                 .workload = fields.Text("workload"),
                 .write = fields.Text("write"),
                 .seed = fields.Unsigned("seed"),
                 .lease = fields.Span("lease_ns", 1),
                 .grace = fields.Span("grace_ns", 0),
                 .duration = fields.Span("duration_ns", 0),
                 .clients = fields.Count("clients"),
                 .nodes = fields.Count("nodes"),
                 .initial_stock = fields.Whole("initial_stock", 0, kMostStock),
                 .keys = fields.Texts("keys"),
                 .faults = ReadFaults(fields),
                 .claims = CurrentClaimNames(fields.Texts("claims")),
                 .expect = ReadExpectations(fields),
                 .expect_cause = ReadExpectedCauses(fields),
                 .library = ReadLibrary(fields),
                 .limits = ReadLimits(fields)};
  if (facts.keys.size() > kMostKeys) fields.Fail(fmt::format("over {} keys", kMostKeys));
  if (std::set<std::string>(facts.keys.begin(), facts.keys.end()).size() != facts.keys.size()) {
    fields.Fail("field 'keys' names a key twice");
  }
  if (std::string reason = fields.Finish(); !reason.empty()) return BadInput(std::move(reason));
  return facts;
}

}  // namespace doublehold
