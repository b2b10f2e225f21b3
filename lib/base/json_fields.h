// Converts structs to JSON objects and back, from one list of their fields:
//
//   void ForEachField(ConstOrNot<Link> auto& link, auto&& visit) {
//     visit("client", link.client, {.least = 1});
//     visit("delay_ns", link.delay, {.is_optional = true});
//   }
//
// A duration is a number of ns. An empty std::optional is null.
#ifndef DOUBLEHOLD_LIB_BASE_JSON_FIELDS_H_
#define DOUBLEHOLD_LIB_BASE_JSON_FIELDS_H_

#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "lib/base/json_object.h"
#include "lib/base/time.h"
#include "lib/base/trait_set.h"

namespace doublehold {

template <typename T, typename Struct>
concept ConstOrNot = std::same_as<std::remove_const_t<T>, Struct>;

// Constraints on a field besides its type. For a list, the rule applies to each element.
struct FieldRule {
  bool is_optional = false;  // omitted when it is empty, 0 or false
  std::optional<int64_t> least{}, most{};
  const std::vector<std::string>* words = nullptr;  // the allowed texts; null allows any text
};

// Overloads of ReadField and WriteField, one for each kind of type. Other headers of this namespace
// add overloads for their own types.
inline void ReadField(const JsonValue& from, bool& to, const FieldRule& /*rule*/) {
  to = from.Flag();
}
inline void ReadField(const JsonValue& from, double& to, const FieldRule& /*rule*/) {
  to = from.Number();
}
inline void ReadField(const JsonValue& from, std::string& to, const FieldRule& rule) {
  to = rule.words == nullptr ? from.Text() : from.Word(*rule.words);
}
template <std::integral T>
void ReadField(const JsonValue& from, T& to, const FieldRule& rule) {
  using Limits = std::numeric_limits<T>;
  to = from.Whole<T>(rule.least ? static_cast<T>(*rule.least) : Limits::min(),
                     rule.most ? static_cast<T>(*rule.most) : Limits::max());
}
inline void ReadField(const JsonValue& from, Duration& to, const FieldRule& rule) {
  int64_t ns = 0;
  ReadField(from, ns, rule);
  to = Duration(ns);
}
template <typename Trait>
void ReadField(const JsonValue& from, TraitSet<Trait>& to, const FieldRule& /*rule*/) {
  const auto traits = TraitSet<Trait>::FromNames(from.Texts());
  if (!traits) return from.Fail("has an unknown trait");
  to = *traits;
}
template <typename T>
void ReadField(const JsonValue& from, std::optional<T>& to, const FieldRule& rule) {
  if (rule.is_optional || !from.IsNull()) ReadField(from, to.emplace(), rule);
}
template <typename T>
void ReadField(const JsonValue& from, std::vector<T>& to, const FieldRule& rule) {
  for (const JsonValue& element : from.List()) ReadField(element, to.emplace_back(), rule);
}
template <typename T>
void ReadField(const JsonValue& from, std::map<std::string, T>& to, const FieldRule& rule) {
  for (const auto& [name, value] : from.Members()) ReadField(value, to[name], rule);
}

struct FieldReader {
  JsonObject& from;
  template <typename T>
  void operator()(const char* name, T& field, const FieldRule& rule = {}) const {
    if (!rule.is_optional) return ReadField(from.Take(name), field, rule);
    if (const auto found = from.Find(name)) ReadField(*found, field, rule);
  }
};

template <typename Struct>
void ReadField(const JsonValue& from, Struct& to, const FieldRule& /*rule*/) {
  JsonObject object(from);
  ForEachField(to, FieldReader{object});
  object.RejectUnknown();
}

template <typename T>
nlohmann::ordered_json WriteField(const T& value);
inline nlohmann::ordered_json WriteField(const Duration& value) { return value.count(); }
template <typename Trait>
nlohmann::ordered_json WriteField(const TraitSet<Trait>& value) {
  return value.Names();
}
template <typename T>
nlohmann::ordered_json WriteField(const std::vector<T>& value) {
  auto list = nlohmann::ordered_json::array();
  for (const T& element : value) list.push_back(WriteField(element));
  return list;
}
template <typename T>
nlohmann::ordered_json WriteField(const std::optional<T>& value) {
  return value ? WriteField(*value) : nlohmann::ordered_json(nullptr);
}

struct FieldWriter {
  nlohmann::ordered_json& to;
  template <typename T>
  void operator()(const char* name, const T& field, const FieldRule& rule = {}) const {
    if (!rule.is_optional || !(field == T{})) to[name] = WriteField(field);
  }
};

template <typename T>
concept HasFields = requires(const T& value, FieldWriter visit) {
  ForEachField(value, visit);
};

template <typename T>
nlohmann::ordered_json WriteField(const T& value) {
  if constexpr (HasFields<T>) {
    auto object = nlohmann::ordered_json::object();
    ForEachField(value, FieldWriter{object});
    return object;
  } else {
    return nlohmann::ordered_json(value);
  }
}

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_JSON_FIELDS_H_
