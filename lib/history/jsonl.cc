#include "lib/history/jsonl.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/words.h"
#include "lib/history/facts_json.h"
#include "lib/history/process_names.h"

namespace doublehold {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr size_t kLongestLine = size_t{16} << 20;  // a start line with 65,535 keys fits
constexpr size_t kFlushBytes = size_t{1} << 16;

// A value without a name that is not 0 is written as this.
constexpr std::array<std::string_view, 4> kUnnamed{"value0", "value1", "value2", "value3"};

std::string_view NameOf(const ValueNames& names, size_t i) {
  return names[i].text.empty() ? kUnnamed[i] : names[i].text;
}

std::string Quoted(const std::string& text) {
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

void AppendProcess(fmt::memory_buffer& line, int32_t client) {
  if (client > kReferee) {
    fmt::format_to(std::back_inserter(line), FMT_COMPILE("{}"), client);
  } else {
    fmt::format_to(std::back_inserter(line), FMT_COMPILE("\"{}\""), NameOfProcess(client));
  }
}

void AppendValue(fmt::memory_buffer& line, const Event& event) {
  const auto out = std::back_inserter(line);
  const ValueNames names = ValueNamesOf(event.op, event.type);
  std::string_view separator = "";
  if (event.hold != 0) {
    fmt::format_to(out, FMT_COMPILE("\"hold\":{}"), event.hold);
    separator = ",";
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (!names[i].always && event.value[i] == 0) continue;
    const std::string_view name = NameOf(names, i);
    fmt::format_to(out, FMT_COMPILE("{}\"{}\":{}"), separator, name, event.value[i]);
    separator = ",";
  }
}

void AppendEvent(fmt::memory_buffer& line, size_t index, const Event& event,
                 const std::vector<std::string>& quoted_keys) {
  const auto out = std::back_inserter(line);
  fmt::format_to(out, FMT_COMPILE("{{\"index\":{},\"time\":{},\"process\":"), index, event.at_ns);
  AppendProcess(line, event.client);
  if (event.task != TaskKind::kSession) {
    fmt::format_to(out, FMT_COMPILE(",\"task\":\"{}\""), Name(event.task));
  }
  fmt::format_to(out, FMT_COMPILE(",\"type\":\"{}\",\"f\":\"{}\""), Name(event.type),
                 Name(event.op));
  if (HasKey(event.op) || event.key != 0) {
    fmt::format_to(out, FMT_COMPILE(",\"key\":{}"),
                   event.key < quoted_keys.size() ? quoted_keys[event.key] : "null");
  }
  if (event.thread != 0) {
    fmt::format_to(out, FMT_COMPILE(",\"thread\":{}"), event.thread);
  }
  line.append(std::string_view(",\"value\":{"));
  AppendValue(line, event);
  line.append(std::string_view("}}\n"));
}

// A line without its newline; `ended`: there was a newline.
struct Line {
  std::string text;
  bool ended = false;
};

// Nothing at the end of the input. A line longer than any we write is cut there and not `ended`.
std::optional<Line> NextLine(std::istream& in) {
  Line line;
  std::streambuf& source = *in.rdbuf();
  for (int c = source.sbumpc(); c != std::char_traits<char>::eof(); c = source.sbumpc()) {
    if (c == '\n') {
      line.ended = true;
      return line;
    }
    if (line.text.size() == kLongestLine) return line;
    line.text += static_cast<char>(c);
  }
  if (line.text.empty()) return std::nullopt;
  return line;
}

Result<int64_t> Whole(const json& number, std::string_view name) {
  const bool huge =
      number.is_number_unsigned() &&
      number.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (!number.is_number_integer() || huge) {
    return BadInput(fmt::format("field '{}' is not a whole number of 64 bits", name));
  }
  return number.get<int64_t>();
}

// The members of an enumeration by name, so that a reader can look a word up and suggest another.
template <typename Enum>
std::map<std::string, Enum, std::less<>> Words(Enum last) {
  std::map<std::string, Enum, std::less<>> words;
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    words.emplace(Name(static_cast<Enum>(i)), static_cast<Enum>(i));
  }
  return words;
}

// Reads one line after another into a History and remembers what they have in common.
class Reader {
 public:
  // The reason why a line is refused, or nothing.
  std::optional<std::string> Take(const Line& line) {
    if (line.text.size() == kLongestLine) return fmt::format("longer than {} bytes", kLongestLine);
    const json parsed = json::parse(line.text, nullptr, /*allow_exceptions=*/false);
    if (parsed.is_discarded()) {
      return line.ended ? "not valid JSON" : "not valid JSON; the file is cut off here";
    }
    if (!parsed.is_object()) return "not a JSON object";
    const Result<void> taken = index_ == 0 ? TakeStart(parsed) : TakeEvent(parsed);
    if (!taken) return taken.error().message;
    ++index_;
    return std::nullopt;
  }

