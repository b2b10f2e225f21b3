#include "lib/base/json_object.h"

#include <algorithm>

#include "lib/base/words.h"

namespace doublehold {

using nlohmann::json;

JsonDocument::JsonDocument(const json& json) : json_(json) {
  if (json.is_discarded()) {
    Fail("not valid JSON");
  } else if (!json.is_object()) {
    Fail("not a JSON object");
  }
}

void JsonDocument::Fail(std::string error) {
  if (error_.empty()) error_ = std::move(error);
}

bool JsonValue::Flag() const {
  return Is(&json::is_boolean, "true or false") && json_->get<bool>();
}

double JsonValue::Number() const {
  return Is(&json::is_number, "a number") ? json_->get<double>() : 0;
}

std::string JsonValue::Text() const {
  return Is(&json::is_string, "a string") ? json_->get<std::string>() : "";
}

std::string JsonValue::NonEmptyText(size_t most_bytes) const {
  std::string text = Text();
  if (text.empty()) Fail("is empty");
  if (text.size() > most_bytes) Fail(fmt::format("is longer than {} bytes", most_bytes));
  return text;
}

std::string JsonValue::Word(const std::vector<std::string>& known) const {
  std::string word = Text();
  if (std::ranges::find(known, word) == known.end()) FailUnknown(known);
  return word;
}

std::vector<JsonValue> JsonValue::List() const {
  std::vector<JsonValue> list;
  if (!Is(&json::is_array, "a list")) return list;
  for (const json& element : *json_)
    list.emplace_back(*document_, &element, fmt::format("{}[{}]", path_, list.size()));
  return list;
}

std::vector<std::string> JsonValue::Texts() const {
  std::vector<std::string> texts;
  for (const JsonValue& element : List()) texts.push_back(element.Text());
  return texts;
}

std::vector<std::pair<std::string, JsonValue>> JsonValue::Members() const {
  std::vector<std::pair<std::string, JsonValue>> members;
  if (!Is(&json::is_object, "an object")) return members;
  for (const auto& [name, value] : json_->items()) members.emplace_back(name, Child(&value, name));
  return members;
}

void JsonValue::Fail(std::string_view reason) const {
  if (json_ == nullptr || !document_->ok()) return;
  document_->Fail(fmt::format("field '{}' {}", Shortened(path_), reason));
}

void JsonValue::FailUnknown(const std::vector<std::string>& known) const {
  if (!document_->ok() || !Is(&json::is_string, "a string")) return;
  const auto& word = json_->get_ref<const std::string&>();
  Fail(fmt::format("is '{}', which is unknown{}", Shortened(word), Suggestion(word, known)));
}

std::string JsonValue::Shown() const {
  if (json_ == nullptr) return "missing";
  if (json_->is_structured()) return json_->is_array() ? "a list" : "an object";
  return Shortened(json_->dump());
}

bool JsonValue::Is(bool (json::*is)() const noexcept, std::string_view kind) const {
  if (json_ == nullptr) return false;
  if ((json_->*is)()) return true;
  Fail(fmt::format("is not {}", kind));
  return false;
}

JsonValue JsonValue::Child(const json* json, std::string_view name) const {
  return {*document_, json, path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name)};
}

JsonObject::JsonObject(JsonDocument& document)
    : object_(document, document.ok() ? &document.json_ : nullptr, "") {}

JsonObject::JsonObject(const JsonValue& value) : object_(value) {
  if (!object_.Is(&json::is_object, "an object")) object_.json_ = nullptr;
}

JsonValue JsonObject::Take(std::string_view name) {
  if (std::optional<JsonValue> found = Find(name)) return *std::move(found);
  JsonValue missing = object_.Child(nullptr, name);
  if (object_.json_ != nullptr && object_.document_->ok()) {
    object_.document_->Fail(fmt::format("field '{}' is missing", Shortened(missing.path_)));
    lacks_field_ = true;
  }
  return missing;
}

std::optional<JsonValue> JsonObject::Find(std::string_view name) {
  asked_.emplace_back(name);
  if (object_.json_ == nullptr) return std::nullopt;
  const auto found = object_.json_->find(name);
  if (found == object_.json_->end()) return std::nullopt;
  return object_.Child(&*found, name);
}

void JsonObject::RejectUnknown() const {
  if (object_.json_ == nullptr || !(object_.document_->ok() || lacks_field_)) return;
  for (const auto& [name, value] : object_.json_->items()) {
    if (std::ranges::find(asked_, name) != asked_.end()) continue;
    object_.document_->error_.clear();
    return object_.Child(&value, name).Fail("is unknown" + Suggestion(name, asked_));
  }
}

}  // namespace doublehold
