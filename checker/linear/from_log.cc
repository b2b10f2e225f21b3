#include "checker/linear/from_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <utility>

#include "checker/linear/values.h"
#include "lib/base/words.h"

namespace doublehold {
namespace {

bool IsRead(std::string_view function) { return function == "read" || function == "get"; }
bool IsRelease(std::string_view function) { return function.ends_with("release"); }

class ObjectBuilder {
 public:
  ObjectBuilder(const Model& model, const ReadingOptions& options, Skips& skips)
      : model_(model), options_(options), skips_(skips) {}

  Result<void> Add(const LogEvent& event, const OpLogFacts& facts) {
    const size_t function = FindFunction(event.function);
    if (function == model_.functions.size()) {
      if (facts.ours) return {};
      const std::vector<std::string> known{model_.functions.begin(), model_.functions.end()};
      return skips_.Add(
          event.line, SkipReason::kUnknownFunction, SkipWeight::kAnything,
          UnknownWord(fmt::format("model {}: function", model_.name), event.function, known));
    }
    const Key key = FindKey(event);
    if (options_.partition != Partition::kNone) {
      const Result<bool> has_place = CheckKeyPlace(event, key);
      if (!has_place) return tl::unexpected(has_place.error());
      if (!*has_place) return {};
    }
    Open& open = open_[FindSlot(event, key, facts)];
    if (model_.needs_times) {
      if (event.time_ns < latest_ns_) return SkipTimeGoingBack(open, event, function);
      latest_ns_ = event.time_ns;
      latest_line_ = event.line;
    }
    return event.type == EventType::kInvoke ? Begin(open, event, function, key)
                                            : End(open, event, function, key, facts);
  }

  void Finish(LoggedHistory& history) && {
    // An operation without a completion may have taken effect.
    for (auto& [slot, open] : open_) {
      if (open.is_open) Complete(open, EventType::kInfo, {}, open.invoked_ns);
    }
    std::ranges::sort(objects_, {}, &LoggedObject::key);
    history.objects = std::move(objects_);
    history.shared = shared_;
    history.outlasts = outlasts_;
  }

 private:
  enum class KeyPlace : uint8_t { kNone, kEvent, kValue };
  struct Key {
    KeyPlace place = KeyPlace::kNone;
    FormView form;
  };
  struct Open {
    bool is_open = false;
    size_t object = 0;
    Operation operation;
    int64_t invoked_ns = 0;
  };

  // Returns the key of `open_`. A process has one open operation at a time. In Doublehold's own
  // histories it has one for each lock key, because an attempt on several keys is recorded on each.
  int64_t FindSlot(const LogEvent& event, const Key& key, const OpLogFacts& facts) {
    if (!facts.ours || options_.partition == Partition::kNone) return event.process;
    return (static_cast<int64_t>(FindOrAddObject(key.form) + 1) << 32U) | event.process;
  }
  [[nodiscard]] int64_t TimeOrPosition(const LogEvent& event) const {
    return model_.needs_times ? event.time_ns : event.at;
  }
  [[nodiscard]] size_t FindFunction(std::string_view name) const {
    return static_cast<size_t>(std::ranges::find(model_.functions, name) -
                               model_.functions.begin());
  }

  Result<void> SkipTimeGoingBack(Open& open, const LogEvent& event, size_t function) {
    const bool completes =
        event.type != EventType::kInvoke && open.is_open && open.operation.function == function;
    SkipWeight weight = WeighSkip(event);
    if (completes)
      weight = event.type == EventType::kInfo ? SkipWeight::kNothing : SkipWeight::kConstraint;
    Result<void> ok = skips_.Add(
        event.line, SkipReason::kTimeGoesBack, weight,
        fmt::format("time {} is before the time of line {}", event.time_ns, latest_line_));
    if (ok && completes) Complete(open, EventType::kInfo, {}, event.time_ns);
    return ok;
  }

