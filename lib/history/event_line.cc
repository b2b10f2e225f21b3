#include "lib/history/event_line.h"

#include <fmt/compile.h>

#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "lib/history/process_names.h"

namespace doublehold {
namespace {

using nlohmann::json;

// Names of the values that have no name of their own. Such a value is written only if it is not 0.
constexpr std::array<std::string_view, 4> kUnnamed{"value0", "value1", "value2", "value3"};

void AppendProcess(fmt::memory_buffer& line, int32_t client) {
  if (client > kReferee) {
    fmt::format_to(std::back_inserter(line), FMT_COMPILE("{}"), client);
  } else {
    fmt::format_to(std::back_inserter(line), FMT_COMPILE("\"{}\""), NameOfProcess(client));
  }
}

void AppendValue(fmt::memory_buffer& line, const Event& event) {
  const auto out = std::back_inserter(line);
  std::string_view separator = "";
  if (event.hold != 0) {
    fmt::format_to(out, FMT_COMPILE("\"hold\":{}"), event.hold);
    separator = ",";
  }
  ForEachValue(event, [&](std::string_view name, int64_t value) {
    fmt::format_to(out, FMT_COMPILE("{}\"{}\":{}"), separator, name, value);
    separator = ",";
  });
}

// Consumes tokens from the front of a line. A failed call consumes nothing.
class Scanner {
 public:
  explicit Scanner(std::string_view line) : rest_(line) {}

  bool Skip(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  // An integer in JSON's form: no plus sign, no leading zero.
  template <typename Number>
  bool Take(Number& number) {
    const char* const begin = rest_.data();
    const char* const end = begin + rest_.size();
    const auto [after, error] = std::from_chars(begin, end, number);
    if (error != std::errc()) return false;
    const char* const digits = *begin == '-' ? begin + 1 : begin;
    if (*digits == '0' && after != digits + 1) return false;
    rest_.remove_prefix(static_cast<size_t>(after - begin));
    return true;
  }

  // A quoted text. Texts with an escape are left to the JSON parser.
  bool TakeQuoted(std::string_view& text) {
    if (!rest_.starts_with('"')) return false;
    const size_t end = rest_.find('"', 1);
    if (end == std::string_view::npos) return false;
    text = rest_.substr(1, end - 1);
    if (text.find('\\') != std::string_view::npos) return false;
    rest_.remove_prefix(end + 1);
    return true;
  }

  template <typename Enum>
  bool TakeWord(Enum last, Enum& word) {
    std::string_view text;
    if (!TakeQuoted(text)) return false;
    for (int i = 0; i <= static_cast<int>(last); ++i) {
      word = static_cast<Enum>(i);
      if (Name(word) == text) return true;
    }
    return false;
  }

  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

bool TakeProcess(Scanner& line, int32_t& client) {
  std::string_view name;
  if (!line.TakeQuoted(name)) return line.Take(client) && client > kReferee;
  const std::optional<int32_t> named = ProcessNamed(name);
  client = named.value_or(0);
  return named.has_value();
}

// Reads the rest of a line that begins after the opening brace of "value".
bool TakeValue(Scanner& line, Event& event) {
  const ValueNames names = ValueNamesOf(event.op, event.type);
  bool first = true;
  // Consumes `name` and a number if they come next. Otherwise returns false and consumes nothing.
  // The caller fails if the name is required. If some other name comes next, the check of the
  // closing braces fails.
  const auto take = [&](std::string_view name, auto& number) {
    Scanner ahead = line;
    if ((!first && !ahead.Skip(",")) || !ahead.Skip("\"") || !ahead.Skip(name) ||
        !ahead.Skip("\":") || !ahead.Take(number)) {
      return false;
    }
    first = false;
    line = ahead;
    return true;
  };
  take("hold", event.hold);
  for (size_t i = 0; i < names.size(); ++i) {
    if (!take(NameOfValue(names, i), event.value[i]) && names[i].always) return false;
  }
  return line.Skip("}}") && line.rest().empty();
}

}  // namespace

std::string_view NameOfValue(const ValueNames& names, size_t i) {
  return names[i].text.empty() ? kUnnamed[i] : names[i].text;
}

EventLines::EventLines(const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    quoted_keys_.push_back(json(key).dump(-1, ' ', false, json::error_handler_t::replace));
    key_numbers_[quoted_keys_.back()] = static_cast<uint16_t>(quoted_keys_.size() - 1);
  }
}

void EventLines::Append(size_t index, const Event& event, fmt::memory_buffer& lines) const {
  const auto out = std::back_inserter(lines);
  fmt::format_to(out, FMT_COMPILE("{{\"index\":{},\"time\":{},\"process\":"), index, event.at_ns);
  AppendProcess(lines, event.client);
  if (event.task != TaskKind::kSession) {
    fmt::format_to(out, FMT_COMPILE(",\"task\":\"{}\""), Name(event.task));
  }
  fmt::format_to(out, FMT_COMPILE(",\"type\":\"{}\",\"f\":\"{}\""), Name(event.type),
                 Name(event.op));
  if (HasKey(event.op) || event.key != 0) {
    fmt::format_to(out, FMT_COMPILE(",\"key\":{}"),
                   event.key < quoted_keys_.size() ? quoted_keys_[event.key] : "null");
  }
  if (event.thread != 0) {
    fmt::format_to(out, FMT_COMPILE(",\"thread\":{}"), event.thread);
  }
  lines.append(std::string_view(",\"value\":{"));
  AppendValue(lines, event);
  lines.append(std::string_view("}}\n"));
}

std::optional<Event> EventLines::Scan(std::string_view text, int64_t index) const {
  Scanner line(text);
  Event event;
  int64_t number = 0;
  if (!line.Skip("{\"index\":") || !line.Take(number) || number != index) return std::nullopt;
  if (!line.Skip(",\"time\":") || !line.Take(event.at_ns)) return std::nullopt;
  if (!line.Skip(",\"process\":") || !TakeProcess(line, event.client)) return std::nullopt;
  if (line.Skip(",\"task\":") && !line.TakeWord(TaskKind::kMeter, event.task)) return std::nullopt;
  if (!line.Skip(",\"type\":") || !line.TakeWord(EventType::kInfo, event.type)) return std::nullopt;
  if (!line.Skip(",\"f\":") || !line.TakeWord(kLastOp, event.op)) return std::nullopt;
  if (line.Skip(",\"key\":")) {
    std::string_view quoted = line.rest();
    Scanner ahead = line;
    std::string_view key;
    if (!ahead.TakeQuoted(key)) return std::nullopt;
    quoted.remove_suffix(ahead.rest().size());
    const auto found = key_numbers_.find(quoted);
    if (found == key_numbers_.end()) return std::nullopt;
    event.key = found->second;
    line = ahead;
  } else if (HasKey(event.op)) {
    return std::nullopt;
  }
  if (line.Skip(",\"thread\":") && !line.Take(event.thread)) return std::nullopt;
  if (!line.Skip(",\"value\":{") || !TakeValue(line, event)) return std::nullopt;
  return event;
}

}  // namespace doublehold
