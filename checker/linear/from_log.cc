#include "checker/linear/from_log.h"

#include <fmt/format.h>

#include <algorithm>
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
      : model_(model), options_(options), skips_(skips), values_(model) {}

  Result<void> Add(const LogEvent& event, const OpLogFacts& facts) {
    const size_t function = FunctionOf(event.function);
    if (function == model_.functions.size()) {
      if (facts.ours) return {};
      const std::vector<std::string> known{model_.functions.begin(), model_.functions.end()};
      return skips_.Add(event.line, SkipReason::kUnknownFunction, SkipWeight::kAnything,
                        UnknownWord(fmt::format("of the model {}, function", model_.name),
                                    event.function, known));
    }
    Open& open = open_[event.process];
    if (event.at < latest_) return PassOverLate(open, event, function);
    latest_ = event.at;
    latest_line_ = event.line;
    return event.type == EventType::kInvoke ? Begin(open, event, function)
                                            : End(open, event, function, facts);
  }

  std::vector<LoggedObject> Take() && {
    // Whoever never answered may have done it.
    for (auto& [process, open] : open_) {
      if (open.is_open) Complete(open, EventType::kInfo, {});
    }
    std::ranges::sort(objects_, {}, &LoggedObject::key);
    return std::move(objects_);
  }

 private:
  struct Open {
    bool is_open = false;
    bool keyed_by_value = false;
    size_t object = 0;
    Operation operation;
  };

  [[nodiscard]] size_t FunctionOf(std::string_view name) const {
    return static_cast<size_t>(std::ranges::find(model_.functions, name) -
                               model_.functions.begin());
  }

  Result<void> PassOverLate(Open& open, const LogEvent& event, size_t function) {
    const bool completes =
        event.type != EventType::kInvoke && open.is_open && open.operation.function == function;
    SkipWeight weight = WeightWithout(event);
    if (completes)
      weight = event.type == EventType::kInfo ? SkipWeight::kNothing : SkipWeight::kConstraint;
    Result<void> ok =
        skips_.Add(event.line, SkipReason::kTimeGoesBack, weight,
                   fmt::format("its time {} is before that of line {}", event.at, latest_line_));
    if (ok && completes) Complete(open, EventType::kInfo, {});
    return ok;
  }

  // What the history may lack without this event, and without the operation that it is of.
  static SkipWeight WeightWithout(const LogEvent& event) {
    if (event.type == EventType::kFail && !IsRelease(event.function)) return SkipWeight::kNothing;
    return IsRead(event.function) ? SkipWeight::kConstraint : SkipWeight::kAnything;
  }

  Result<void> Begin(Open& open, const LogEvent& event, size_t function) {
    if (open.is_open) {
      Result<void> ok = skips_.Add(event.line, SkipReason::kSecondOpen, SkipWeight::kAnything,
                                   fmt::format("process {} has an open operation, of line {}",
                                               event.process, open.operation.line));
      if (!ok) return ok;
      Complete(open, EventType::kInfo, {});
    }
    FormView argument = event.value;
    open.keyed_by_value = options_.by_key && event.key.IsNil() && PartOf(argument, 0).has_value();
    open.object = ObjectOf(event.key, argument);
    open.is_open = true;
    open.operation = {.function = static_cast<uint8_t>(function),
                      .process = event.process,
                      .invoked = event.at,
                      .returned = event.at,
                      .argument = values_.OfArgument(argument),
                      .result = {},
                      .line = event.line};
    return {};
  }

  Result<void> End(Open& open, const LogEvent& event, size_t function, const OpLogFacts& facts) {
    if (!open.is_open) {
      // Ours has completions alone, of what was left undone.
      if (facts.ours) return {};
      return skips_.Add(event.line, SkipReason::kNoOpen, WeightWithout(event),
                        fmt::format("process {} has no open operation", event.process));
    }
    if (open.operation.function != function) {
      return skips_.Add(
          event.line, SkipReason::kOtherFunction, SkipWeight::kAnything,
          fmt::format("process {} began a '{}' in line {}", event.process,
                      model_.functions[open.operation.function], open.operation.line));
    }
    open.operation.returned = event.at;
    Complete(open, event.type, event.value);
    return {};
  }

  void Complete(Open& open, EventType type, FormView result) {
    open.is_open = false;
    Operation& operation = open.operation;
    LoggedObject& object = objects_[open.object];
    const std::string_view function = model_.functions[operation.function];
    operation.indeterminate = type == EventType::kInfo;
    if (operation.indeterminate && IsRead(function)) return;
    if (type == EventType::kOk) {
      if (open.keyed_by_value) result = PartOf(result, 1).value_or(result);
      operation.result = values_.OfResult(result);
    }
    if (type != EventType::kFail) {
      object.operations.push_back(std::move(operation));
    } else if (IsRelease(function)) {
      object.failed_releases.push_back(std::move(operation));
    }
  }

  // Of a sequence of two, one.
  static std::optional<FormView> PartOf(FormView pair, int which) {
    if (!pair.IsSequence()) return std::nullopt;
    std::vector<FormView> parts;
    for (const FormView part : pair) {
      parts.push_back(part);
      if (parts.size() > 2) return std::nullopt;
    }
    if (parts.size() != 2) return std::nullopt;
    return parts[static_cast<size_t>(which)];
  }

  // By its key, which it takes off the argument where it stands there.
  size_t ObjectOf(FormView key, FormView& argument) {
    if (!options_.by_key) return ObjectOf(std::string());
    if (!key.IsNil()) return ObjectOf(Shown(key));
    const std::optional<FormView> first = PartOf(argument, 0);
    if (!first) return ObjectOf(std::string());
    argument = *PartOf(argument, 1);
    return ObjectOf(Shown(*first));
  }
  size_t ObjectOf(const std::string& key) {
    const auto [at, is_new] = numbers_.try_emplace(key, objects_.size());
    if (is_new) objects_.push_back({.key = key, .operations = {}, .failed_releases = {}});
    return at->second;
  }
  static std::string Shown(FormView key) {
    const std::optional<std::string_view> text = key.Text();
    return text ? std::string(*text) : key.Canonical();
  }

  const Model& model_;
  const ReadingOptions& options_;
  Skips& skips_;
  ValueNumbers values_;
  std::unordered_map<int32_t, Open> open_;  // by process; its place is kept when it is not
  std::vector<LoggedObject> objects_;
  std::unordered_map<std::string, size_t> numbers_;
  int64_t latest_ = INT64_MIN;
  int64_t latest_line_ = 0;
};

}  // namespace

Result<LoggedHistory> ReadObjects(TextSource& source, LogFormat format, const Model& model,
                                  const ReadingOptions& options) {
  LoggedHistory history{.objects = {}, .skips = {source.name(), options.lenient}, .facts = {}};
  ObjectBuilder builder(model, options, history.skips);
  const Result<OpLogFacts> facts = ReadOpLog(
      source, format, history.skips,
      [&](const LogEvent& event, const OpLogFacts& so_far) { return builder.Add(event, so_far); });
  if (!facts) return tl::unexpected(facts.error());
  history.facts = *facts;
  history.objects = std::move(builder).Take();
  return history;
}

std::vector<Operation> InReading(const LoggedObject& object, const Model& model,
                                 FailedRelease reading) {
  std::vector<Operation> operations = object.operations;
  const auto refused = std::ranges::find(model.functions, "not-owner");
  for (Operation operation : object.failed_releases) {
    if (reading == FailedRelease::kNothing) {
      if (refused == model.functions.end()) continue;
      operation.function = static_cast<uint8_t>(refused - model.functions.begin());
    }
    operation.indeterminate = reading == FailedRelease::kEither;
    operations.push_back(std::move(operation));
  }
  return operations;
}

}  // namespace doublehold