  // Returns what the history may lack if this event and its operation are skipped.
  static SkipWeight WeighSkip(const LogEvent& event) {
    if (event.type == EventType::kFail && !IsRelease(event.function)) return SkipWeight::kNothing;
    return IsRead(event.function) ? SkipWeight::kConstraint : SkipWeight::kAnything;
  }

  Result<void> Begin(Open& open, const LogEvent& event, size_t function, const Key& key) {
    if (open.is_open) {
      Result<void> ok =
          skips_.Add(event.line, SkipReason::kSecondOpen, SkipWeight::kAnything,
                     fmt::format("process {} already has an open operation, from line {}",
                                 event.process, open.operation.line));
      if (!ok) return ok;
      Complete(open, EventType::kInfo, {}, event.time_ns);
    }
    Result<LinearValue> argument =
        values_.Of(ValueWithoutKey(event), model_.ValuesOf(function).argument);
    if (!argument) {
      return skips_.Add(event.line, SkipReason::kNoValue, SkipWeight::kAnything,
                        argument.error().message);
    }
    open.object = FindOrAddObject(key.form);
    open.is_open = true;
    open.operation = {.function = static_cast<uint8_t>(function),
                      .process = event.process,
                      .invoked = TimeOrPosition(event),
                      .returned = TimeOrPosition(event),
                      .argument = std::move(*argument),
                      .result = {},
                      .line = event.line};
    open.invoked_ns = event.time_ns;
    return {};
  }

  Result<void> End(Open& open, const LogEvent& event, size_t function, const Key& key,
                   const OpLogFacts& facts) {
    if (!open.is_open) {
      // In Doublehold's own histories, a completion without an invocation reports an operation that
      // never started.
      if (facts.ours) return {};
      return skips_.Add(event.line, SkipReason::kNoOpen, WeighSkip(event),
                        fmt::format("process {} has no open operation", event.process));
    }
    if (open.operation.function != function) {
      return skips_.Add(event.line, SkipReason::kOtherFunction, SkipWeight::kAnything,
                        fmt::format("process {} invoked '{}' in line {} but completes '{}'",
                                    event.process, model_.functions[open.operation.function],
                                    open.operation.line, event.function));
    }
    if (options_.partition != Partition::kNone && !IsObjectKey(open.object, key.form)) {
      return skips_.Add(
          event.line, SkipReason::kOtherKey, SkipWeight::kAnything,
          fmt::format("key {} differs from key {} of process {}'s invocation in line {}",
                      FormatKey(key.form), objects_[open.object].key, event.process,
                      open.operation.line));
    }
    open.operation.returned = TimeOrPosition(event);
    if (event.type == EventType::kOk) return Answer(open, event, facts);
    Complete(open, event.type, {}, event.time_ns);
    return {};
  }

  Result<void> Answer(Open& open, const LogEvent& event, const OpLogFacts& facts) {
    const ValueKind kind = model_.ValuesOf(open.operation.function).result;
    const FormView value = ValueWithoutKey(event);
    const bool read_nothing =
        value.IsNil() && (kind == ValueKind::kElements || kind == ValueKind::kInteger);
    if (read_nothing) {
      Complete(open, EventType::kInfo, {}, event.time_ns);
      return {};
    }
    Result<LinearValue> result = values_.Of(value, kind);
    if (!result) {
      Complete(open, EventType::kInfo, {}, event.time_ns);
      return skips_.Add(event.line, SkipReason::kNoValue, SkipWeight::kConstraint,
                        result.error().message);
    }
    // In Doublehold's own histories every grant has a token field, and 0 means no token.
    if (kind == ValueKind::kToken && facts.ours && *result == LinearValue{0}) result->clear();
    if (event.function == "acquire") NoteGrant(open, event, value);
    Complete(open, EventType::kOk, std::move(*result), event.time_ns);
    return {};
  }

