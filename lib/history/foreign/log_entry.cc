#include "lib/history/foreign/log_entry.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/words.h"

namespace doublehold {

std::string_view Dictionary::Of(std::string_view word) {
  for (const auto& [other, meaning] : words_) {
    if (other != word) continue;
    occurred_.insert(other);
    return meaning;
  }
  return word;
}

std::optional<std::string_view> Dictionary::Unseen() const {
  for (const auto& [word, meaning] : words_) {
    if (!occurred_.contains(word)) return word;
  }
  return std::nullopt;
}

LogEntry::LogEntry(FormView map, Dictionary& words) {
  for (auto at = map.begin(); at != map.end(); ++at) {
    const std::optional<std::string_view> name = (*at).Text();
    const FormView part = *++at;
    const std::string_view meaning = name ? words.Of(*name) : std::string_view();
    FormView* const place = PlaceOf(meaning);
    if (place == nullptr) continue;
    if (place->exists()) twice = meaning;
    *place = part;
  }
  // A flat log has the parts of the value as fields of their own.
  if (!value.exists() && !(map.Find("token").IsNil() && map.Find("lease_ns").IsNil())) value = map;
}

// Comparisons with literals compile to comparisons of words; a table would be slower.
FormView* LogEntry::PlaceOf(std::string_view name) {
  if (name == "process") return &process;
  if (name == "type") return &type;
  if (name == "f") return &f;
  if (name == "value") return &value;
  if (name == "key") return &key;
  if (name == "time") return &time;
  if (name == "index") return &index;
  if (name == "thread") return &thread;
  if (name == "task") return &task;
  if (name == "start") return &start;
  if (name == "end") return &end;
  if (name == "ok") return &ok;
  return nullptr;
}

namespace {

// Fields that have their meaning already.
constexpr std::string_view kFieldNames[] = {"process", "type",  "f",     "value", "key",
                                            "time",    "index", "start", "end",   "ok"};

}  // namespace

std::string MissingField(FormView event, std::string_view name) {
  struct OtherNames {
    std::string_view name, meaning;
    std::vector<std::string_view> others;
  };
  static const OtherNames kFields[] = {
      {"process",
       "process",
       {"worker", "client", "client_id", "clientId", "thread", "proc", "pid", "session", "node",
        "id"}},
      {"f", "function", {"op", "operation", "action", "event", "function", "command", "method"}},
      {"type", "type", {"phase", "status", "kind", "state"}},
      {"ok", "result", {"success", "result", "outcome", "status", "granted"}},
  };
  const std::string text = fmt::format("no '{}'", name);
  const auto* const field = std::ranges::find(kFields, name, &OtherNames::name);
  for (auto at = event.begin(); at != event.end(); ++at) {
    const std::string_view other = (*at).Text().value_or("");
    ++at;
    if (std::ranges::find(kFieldNames, other) != std::end(kFieldNames)) continue;
    const bool is_near =
        Suggestion(other, {std::string(name)}).find("did you") != std::string::npos;
    if (is_near || std::ranges::find(field->others, other) != field->others.end()) {
      return fmt::format("{0}; if its '{1}' is the {2}, add --map {1}={3}", text, other,
                         field->meaning, name);
    }
  }
  return fmt::format("{}; if another field is the {}, add --map FIELD={}{}", text, field->meaning,
                     name, name == "type" ? ", or name the fields of start, end and ok" : "");
}

}  // namespace doublehold
