#include "checker/linear/from_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "lib/base/words.h"

namespace doublehold {
namespace {

using nlohmann::json;

class ObjectBuilder {
 public:
  ObjectBuilder(const OpLog& log, const Model& model, const ReadingOptions& options)
      : log_(log), model_(model), options_(options) {}

  Result<std::vector<LoggedObject>> Build() {
    for (const LogEvent& event : log_.events) {
      if (Result<void> ok = Add(event); !ok) return tl::unexpected(ok.error());
    }
    // Whoever never answered may have done it.
    for (auto& [process, open] : open_) Complete(open, nullptr);
    std::vector<LoggedObject> objects;
    for (auto& [key, object] : objects_) objects.push_back(std::move(object));
    return objects;
  }

 private:
  struct Open {
    const LogEvent* invocation = nullptr;
    uint8_t function = 0;
  };

  Result<void> Add(const LogEvent& event) {
    const auto known = std::ranges::find(model_.functions, event.function);
    if (known == model_.functions.end()) {
      if (log_.ours) return {};
      return Bad(event,
                 UnknownWord(fmt::format("of the model {}, function", model_.name), event.function,
                             {model_.functions.begin(), model_.functions.end()}));
    }
    const auto open = open_.find(event.process);
    if (event.type == EventType::kInvoke) {
      if (open != open_.end()) {
        return Bad(event, fmt::format("process {} has an open operation, of line {}", event.process,
                                      open->second.invocation->line));
      }
      open_[event.process] = {&event, static_cast<uint8_t>(known - model_.functions.begin())};
      return {};
    }
    if (open == open_.end()) {
      // Ours has completions alone, of what was left undone.
      if (log_.ours) return {};
      return Bad(event, fmt::format("process {} has no open operation", event.process));
    }
    if (open->second.invocation->function != event.function) {
      return Bad(event,
                 fmt::format("process {} began a '{}' in line {}", event.process,
                             open->second.invocation->function, open->second.invocation->line));
    }
    Complete(open->second, &event);
    open_.erase(open);
    return {};
  }

  tl::unexpected<Error> Bad(const LogEvent& event, std::string_view problem) const {
    return BadInput(fmt::format("{}:{}: {}", log_.name, event.line, problem));
  }

  // `completion` null: there is none.
  void Complete(const Open& open, const LogEvent* completion) {
    const LogEvent& invocation = *open.invocation;
    json argument = invocation.value;
    json result = completion == nullptr ? json() : completion->value;
    LoggedObject& object = ObjectOf(invocation, argument, result);
    EventType type = completion == nullptr ? EventType::kInfo : completion->type;
    if (type == EventType::kFail) {
      if (!invocation.function.ends_with("release")) return;
      ++object.failed_releases;
      if (options_.failed_release == FailedRelease::kNothing) return;
      type = options_.failed_release == FailedRelease::kEither ? EventType::kInfo : EventType::kOk;
    }
    const bool indeterminate = type == EventType::kInfo;
    if (indeterminate && invocation.function == "read") return;
    Operation operation{.function = open.function,
                        .process = invocation.process,
                        .indeterminate = indeterminate,
                        .invoked = invocation.at,
                        .returned = completion == nullptr ? invocation.at : completion->at,
                        .line = invocation.line};
    ReadValue(argument, operation.argument);
    if (!indeterminate) ReadValue(result, operation.result);
    object.operations.push_back(std::move(operation));
  }

  LoggedObject& ObjectOf(const LogEvent& invocation, json& argument, json& result) {
    std::string key;
    if (options_.by_key) {
      if (!invocation.key.is_null()) {
        key = Text(invocation.key);
      } else if (argument.is_array() && argument.size() == 2) {
        key = Text(argument[0]);
        argument = json(argument[1]);
        if (result.is_array() && result.size() == 2) result = json(result[1]);
      }
    }
    LoggedObject& object = objects_[key];
    object.key = key;
    return object;
  }

  static std::string Text(const json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  }

  void ReadValue(const json& value, LinearValue& numbers) {
    if (value.is_array()) {
      for (const json& one : value) numbers.push_back(NumberOf(one));
      return;
    }
    // Ours, and drivers', have named parts; of a lock's, the token is what a model asks for.
    if (value.is_object()) {
      const auto token = value.find("token");
      if (token != value.end()) numbers.push_back(NumberOf(*token));
      return;
    }
    numbers.push_back(NumberOf(value));
  }

  // Texts are numbered from the far end, where no history counts.
  int64_t NumberOf(const json& value) {
    if (value.is_null()) return kNil;
    if (value.is_number_integer()) return value.get<int64_t>();
    const auto next = kNil + 1 + static_cast<int64_t>(words_.size());
    return words_.try_emplace(value.dump(), next).first->second;
  }

  const OpLog& log_;
  const Model& model_;
  const ReadingOptions& options_;
  std::map<int32_t, Open> open_;  // by process
  std::map<std::string, LoggedObject> objects_;
  std::map<std::string, int64_t> words_;
};

}  // namespace

Result<std::vector<LoggedObject>> ObjectsOf(const OpLog& log, const Model& model,
                                            const ReadingOptions& options) {
  return ObjectBuilder(log, model, options).Build();
}

}  // namespace doublehold