  // Records whether a grant is shared, and whether it is valid for longer than requested.
  // Doublehold's own and exported histories report both. A lease begins at the completion or
  // earlier. If `valid_until_ns` is later than completion + requested lease, the lease is longer.
  void NoteGrant(const Open& open, const LogEvent& event, FormView grant) {
    shared_ = shared_ || grant.Find("shared").WholeNumber().value_or(0) != 0;
    const LinearValue& lease = open.operation.argument;
    const std::optional<int64_t> until = grant.Find("valid_until_ns").WholeNumber();
    if (!model_.needs_times || lease.empty() || !until) return;
    int64_t left = 0;
    outlasts_ =
        outlasts_ || __builtin_sub_overflow(*until, event.time_ns, &left) || left > lease[0];
  }

  void Complete(Open& open, EventType type, LinearValue result, int64_t returned_ns) {
    open.is_open = false;
    Operation& operation = open.operation;
    LoggedObject& object = objects_[open.object];
    const std::string_view function = model_.functions[operation.function];
    operation.indeterminate = type == EventType::kInfo;
    if (operation.indeterminate && IsRead(function)) return;
    operation.result = std::move(result);
    if (type == EventType::kFail) {
      if (!IsRelease(function)) return;
      object.failed_releases.push_back(object.operations.size());
    }
    object.operations.push_back(std::move(operation));
    if (!model_.needs_times) object.times.emplace_back(open.invoked_ns, returned_ns);
  }

  // Returns part 0 or 1 of a pair; nullopt if the value is not a pair.
  static std::optional<FormView> PairPart(FormView pair, int which) {
    if (!pair.IsSequence()) return std::nullopt;
    std::vector<FormView> parts;
    for (const FormView part : pair) {
      parts.push_back(part);
      if (parts.size() > 2) return std::nullopt;
    }
    if (parts.size() != 2) return std::nullopt;
    return parts[static_cast<size_t>(which)];
  }

  [[nodiscard]] Key FindKey(const LogEvent& event) const {
    if (options_.partition == Partition::kNone) return {};
    if (!event.key.IsNil()) return {KeyPlace::kEvent, event.key};
    if (options_.partition == Partition::kEventKey) return {};
    const std::optional<FormView> first = PairPart(event.value, 0);
    if (!first || first->IsNil()) return {};
    return {KeyPlace::kValue, *first};
  }
  // Returns the value of an event. For a value of the form [key value], returns only the second
  // part.
  [[nodiscard]] FormView ValueWithoutKey(const LogEvent& event) const {
    return keyed_in_ == KeyPlace::kValue ? *PairPart(event.value, 1) : event.value;
  }

  // Returns false if the event must be skipped, because its key is not in the same place as other
  // events' keys. The first event with a key decides the place. All events before that event are
  // skipped as well: their object is unknown, and as an object of their own they could hide a
  // violation.
  Result<bool> CheckKeyPlace(const LogEvent& event, const Key& key) {
    if (keyed_in_ == KeyPlace::kNone && key.place == KeyPlace::kNone) {
      unkeyed_.push_back(event.line);
      return true;
    }
    if (keyed_in_ == KeyPlace::kNone) {
      keyed_in_ = key.place;
      first_keyed_ = event.line;
      const Result<void> ok = SkipUnkeyed();
      return ok ? Result<bool>(true) : tl::unexpected(ok.error());
    }
    if (key.place == keyed_in_) return true;
    const Result<void> ok = SkipUnkeyed(event.line, key.place);
    return ok ? Result<bool>(false) : tl::unexpected(ok.error());
  }

  Result<void> SkipUnkeyed(int64_t line, KeyPlace place) {
    return skips_.Add(
        line, SkipReason::kNoKey, SkipWeight::kAnything,
        place == KeyPlace::kEvent
            ? fmt::format("the key is in 'key', but line {} has its key in the value", first_keyed_)
            : fmt::format("the event has no key, but line {} has one", first_keyed_));
  }
  Result<void> SkipUnkeyed() {
    for (const int64_t line : unkeyed_) {
      if (Result<void> ok = SkipUnkeyed(line, KeyPlace::kNone); !ok) return ok;
    }
    unkeyed_ = {};
    open_.clear();
    objects_.clear();
    numbers_.clear();
    return {};
  }

