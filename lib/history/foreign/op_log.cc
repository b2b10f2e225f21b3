#include "lib/history/foreign/op_log.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "lib/base/words.h"
#include "lib/history/foreign/completions.h"

namespace doublehold {
namespace {

// In Doublehold's histories each session of a client becomes a process. The first one has the
// client's number.
constexpr int32_t kMostThreads = 256;
constexpr int32_t kThreadsApart = 1 << 23;
constexpr const char* kOutOfRange = "its process is out of range";

// Replaces the words of a log, and notes which ones occurred.
class Dictionary {
 public:
  explicit Dictionary(const LogWords& words) : words_(words) {}

  std::string_view Of(std::string_view word) {
    for (const auto& [other, meaning] : words_) {
      if (other != word) continue;
      occurred_.insert(other);
      return meaning;
    }
    return word;
  }

  // Returns the first word that did not occur.
  [[nodiscard]] std::optional<std::string_view> Unseen() const {
    for (const auto& [word, meaning] : words_) {
      if (!occurred_.contains(word)) return word;
    }
    return std::nullopt;
  }

 private:
  const LogWords& words_;
  std::set<std::string_view> occurred_;
};

const std::vector<std::string> kTypes{"invoke", "ok", "fail", "info"};
const std::vector<std::string> kOutcomes{"true", "false", "ok", "fail", "info"};

std::string UnknownType(std::string_view field, FormView form,
                        const std::vector<std::string>& known) {
  const std::optional<std::string_view> word = form.Text();
  return word ? UnknownWord(fmt::format("its {}", field), *word, known)
              : fmt::format("its {} is not one of {}", field, fmt::join(known, ", "));
}

std::optional<EventType> TypeOf(std::string_view name) {
  if (name == "invoke") return EventType::kInvoke;
  if (name == "ok") return EventType::kOk;
  if (name == "fail") return EventType::kFail;
  if (name == "info") return EventType::kInfo;
  return std::nullopt;
}

// The fields of an event's map, found in one pass.
struct Entry {
  FormView process, type, f, value, key, time, index, thread, task, start, end, ok;

  Entry(FormView map, Dictionary& words) {
    for (auto at = map.begin(); at != map.end(); ++at) {
      const std::optional<std::string_view> name = (*at).Text();
      const FormView part = *++at;
      FormView* const place = name ? PlaceOf(words.Of(*name)) : nullptr;
      if (place != nullptr) *place = part;
    }
    // A flat log has the parts of the value as fields of their own.
    if (!value.exists() && !(map.Find("token").IsNil() && map.Find("lease_ns").IsNil()))
      value = map;
  }

 private:
  // Comparisons with literals compile to comparisons of words; a table would be slower.
  FormView* PlaceOf(std::string_view name) {
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
};

// Fields that have their meaning already.
constexpr std::string_view kFieldNames[] = {"process", "type",  "f",     "value", "key",
                                            "time",    "index", "start", "end",   "ok"};

// Says that the event has no field `name`, and which option reads another field as this one.
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

// Whether a library may extend its leases without recording an event. Doublehold's own locks record
// each extension.
bool MayExtendUnseen(FormView library) {
  bool has_lease = false;
  bool has_watchdog = false;
  for (const FormView word : library.Find("can")) {
    has_lease = has_lease || word.Text() == "lease";
    has_watchdog = has_watchdog || word.Text() == "watchdog";
  }
  return library.exists() && (has_watchdog || !has_lease);
}

class OpLogReader {
 public:
  OpLogReader(FormReader& reader, bool may_be_ours, Skips& skips, const TakeEvent& take,
              const LogWords& words)
      : reader_(reader), may_be_ours_(may_be_ours), skips_(skips), take_(take), words_(words) {}