  // Call when the input is over.
  [[nodiscard]] std::optional<std::string> WhyIncomplete() const {
    if (index_ == 0) return "the file is empty; a history begins with a start line";
    if (promised_ && *promised_ != history_.events.size()) {
      return fmt::format("the file is cut off: {} events of {}", history_.events.size(),
                         *promised_);
    }
    return std::nullopt;
  }

  [[nodiscard]] History Finish() { return std::move(history_); }

 private:
  Result<void> TakeStart(const json& line) {
    if (const auto f = line.find("f"); f == line.end() || *f != "start") {
      return BadInput("a history begins with a line whose 'f' is 'start'");
    }
    static const std::vector<std::string> fields{"index", "time", "process", "type", "f", "value"};
    if (Result<void> checked = CheckFields(line, fields, fields); !checked) return checked;
    if (line["index"] != 0 || line["time"] != 0) return BadInput("index and time of a start are 0");
    json value = line["value"];
    if (value.is_object() && value.contains("events")) {
      const Result<int64_t> events = Whole(value["events"], "events");
      if (!events || *events < 0) return BadInput("field 'events' is not a number of events");
      promised_ = static_cast<uint64_t>(*events);
      value.erase("events");
    }
    Result<RunFacts> facts = FactsFromJson(value);
    if (!facts) return tl::unexpected(facts.error());
    history_.facts = std::move(*facts);
    for (size_t i = 0; i < history_.facts.keys.size(); ++i) {
      key_numbers_[history_.facts.keys[i]] = static_cast<uint16_t>(i);
    }
    return {};
  }

  Result<void> TakeEvent(const json& line) {
    static const std::vector<std::string> needed{"index", "time", "process", "type", "f", "value"};
    static const std::vector<std::string> known{"index", "time", "process", "task", "thread",
                                                "type",  "f",    "key",     "value"};
    Event event;
    Result<void> taken = CheckFields(line, needed, known);
    if (taken) taken = TakeIndex(line["index"]);
    if (taken) taken = TakeTime(line["time"], event);
    if (taken) taken = TakeProcess(line["process"], event);
    if (taken && line.contains("task")) taken = TakeWord(line["task"], "task", tasks_, event.task);
    if (taken && line.contains("thread")) taken = TakeThread(line["thread"], event);
    if (taken) taken = TakeWord(line["type"], "type", types_, event.type);
    if (taken) taken = TakeWord(line["f"], "f", ops_, event.op);
    if (taken && (line.contains("key") || HasKey(event.op))) taken = TakeKey(line, event);
    if (taken) taken = TakeValue(line["value"], event);
    if (!taken) return taken;
    if (std::optional<std::string> reason = WhyInvalid(event, history_.facts)) {
      return BadInput(std::move(*reason));
    }
    history_.events.push_back(event);
    return {};
  }

  static Result<void> CheckFields(const json& line, const std::vector<std::string>& needed,
                                  const std::vector<std::string>& known) {
    for (const auto& [name, unused] : line.items()) {
      if (std::ranges::find(known, name) == known.end()) {
        return BadInput(UnknownWord("field", name, known));
      }
    }
    for (const std::string& name : needed) {
      if (!line.contains(name)) return BadInput(fmt::format("field '{}' is missing", name));
    }
    return {};
  }

  Result<void> TakeIndex(const json& field) {
    const Result<int64_t> index = Whole(field, "index");
    if (!index) return tl::unexpected(index.error());
    if (*index != index_) return BadInput(fmt::format("index {} should be {}", *index, index_));
    return {};
  }

  Result<void> TakeTime(const json& field, Event& event) {
    const Result<int64_t> time = Whole(field, "time");
    if (!time) return tl::unexpected(time.error());
    const int64_t previous_ns = history_.events.empty() ? 0 : history_.events.back().at_ns;
    if (*time < 0) return BadInput(fmt::format("time {} is negative", *time));
    if (*time < previous_ns) {
      return BadInput(fmt::format("time {} is before {}", *time, previous_ns));
    }
    event.at_ns = *time;
    return {};
  }

  Result<void> TakeProcess(const json& field, Event& event) {
    if (field.is_string()) {
      if (const auto named = ProcessNamed(field.get_ref<const std::string&>())) {
        event.client = *named;
        return {};
      }
    }
    if (field.is_number_unsigned() && field.get<uint64_t>() >= 1 &&
        field.get<uint64_t>() <= static_cast<uint64_t>(history_.facts.clients)) {
      event.client = field.get<int32_t>();
      return {};
    }
    return BadInput(
        fmt::format("process {} is unknown (1 to {}, \"referee\", \"supervisor\" or \"node 1\")",
                    field.dump(-1, ' ', true), history_.facts.clients));
  }