  size_t FindOrAddObject(FormView key) {
    const auto [at, is_new] = numbers_.try_emplace(key.Canonical(), objects_.size());
    if (is_new)
      objects_.push_back({.key = FormatKey(key), .operations = {}, .failed_releases = {}});
    return at->second;
  }
  [[nodiscard]] bool IsObjectKey(size_t object, FormView key) const {
    const auto at = numbers_.find(key.Canonical());
    return at != numbers_.end() && at->second == object;
  }
  static std::string FormatKey(FormView key) {
    if (key.IsNil()) return {};
    const std::optional<std::string_view> text = key.Text();
    if (!text) return key.Canonical();
    int64_t number = 0;
    const char* end = text->data() + text->size();
    const auto [at, status] = std::from_chars(text->data(), end, number);
    const bool spells_number = status == std::errc{} && at == end;
    return spells_number ? fmt::format(R"("{}")", *text) : std::string(*text);
  }

  const Model& model_;
  const ReadingOptions& options_;
  Skips& skips_;
  ValueNumbers values_;
  // By FindSlot. An entry is reused after its operation has completed.
  std::unordered_map<int64_t, Open> open_;
  std::vector<LoggedObject> objects_;
  // Index into objects_, by the canonical form of the key.
  std::unordered_map<std::string, size_t> numbers_;
  KeyPlace keyed_in_ = KeyPlace::kNone;  // place of the key in the first event with a key
  int64_t first_keyed_ = 0;              // line of the first event with a key
  std::vector<int64_t> unkeyed_;         // lines of the events before the first event with a key
  bool shared_ = false;
  bool outlasts_ = false;
  int64_t latest_ns_ = INT64_MIN;
  int64_t latest_line_ = 0;
};

}  // namespace

Result<LoggedHistory> ReadObjects(TextSource& source, LogFormat format, const Model& model,
                                  const ReadingOptions& options) {
  LoggedHistory history{.objects = {}, .skips = {source.name(), options.lenient}, .facts = {}};
  ObjectBuilder builder(model, options, history.skips);
  const Result<OpLogFacts> facts = ReadOpLog(
      source, format, history.skips,
      [&](const LogEvent& event, const OpLogFacts& so_far) { return builder.Add(event, so_far); },
      options.words);
  if (!facts) return tl::unexpected(facts.error());
  history.facts = *facts;
  std::move(builder).Finish(history);
  return history;
}

void OrderByTimes(LoggedHistory& history) {
  for (LoggedObject& object : history.objects) {
    for (size_t i = 0; i < object.times.size(); ++i) {
      Operation& operation = object.operations[i];
      operation.invoked = object.times[i].first;
      operation.returned = std::max(object.times[i].first, object.times[i].second);
    }
  }
}

std::vector<Operation> ApplyReading(const LoggedObject& object, const Model& model,
                                    FailedRelease reading) {
  const auto refused = std::ranges::find(model.functions, "not-owner");
  std::vector<Operation> operations;
  auto failed = object.failed_releases.begin();
  for (size_t i = 0; i < object.operations.size(); ++i) {
    Operation operation = object.operations[i];
    if (failed != object.failed_releases.end() && *failed == i) {
      ++failed;
      if (reading != FailedRelease::kNothing) {
        operation.indeterminate = reading == FailedRelease::kEither;
      } else if (refused != model.functions.end()) {
        operation.function = static_cast<uint8_t>(refused - model.functions.begin());
      } else {
        continue;
      }
    }
    operations.push_back(std::move(operation));
  }
  return operations;
}

}  // namespace doublehold
