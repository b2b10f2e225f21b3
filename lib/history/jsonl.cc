#include "lib/history/jsonl.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/old_names.h"
#include "lib/base/words.h"
#include "lib/history/event_line.h"
#include "lib/history/facts_json.h"
#include "lib/history/lines.h"
#include "lib/history/process_names.h"

namespace doublehold {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr size_t kLongestLine = size_t{16} << 20;  // a start line with 65,535 keys fits
constexpr size_t kFlushBytes = size_t{1} << 16;

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
  std::optional<std::string> Take(const Lines& lines) {
    const std::string_view line = lines.line();
    if (TakeOurs(line)) return std::nullopt;
    const json parsed = json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
    if (parsed.is_discarded()) {
      return lines.ended() ? "not valid JSON" : "not valid JSON; the file is cut off here";
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
  // The quick way, for a line as we write it that is right. Else nothing is taken.
  bool TakeOurs(std::string_view line) {
    if (index_ == 0) return false;
    const std::optional<Event> event = lines_->Scan(line, index_);
    if (!event || event->at_ns < LastNs() || WhyInvalid(*event, history_.facts)) return false;
    history_.events.push_back(*event);
    ++index_;
    return true;
  }

  [[nodiscard]] int64_t LastNs() const {
    return history_.events.empty() ? 0 : history_.events.back().at_ns;
  }

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
    lines_.emplace(history_.facts.keys);
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
    if (taken) taken = TakeOp(line["f"], event);
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
    if (*time < 0) return BadInput(fmt::format("time {} is negative", *time));
    if (*time < LastNs()) return BadInput(fmt::format("time {} is before {}", *time, LastNs()));
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

  Result<void> TakeOp(const json& field, Event& event) {
    if (!field.is_string()) return TakeWord(field, "f", ops_, event.op);
    const json current = CurrentEventName(field.get_ref<const std::string&>());
    return TakeWord(current, "f", ops_, event.op);
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
      while (i < names.size() && name != NameOfValue(names, i)) ++i;
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
  std::optional<EventLines> lines_;  // once the start line was read
  std::map<std::string, uint16_t, std::less<>> key_numbers_;
  const std::map<std::string, EventType, std::less<>> types_ = Words(EventType::kInfo);
  const std::map<std::string, Op, std::less<>> ops_ = Words(kLastOp);
  const std::map<std::string, TaskKind, std::less<>> tasks_ = Words(TaskKind::kMeter);
};

}  // namespace

void WriteJsonl(const History& history, std::ostream& out) {
  ordered_json value = FactsToJson(history.facts);
  value["events"] = history.events.size();
  const ordered_json start{{"index", 0},     {"time", 0},    {"process", "supervisor"},
                           {"type", "info"}, {"f", "start"}, {"value", std::move(value)}};
  out << start.dump(-1, ' ', false, json::error_handler_t::replace) << '\n';

  const EventLines form(history.facts.keys);
  fmt::memory_buffer lines;
  for (size_t i = 0; i < history.events.size(); ++i) {
    form.Append(i + 1, history.events[i], lines);
    if (lines.size() < kFlushBytes) continue;
    out.write(lines.data(), static_cast<std::streamsize>(lines.size()));
    lines.clear();
  }
  out.write(lines.data(), static_cast<std::streamsize>(lines.size()));
}

Result<History> ReadJsonl(TextSource& source) {
  Reader reader;
  Lines lines(source, kLongestLine);
  const auto refused = [&](std::string_view reason) {
    return BadInput(fmt::format("{}:{}: {}", source.name(), lines.number(), OnOneLine(reason)));
  };
  for (Lines::Found found = lines.Next(); found != Lines::Found::kEnd; found = lines.Next()) {
    if (found == Lines::Found::kTooLong)
      return refused(fmt::format("longer than {} bytes", kLongestLine));
    if (const std::optional<std::string> reason = reader.Take(lines)) return refused(*reason);
  }
  if (source.broken()) return refused("cannot be read further");
  if (const std::optional<std::string> reason = reader.WhyIncomplete()) return refused(*reason);
  return reader.Finish();
}

Result<History> ReadJsonlFile(const std::filesystem::path& file) {
  std::error_code status;
  if (std::filesystem::is_directory(file, status)) {
    return BadInput(fmt::format("{}: is a folder, not a history", file.string()));
  }
  Result<TextSource> source = TextSource::Open(file);
  if (!source) return tl::unexpected(source.error());
  return ReadJsonl(*source);
}

}  // namespace doublehold
