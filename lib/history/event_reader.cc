#include "lib/history/event_reader.h"

#include <fmt/format.h>

#include "lib/history/facts_json.h"
#include "lib/history/process_names.h"

namespace doublehold {
namespace {

using nlohmann::json;

// Returns the values of an enumeration by name, to look up words and to suggest similar words.
template <typename Enum>
std::map<std::string, Enum, std::less<>> WordsUpTo(Enum last) {
  std::map<std::string, Enum, std::less<>> words;
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    words.emplace(Name(static_cast<Enum>(i)), static_cast<Enum>(i));
  }
  return words;
}

struct EventWords {
  const std::map<std::string, EventType, std::less<>> types = WordsUpTo(EventType::kInfo);
  const std::map<std::string, Op, std::less<>> ops = WordsUpTo(kLastOp);
  const std::map<std::string, TaskKind, std::less<>> tasks = WordsUpTo(TaskKind::kMeter);
};
const EventWords& KnownEventWords() {
  static const EventWords words;
  return words;
}

Op ReadOp(const JsonValue& field) {
  const auto& ops = KnownEventWords().ops;
  const auto current = ops.find(field.Text());
  return current != ops.end() ? current->second : field.Meaning(ops);
}

void ReadValues(const JsonValue& field, Event& event) {
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

}  // namespace

bool EventReader::TakeOurs(std::string_view line) {
  if (index_ == 0) return false;
  const std::optional<Event> event = lines_->Scan(line, index_);
  if (!event || event->at_ns < LastNs() || WhyInvalid(*event, history_.facts)) return false;
  history_.events.push_back(*event);
  ++index_;
  return true;
}

std::optional<std::string> EventReader::Take(const json& line) {
  JsonDocument document(line);
  JsonObject object(document);
  if (index_ == 0) {
    TakeStart(document, object);
  } else if (const Event event = ReadEvent(object); document.ok()) {
    if (std::optional<std::string> reason = WhyInvalid(event, history_.facts)) return reason;
    history_.events.push_back(event);
  }
  if (!document.ok()) return document.error();
  ++index_;
  return std::nullopt;
}

std::optional<std::string> EventReader::WhyIncomplete() const {
  if (index_ == 0) return "the file is empty; a history begins with a start line";
  if (promised_ && *promised_ != history_.events.size()) {
    return fmt::format("the file is cut off: {} events of {}", history_.events.size(), *promised_);
  }
  return std::nullopt;
}

void EventReader::TakeStart(JsonDocument& document, JsonObject& line) {
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

Event EventReader::ReadEvent(JsonObject& line) {
  Event event;
  CheckIndex(line);
  event.at_ns = ReadTime(line.Take("time"));
  event.client = ReadProcess(line.Take("process"));
  if (const auto task = line.Find("task")) event.task = task->Meaning(KnownEventWords().tasks);
  if (const auto thread = line.Find("thread")) event.thread = thread->Whole<uint8_t>();
  event.type = line.Take("type").Meaning(KnownEventWords().types);
  event.op = ReadOp(line.Take("f"));
  const auto key = HasKey(event.op) ? line.Take("key") : line.Find("key");
  if (key) event.key = key->Meaning(key_numbers_);
  ReadValues(line.Take("value"), event);
  line.RejectUnknown();
  return event;
}

void EventReader::CheckIndex(JsonObject& line) const {
  const JsonValue field = line.Take("index");
  if (const auto index = field.Whole<int64_t>(); index != index_)
    field.Fail(fmt::format("is {}, not {}", index, index_));
}

int64_t EventReader::ReadTime(const JsonValue& field) const {
  const auto time = field.Whole<int64_t>(0);
  if (time < LastNs()) field.Fail(fmt::format("is {}, before {}", time, LastNs()));
  return time;
}

int32_t EventReader::ReadProcess(const JsonValue& field) const {
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

}  // namespace doublehold