  Result<OpLogFacts> Read() {
    for (;;) {
      const FormReader::Found found = reader_.Next();
      if (found == FormReader::Found::kEnd) break;
      ++forms_;
      Result<void> ok = found == FormReader::Found::kForm
                            ? Take(reader_.form())
                            : Skip(ReasonOf(found), reader_.problem());
      if (!ok) return tl::unexpected(ok.error());
    }
    TRY(completions_.ForEachEvent(
        [&](const Completions::Operation& operation, EventType type, int64_t time_ns) {
          return Take({.line = operation.line,
                       .process = operation.process,
                       .type = type,
                       .function = operation.function,
                       .value = operation.value,
                       .key = operation.key},
                      time_ns, std::nullopt);
        }));
    if (promised_ && *promised_ != forms_) {
      const Result<void> ok =
          Skip(SkipReason::kGarbled,
               fmt::format("the file is cut off: {} events of {}", forms_, *promised_));
      if (!ok) return tl::unexpected(ok.error());
    }
    if (const std::optional<std::string_view> word = words_.Unseen())
      return BadInput(
          fmt::format("{}: --map names '{}', but the log does not have it", skips_.name(), *word));
    if (facts_.events == 0)
      return BadInput(fmt::format("{}: has no operation of a client", skips_.name()));
    return facts_;
  }

 private:
  static SkipReason ReasonOf(FormReader::Found found) {
    if (found == FormReader::Found::kTooLong) return SkipReason::kTooLong;
    return found == FormReader::Found::kNotUtf8 ? SkipReason::kNotUtf8 : SkipReason::kGarbled;
  }

  Result<void> Skip(SkipReason reason, std::string_view problem) {
    return skips_.Add(reader_.line(), reason, SkipWeight::kAnything, problem);
  }

  Result<void> Take(FormView form) {
    if (!form.IsMap()) return Skip(SkipReason::kNoEvent, "not a map");
    const Entry entry(form, words_);
    if (may_be_ours_ && entry.f.Text() == "start" && entry.process.Text() == "supervisor") {
      facts_.ours = true;
      forms_ = 0;
      promised_ = entry.value.Find("events").Integer();
      facts_.renewed = MayExtendUnseen(entry.value.Find("library"));
      return {};
    }
    const bool is_whole =
        !facts_.ours && entry.start.exists() && (entry.end.exists() || entry.ok.exists());
    if (is_whole) return TakeWhole(form, entry);
    for (const auto& [name, part] :
         {std::pair{"process", entry.process}, {"type", entry.type}, {"f", entry.f}}) {
      if (!part.exists()) return Skip(SkipReason::kNoEvent, MissingField(form, name));
    }
    const std::optional<int64_t> process = entry.process.WholeNumber();
    const std::optional<EventType> type = TypeOf(words_.Of(entry.type.Text().value_or("")));
    if (!process) {
      // Leaves out an event without a process number if its process is no client: a nemesis,
      // Doublehold's supervisor, or a process that records an info event. Any other such event is
      // an error, because its process may be a client.
      if (facts_.ours || !type || type == EventType::kInfo || entry.process.Text() == "nemesis")
        return {};
      return Skip(SkipReason::kNoEvent, "its process is not a number");
    }
    if (!type) return Skip(SkipReason::kNoEvent, UnknownType("type", entry.type, kTypes));
    const std::optional<std::string_view> function = entry.f.Text();
    if (!function) return Skip(SkipReason::kNoEvent, "its 'f' is not a word");
    if (facts_.ours) {
      facts_.renewed = facts_.renewed || *function == "extend";
      if (entry.task.exists()) return {};  // of a watchdog or a stall meter
    }
    const int64_t thread = facts_.ours ? entry.thread.Integer().value_or(0) : 0;
    if (IsOutOfRange(*process) || thread < 0 || thread >= kMostThreads)
      return Skip(SkipReason::kNoEvent, kOutOfRange);
    if (!completions_.empty())
      return Skip(SkipReason::kNoEvent, "it has no start and end, unlike earlier lines");
    return Take({.line = reader_.line(),
                 .process = static_cast<int32_t>(facts_.ours ? *process + thread * kThreadsApart
                                                             : *process),
                 .type = *type,
                 .function = words_.Of(*function),
                 .value = entry.value,
                 .key = entry.key},
                entry.time.Integer(), entry.index.Integer());
  }