  static Result<void> TakeThread(const json& field, Event& event) {
    const Result<int64_t> thread = Whole(field, "thread");
    if (!thread) return tl::unexpected(thread.error());
    if (*thread < 0 || *thread > std::numeric_limits<uint8_t>::max())
      return BadInput(fmt::format("thread {} is unknown", *thread));
    event.thread = static_cast<uint8_t>(*thread);
    return {};
  }

  Result<void> TakeKey(const json& line, Event& event) {
    const auto field = line.find("key");
    if (field == line.end()) return BadInput("field 'key' is missing");
    if (!field->is_string()) return BadInput("field 'key' is not a string");
    const auto found = key_numbers_.find(field->get<std::string>());
    if (found == key_numbers_.end()) {
      return BadInput(UnknownWord("key", field->get<std::string>(), history_.facts.keys));
    }
    event.key = found->second;
    return {};
  }

  template <typename Enum>
  Result<void> TakeWord(const json& field, std::string_view name,
                        const std::map<std::string, Enum, std::less<>>& words, Enum& member) {
    if (!field.is_string()) return BadInput(fmt::format("field '{}' is not a string", name));
    const auto found = words.find(field.get<std::string>());
    if (found == words.end()) {
      std::vector<std::string> known;
      known.reserve(words.size());
      for (const auto& [word, unused] : words) known.push_back(word);
      return BadInput(UnknownWord(name, field.get<std::string>(), known));
    }
    member = found->second;
    return {};
  }

  static Result<void> TakeValue(const json& value, Event& event) {
    if (!value.is_object()) return BadInput("field 'value' is not an object");
    const ValueNames names = ValueNamesOf(event.op, event.type);
    std::array<bool, 4> taken{};
    for (const auto& [name, field] : value.items()) {
      if (name == "hold") {
        if (!field.is_number_unsigned()) return BadInput("field 'hold' is not a hold's number");
        event.hold = field.get<uint64_t>();
        continue;
      }
      size_t i = 0;
      while (i < names.size() && name != NameOf(names, i)) ++i;
      if (i == names.size()) {
        std::vector<std::string> known{"hold"};
        for (const ValueName& other : names) {
          if (!other.text.empty()) known.emplace_back(other.text);
        }
        return BadInput(UnknownWord("field", name, known));
      }
      const Result<int64_t> number = Whole(field, name);
      if (!number) return tl::unexpected(number.error());
      event.value[i] = *number;
      taken[i] = true;
    }
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i].always && !taken[i]) {
        return BadInput(fmt::format("field '{}' is missing", names[i].text));
      }
    }
    return {};
  }

  History history_;
  int64_t index_ = 0;
  std::optional<uint64_t> promised_;
  std::map<std::string, uint16_t, std::less<>> key_numbers_;
  const std::map<std::string, EventType, std::less<>> types_ = Words(EventType::kInfo);
  const std::map<std::string, Op, std::less<>> ops_ = Words(Op::kLeave);
  const std::map<std::string, TaskKind, std::less<>> tasks_ = Words(TaskKind::kMeter);
};

}  // namespace

void WriteJsonl(const History& history, std::ostream& out) {
  ordered_json value = FactsToJson(history.facts);
  value["events"] = history.events.size();
  const ordered_json start{{"index", 0},     {"time", 0},    {"process", "supervisor"},
                           {"type", "info"}, {"f", "start"}, {"value", std::move(value)}};
  out << start.dump(-1, ' ', false, json::error_handler_t::replace) << '\n';

  std::vector<std::string> quoted_keys;
  for (const std::string& key : history.facts.keys) quoted_keys.push_back(Quoted(key));
  fmt::memory_buffer lines;
  for (size_t i = 0; i < history.events.size(); ++i) {
    AppendEvent(lines, i + 1, history.events[i], quoted_keys);
    if (lines.size() < kFlushBytes) continue;
    out.write(lines.data(), static_cast<std::streamsize>(lines.size()));
    lines.clear();
  }
  out.write(lines.data(), static_cast<std::streamsize>(lines.size()));
}

Result<History> ReadJsonl(std::istream& in, std::string_view name) {
  Reader reader;
  int64_t number = 0;
  while (const std::optional<Line> line = NextLine(in)) {
    ++number;
    if (const std::optional<std::string> reason = reader.Take(*line)) {
      return BadInput(fmt::format("{}:{}: {}", name, number, *reason));
    }
  }
  if (const std::optional<std::string> reason = reader.WhyIncomplete()) {
    return BadInput(fmt::format("{}:{}: {}", name, number + 1, *reason));
  }
  return reader.Finish();
}

Result<History> ReadJsonlFile(const std::filesystem::path& file) {
  std::error_code status;
  if (std::filesystem::is_directory(file, status)) {
    return BadInput(fmt::format("{}: is a folder, not a history", file.string()));
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) return BadInput(fmt::format("{}: could not be opened", file.string()));
  return ReadJsonl(in, file.string());
}

}  // namespace doublehold
