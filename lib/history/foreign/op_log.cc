#include "lib/history/foreign/op_log.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
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
  OpLogReader(FormReader& reader, LogFormat format, Skips& skips, const TakeEvent& take,
              const LogWords& words)
      : reader_(reader),
        // Doublehold writes JSON lines, and exports EDN.
        may_be_ours_(format == LogFormat::kJsonLines || format == LogFormat::kEdn),
        is_csv_(format == LogFormat::kCsv),
        skips_(skips),
        take_(take),
        words_(words) {}

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
    const LogEntry entry(form, words_);
    if (may_be_ours_ && entry.f.Text() == "start" && entry.process.Text() == "supervisor") {
      facts_.ours = true;
      forms_ = 0;
      promised_ = entry.value.Find("events").Integer();
      facts_.renewed = MayExtendUnseen(entry.value.Find("library"));
      return {};
    }
    if (entry.twice) {
      return Skip(SkipReason::kNoEvent,
                  fmt::format("two of its fields stand for '{}'", *entry.twice));
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
    std::optional<int64_t> time_ns;
    if (!entry.time.IsNil()) {
      const std::optional<Completions::Time> time = Completions::ReadTime(entry.time);
      if (!time) return Skip(SkipReason::kNoTime, fmt::format(Completions::kNoTime, "time"));
      if (unit_.value_or(time->unit) != time->unit) {
        return Skip(SkipReason::kNoTime,
                    "its 'time' is not of the first time's kind: ns, seconds with a fraction, or a "
                    "date");
      }
      unit_ = time->unit;
      time_ns = time->number;
    }
    return Take({.line = reader_.line(),
                 .process = static_cast<int32_t>(facts_.ours ? *process + thread * kThreadsApart
                                                             : *process),
                 .type = *type,
                 .function = words_.Of(*function),
                 .value = entry.value,
                 .key = KeyOf(entry)},
                time_ns, entry.index.Integer());
  }

  // Takes a line that has the start and the end of an operation.
  Result<void> TakeWhole(FormView form, const LogEntry& entry) {
    const bool has_type = entry.ok.IsNil() && !entry.type.IsNil();
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
    const std::optional<EventType> type = TypeOf(words_.Of(entry.type.Text().value_or("")));
    if (type && type != outcome)
      return Skip(SkipReason::kNoEvent, "its ok and its type contradict each other");
    if (*outcome == EventType::kOk && entry.end.IsNil())
      return Skip(SkipReason::kNoEvent, "its result is ok, but it has no end");
    if (facts_.events > 0)
      return Skip(SkipReason::kNoEvent, "it has a start and an end, unlike earlier lines");
    const std::optional<std::string> problem =
        completions_.Add({.line = reader_.line(),
                          .process = static_cast<int32_t>(*process),
                          .outcome = *outcome,
                          .function = std::string(words_.Of(*function)),
                          .value = entry.value,
                          .key = KeyOf(entry)},
                         entry.start, entry.end);
    return problem ? Skip(SkipReason::kNoTime, *problem) : Result<void>();
  }

  // In CSV, a key such as 12e4 or 1.10 is a text. 1.0 is the number 1.
  FormView KeyOf(const LogEntry& entry) {
    const std::string_view written = entry.key.Written();
    if (!is_csv_ || entry.key.kind() != FormKind::kReal) return entry.key;
    const size_t last = written.find_last_not_of('0');
    constexpr size_t kExactDigits = 15;  // of a real
    if (written[last] == '.' && last <= kExactDigits) return entry.key;
    csv_key_.kind = FormKind::kText;
    csv_key_.text = written;
    return FormView(&csv_key_);
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
  const bool is_csv_;
  Skips& skips_;
  const TakeEvent& take_;
  Dictionary words_;
  Completions completions_;
  OpLogFacts facts_;
  FormNode csv_key_;
  std::optional<Completions::Unit> unit_;  // of the events' times
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
  Result<OpLogFacts> facts = OpLogReader(*reader, format, skips, take, words).Read();
  if (source.broken()) return BadInput(fmt::format("{}: cannot be read to its end", source.name()));
  return facts;
}

}  // namespace doublehold
