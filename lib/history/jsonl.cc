#include "lib/history/jsonl.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/json_object.h"
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

constexpr size_t kLongestLine = size_t{16} << 20;  // holds a start line with 65,535 keys

// Returns the values of an enumeration by name, to look up words and to suggest similar words.
template <typename Enum>
std::map<std::string, Enum, std::less<>> Words(Enum last) {
  std::map<std::string, Enum, std::less<>> words;
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    words.emplace(Name(static_cast<Enum>(i)), static_cast<Enum>(i));
  }
  return words;
}

// Reads lines into a History. Keeps the state that lines share, such as the facts.
class Reader {
 public:
  // Reads a line. Returns why the line is refused, or nothing if it is accepted.
  std::optional<std::string> Take(const Lines& lines) {
    const std::string_view line = lines.line();
    if (TakeOurs(line)) return std::nullopt;
    const json parsed = json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
    JsonDocument document(parsed);
    JsonObject object(document);
    if (index_ == 0) {
      TakeStart(document, object);
    } else if (const Event event = ReadEvent(object); document.ok()) {
      if (std::optional<std::string> reason = WhyInvalid(event, history_.facts)) return reason;
      history_.events.push_back(event);
    }
    if (parsed.is_discarded() && !lines.ended())
      return document.error() + "; the file is cut off here";
    if (!document.ok()) return document.error();
    ++index_;
    return std::nullopt;
  }

  // Call at the end of the input.
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
  // Fast path for a valid line that is spelt as Doublehold writes it. For any other line, returns
  // false and adds no event.
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

  void TakeStart(JsonDocument& document, JsonObject& line) {
    if (const auto f = line.Find("f"); !f || f->Text() != "start")
      return document.Fail("a history begins with a line whose 'f' is 'start'");
    CheckIndex(line);
    (void)line.Take("time").Whole<int64_t>(0, 0);
    (void)line.Take("process");
    (void)line.Take("type");
    JsonObject value(line.Take("value"));
    if (const auto events = value.Find("events")) promised_ = events->Whole<uint64_t>();
    history_.facts = ReadFacts(value);
    value.RejectUnknown();
    line.RejectUnknown();
    lines_.emplace(history_.facts.keys);
    for (size_t i = 0; i < history_.facts.keys.size(); ++i) {
      key_numbers_[history_.facts.keys[i]] = static_cast<uint16_t>(i);
    }
  }

  Event ReadEvent(JsonObject& line) {
    Event event;
    CheckIndex(line);
    event.at_ns = ReadTime(line.Take("time"));
    event.client = ReadProcess(line.Take("process"));
    if (const auto task = line.Find("task")) event.task = task->Meaning(tasks_);
    if (const auto thread = line.Find("thread")) event.thread = thread->Whole<uint8_t>();
    event.type = line.Take("type").Meaning(types_);
    event.op = ReadOp(line.Take("f"));
    const auto key = HasKey(event.op) ? line.Take("key") : line.Find("key");
    if (key) event.key = key->Meaning(key_numbers_);
    ReadValues(line.Take("value"), event);
    line.RejectUnknown();
    return event;
  }

  void CheckIndex(JsonObject& line) const {
    const JsonValue field = line.Take("index");
    if (const auto index = field.Whole<int64_t>(); index != index_)
      field.Fail(fmt::format("is {}, not {}", index, index_));
  }

  [[nodiscard]] Op ReadOp(const JsonValue& field) const {
    const auto current = ops_.find(CurrentEventName(field.Text()));
    return current != ops_.end() ? current->second : field.Meaning(ops_);
  }

  [[nodiscard]] int64_t ReadTime(const JsonValue& field) const {
    const auto time = field.Whole<int64_t>(0);
    if (time < LastNs()) field.Fail(fmt::format("is {}, before {}", time, LastNs()));
    return time;
  }

  [[nodiscard]] int32_t ReadProcess(const JsonValue& field) const {
    const json* process = field.raw();
    if (process == nullptr) return 0;
    if (process->is_string()) {
      if (const auto named = ProcessNamed(field.Text())) return *named;
    }
    const int clients = history_.facts.clients;
    if (process->is_number_unsigned() && process->get<uint64_t>() >= 1 &&
        process->get<uint64_t>() <= static_cast<uint64_t>(clients))
      return process->get<int32_t>();
    field.Fail(
        fmt::format("is {}, which is unknown (1 to {}, \"referee\", \"supervisor\" or \"node 1\")",
                    field.Shown(), clients));
    return 0;
  }

  static void ReadValues(const JsonValue& field, Event& event) {
    JsonObject value(field);
    if (const auto hold = value.Find("hold")) event.hold = hold->Whole<uint64_t>();
    const ValueNames names = ValueNamesOf(event.op, event.type);
    for (size_t i = 0; i < names.size(); ++i) {
      const std::string_view name = NameOfValue(names, i);
      const auto number = names[i].always ? value.Take(name) : value.Find(name);
      if (number) event.value[i] = number->Whole<int64_t>();
    }
    value.RejectUnknown();
  }

  History history_;
  int64_t index_ = 0;
  std::optional<uint64_t> promised_;
  std::optional<EventLines> lines_;  // set after the start line
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
    if (lines.size() >= kFlushBytes) Flush(lines, out);
  }
  Flush(lines, out);
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
