#include "lib/history/foreign/op_log.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

namespace doublehold {
namespace {

// Of our clients a session is a process of its own; the first has the number of its client.
constexpr int32_t kMostThreads = 256;
constexpr int32_t kThreadsApart = 1 << 23;

std::optional<EventType> TypeOf(FormView type) {
  const std::string_view name = type.Text().value_or("");
  if (name == "invoke") return EventType::kInvoke;
  if (name == "ok") return EventType::kOk;
  if (name == "fail") return EventType::kFail;
  if (name == "info") return EventType::kInfo;
  return std::nullopt;
}

// What an event's map can say, found in one pass.
struct Entry {
  FormView process, type, f, value, key, time, index, thread, task;

  explicit Entry(FormView map) {
    for (auto at = map.begin(); at != map.end(); ++at) {
      const std::optional<std::string_view> name = (*at).Text();
      const FormView part = *++at;
      FormView* const place = name ? PlaceOf(*name) : nullptr;
      if (place != nullptr) *place = part;
    }
  }

 private:
  // Of literals the compiler makes comparisons of a word each, of a table it does not.
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
    return nullptr;
  }
};

// Whether a library can keep what it holds for longer than the lease that was asked for. Of our own
// locks each extension is told.
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
  OpLogReader(FormReader& reader, bool may_be_ours, Skips& skips, const TakeEvent& take)
      : reader_(reader), may_be_ours_(may_be_ours), skips_(skips), take_(take) {}

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
    if (promised_ && *promised_ != forms_) {
      const Result<void> ok =
          Skip(SkipReason::kGarbled,
               fmt::format("the file is cut off: {} events of {}", forms_, *promised_));
      if (!ok) return tl::unexpected(ok.error());
    }
    if (facts_.events == 0)
      return BadInput(fmt::format("{}: no operation of any client", skips_.name()));
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
    const Entry entry(form);
    if (may_be_ours_ && entry.f.Text() == "start" && entry.process.Text() == "supervisor") {
      facts_.ours = true;
      forms_ = 0;
      promised_ = entry.value.Find("events").Integer();
      facts_.renewed = MayExtendUnseen(entry.value.Find("library"));
      return {};
    }
    for (const auto& [name, part] :
         {std::pair{"process", entry.process}, {"type", entry.type}, {"f", entry.f}}) {
      if (!part.exists()) return Skip(SkipReason::kNoEvent, fmt::format("no '{}'", name));
    }
    const std::optional<int64_t> process = entry.process.WholeNumber();
    const std::optional<EventType> type = TypeOf(entry.type);
    if (!process) {
      // A nemesis, our supervisor: they tell, and are not answered. A client by another name must
      // not be taken for one.
      if (facts_.ours || !type || type == EventType::kInfo || entry.process.Text() == "nemesis")
        return {};
      return Skip(SkipReason::kNoEvent, "its process is no number");
    }
    if (!type) return Skip(SkipReason::kNoEvent, "its type is none of invoke, ok, fail, info");
    const std::optional<std::string_view> function = entry.f.Text();
    if (!function) return Skip(SkipReason::kNoEvent, "its 'f' is not a word");
    if (facts_.ours) {
      facts_.renewed = facts_.renewed || *function == "extend";
      if (entry.task.exists()) return {};  // a watchdog's, a meter's
    }
    const int64_t thread = facts_.ours ? entry.thread.Integer().value_or(0) : 0;
    if (*process < 0 || *process > kThreadsApart - 1 || thread < 0 || thread >= kMostThreads)
      return Skip(SkipReason::kNoEvent, "no such process can be");
    return Take({.line = reader_.line(),
                 .process = static_cast<int32_t>(facts_.ours ? *process + thread * kThreadsApart
                                                             : *process),
                 .type = *type,
                 .function = *function,
                 .value = entry.value,
                 .key = entry.key},
                entry.time.Integer(), entry.index.Integer());
  }

  // The first says whether they have times: those with and those without one cannot be held against
  // each other.
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
    // The index of one of ours is that of a file that was merged.
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
  OpLogFacts facts_;
  std::optional<int64_t> promised_;
  int64_t forms_ = 0;  // since the start line, right or wrong
  int64_t first_line_ = 0;
  int64_t place_ = -1;
  int64_t time_ns_ = 0;  // of the last event, as its index
  std::optional<int64_t> index_;
};

}  // namespace

Result<OpLogFacts> ReadOpLog(TextSource& source, LogFormat format, Skips& skips,
                             const TakeEvent& take) {
  const std::unique_ptr<FormReader> reader = MakeFormReader(format, source);
  Result<OpLogFacts> facts =
      OpLogReader(*reader, format == LogFormat::kJsonLines, skips, take).Read();
  if (source.broken()) return BadInput(fmt::format("{}: cannot be read to its end", source.name()));
  return facts;
}

}  // namespace doublehold
