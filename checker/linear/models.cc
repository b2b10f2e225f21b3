#include <fmt/format.h>
#include <fmt/ranges.h>

#include "checker/linear/model_rows.h"

namespace doublehold {
namespace {

std::string FormatNumbers(int64_t value) {
  return value == kNil ? "nil" : fmt::format("{}", value);
}

std::string FormatNumbers(const LinearValue& value) {
  if (value.size() == 1) return FormatNumbers(value.front());
  std::string text;
  for (const int64_t one : value) text += (text.empty() ? "" : " ") + FormatNumbers(one);
  return "[" + text + "]";
}

}  // namespace

std::span<const Model> Models() {
  static const std::vector<Model> models = [] {
    std::vector<Model> all = LockModels();
    for (std::vector<Model> (*more)() : {LeaseModels, DataModels}) {
      for (const Model& model : more()) all.push_back(model);
    }
    return all;
  }();
  return models;
}

const Model* FindModel(std::string_view name) {
  for (const Model& model : Models()) {
    if (model.name == name) return &model;
  }
  return nullptr;
}

std::string Describe(const Model& model, const Operation& operation) {
  std::string text(model.functions[operation.function]);
  const auto shown = [&](const LinearValue& value) {
    const bool is_text = model.packs_text && !value.empty() && value.front() != kNil;
    return is_text ? model.describe({value.begin(), value.end()}) : FormatNumbers(value);
  };
  const auto is_shown = [](const LinearValue& value) {
    return !value.empty() && value != LinearValue{kNil};
  };
  if (is_shown(operation.argument)) text += " " + shown(operation.argument);
  // Jepsen's completions repeat the argument, so a result equal to the argument is not printed.
  const bool has_result = text == "read" || text == "get" ||
                          (is_shown(operation.result) && operation.result != operation.argument);
  if (!operation.indeterminate && has_result) text += " -> " + shown(operation.result);
  return fmt::format("{} by {}{}", text, operation.process,
                     operation.indeterminate ? ", outcome unknown" : "");
}

}  // namespace doublehold