  // Takes a line that has the start and the end of an operation.
  Result<void> TakeWhole(FormView form, const Entry& entry) {
    const bool has_type = !entry.ok.exists() && entry.type.exists();
    const FormView outcome_form = has_type ? entry.type : entry.ok;
    for (const auto& [name, part] :
         {std::pair{"process", entry.process}, {"f", entry.f}, {"ok", outcome_form}}) {
      if (!part.exists()) return Skip(SkipReason::kNoEvent, MissingField(form, name));
    }
    if (entry.process.Text() == "nemesis") return {};
    const std::optional<int64_t> process = entry.process.WholeNumber();
    if (!process) return Skip(SkipReason::kNoEvent, "its process is not a number");
    if (IsOutOfRange(*process)) return Skip(SkipReason::kNoEvent, kOutOfRange);
    const std::optional<std::string_view> function = entry.f.Text();
    if (!function) return Skip(SkipReason::kNoEvent, "its 'f' is not a word");
    const std::optional<EventType> outcome = OutcomeOf(outcome_form);
    if (!outcome) {
      return Skip(SkipReason::kNoEvent,
                  UnknownType(has_type ? "type" : "ok", outcome_form, kOutcomes));
    }
    if (facts_.events > 0)
      return Skip(SkipReason::kNoEvent, "it has a start and an end, unlike earlier lines");
    const std::optional<std::string> problem =
        completions_.Add({.line = reader_.line(),
                          .process = static_cast<int32_t>(*process),
                          .outcome = *outcome,
                          .function = std::string(words_.Of(*function)),
                          .value = entry.value,
                          .key = entry.key},
                         entry.start, entry.end);
    return problem ? Skip(SkipReason::kNoTime, *problem) : Result<void>();
  }

  // Nil is a result that is not known.
  std::optional<EventType> OutcomeOf(FormView form) {
    if (form.IsNil()) return EventType::kInfo;
    if (form.kind() == FormKind::kTrue || form.Integer() == 1) return EventType::kOk;
    if (form.kind() == FormKind::kFalse || form.Integer() == 0) return EventType::kFail;
    const std::optional<EventType> type = TypeOf(words_.Of(form.Text().value_or("")));
    return type == EventType::kInvoke ? std::nullopt : type;
  }

  static bool IsOutOfRange(int64_t process) { return process < 0 || process > kThreadsApart - 1; }

  // The first event decides whether the history has times. Events with and without a time cannot be
  // ordered.
  Result<void> Take(LogEvent event, std::optional<int64_t> time, std::optional<int64_t> index) {
    if (index && index_ && *index <= *index_) {
      return Skip(SkipReason::kIndexGoesBack,
                  fmt::format("its index {} comes after {}", *index, *index_));
    }
    if (facts_.events == 0) {
      facts_.timed = time.has_value();
      first_line_ = event.line;
    }
    if (facts_.timed != time.has_value()) {
      return Skip(SkipReason::kNoTime, fmt::format("it has {} time, unlike that of line {}",
                                                   time ? "a" : "no", first_line_));
    }
    // In Doublehold's own histories an index is the line's number in a merged file. Such an index
    // does not order events with equal times.
    const bool is_next = index && index_ && !facts_.ours;
    facts_.indexed = facts_.indexed && index;
    index_ = index;
    if (facts_.events == 0 || !facts_.timed || *time != time_ns_ || is_next) ++place_;
    if (facts_.timed && facts_.events > 0 && *time < time_ns_ && facts_.steps_back++ == 0)
      facts_.first_step_back = event.line;
    time_ns_ = time.value_or(0);
    event.at = place_;
    event.time_ns = time_ns_;
    ++facts_.events;
    return take_(event, facts_);
  }

  FormReader& reader_;
  const bool may_be_ours_;
  Skips& skips_;
  const TakeEvent& take_;
  Dictionary words_;
  Completions completions_;
  OpLogFacts facts_;
  std::optional<int64_t> promised_;
  int64_t forms_ = 0;  // forms after the start line, malformed ones included
  int64_t first_line_ = 0;
  int64_t place_ = -1;
  int64_t time_ns_ = 0;  // time of the last event; the next field is its index
  std::optional<int64_t> index_;
};

}  // namespace

Result<OpLogFacts> ReadOpLog(TextSource& source, LogFormat format, Skips& skips,
                             const TakeEvent& take, const LogWords& words) {
  const std::unique_ptr<FormReader> reader = MakeFormReader(format, source);
  // Doublehold writes JSON lines, and exports EDN.
  const bool may_be_ours = format == LogFormat::kJsonLines || format == LogFormat::kEdn;
  Result<OpLogFacts> facts = OpLogReader(*reader, may_be_ours, skips, take, words).Read();
  if (source.broken()) return BadInput(fmt::format("{}: cannot be read to its end", source.name()));
  return facts;
}

}  // namespace doublehold
