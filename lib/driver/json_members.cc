#include "lib/driver/json_members.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lib/base/words.h"

namespace doublehold {

using nlohmann::json;

void Wrong(const std::string& why) { throw WrongLine(why); }

json ParsedObject(std::string_view line) {
  json object = json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (object.is_discarded()) Wrong("it is no JSON");
  if (!object.is_object()) Wrong("it is no JSON object");
  return object;
}

Members::Members(const json& object, std::string what) : object_(object), what_(std::move(what)) {
  if (!object.is_object()) Wrong(fmt::format("{} is no object", what_));
}

const json* Members::Find(const char* name) {
  known_.emplace_back(name);
  const auto found = object_.find(name);
  return found == object_.end() ? nullptr : &*found;
}

const json& Members::Get(const char* name) {
  const json* found = Find(name);
  if (found == nullptr) Wrong(fmt::format("{} has no '{}'", what_, name));
  return *found;
}

std::string Members::Text(const char* name, size_t most) {
  const json& value = Get(name);
  if (!value.is_string()) Wrong(fmt::format("'{}' of {} is no text", name, what_));
  const auto& text = value.get_ref<const std::string&>();
  if (text.empty()) Wrong(fmt::format("'{}' of {} is empty", name, what_));
  if (text.size() > most)
    Wrong(fmt::format("'{}' of {} is longer than {} bytes", name, what_, most));
  return text;
}

std::optional<int64_t> Members::Whole(const char* name, int64_t least, int64_t most) {
  const json* value = Find(name);
  if (value == nullptr) return std::nullopt;
  const bool fits = value->is_number_unsigned()
                        ? value->get<uint64_t>() <= static_cast<uint64_t>(most)
                        : value->is_number_integer() && value->get<int64_t>() <= most;
  if (!fits || value->get<int64_t>() < least)
    Wrong(fmt::format("'{}' of {} is no whole number in {}..{}", name, what_, least, most));
  return value->get<int64_t>();
}

int64_t Members::NeededWhole(const char* name, int64_t least, int64_t most) {
  const std::optional<int64_t> value = Whole(name, least, most);
  if (!value) Wrong(fmt::format("{} has no '{}'", what_, name));
  return *value;
}

bool Members::Flag(const char* name) {
  const json* value = Find(name);
  if (value != nullptr && !value->is_boolean())
    Wrong(fmt::format("'{}' of {} is neither true nor false", name, what_));
  return value != nullptr && value->get<bool>();
}

void Members::CheckNothingElse() const {
  for (const auto& [name, value] : object_.items()) {
    if (std::ranges::find(known_, name) == known_.end())
      Wrong(
          fmt::format("{} has no member '{}'{}", what_, Shortened(name), Suggestion(name, known_)));
  }
}

}  // namespace doublehold
