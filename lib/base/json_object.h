// The only strict reader of JSON objects: each field is read by name, with its type and range.
//
//   JsonDocument document(json);
//   JsonObject run(document);
//   const int clients = run.Take("clients").Whole<int>(1, 9);
//   run.RejectUnknown();
//   if (!document.ok()) return BadInput(document.error());
//
// The document keeps its first error, with the path of the field: "field 'faults[2].for_ns' is
// missing". A missing or wrong value reads as the empty value of its type. Code that reads many
// fields can therefore check for an error once, at the end.
//
// Not thread-safe. The JSON must outlive its document. The document must outlive its objects and
// values.
#ifndef DOUBLEHOLD_LIB_BASE_JSON_OBJECT_H_
#define DOUBLEHOLD_LIB_BASE_JSON_OBJECT_H_

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace doublehold {

class JsonDocument {
 public:
  // Sets an error if the text was not valid JSON (json::parse without exceptions) or is not an
  // object.
  explicit JsonDocument(const nlohmann::json& json);

  [[nodiscard]] bool ok() const { return error_.empty(); }
  [[nodiscard]] const std::string& error() const { return error_; }  // on one line
  // Keeps `error` if the document has no error yet.
  void Fail(std::string error);

 private:
  friend class JsonObject;
  const nlohmann::json& json_;
  std::string error_;
};

// A value of a document. The readers below report an error if the type is wrong.
class JsonValue {
 public:
  // `json` is null for a missing value.
  JsonValue(JsonDocument& document, const nlohmann::json* json, std::string path)
      : document_(&document), json_(json), path_(std::move(path)) {}

  [[nodiscard]] const nlohmann::json* raw() const { return json_; }
  [[nodiscard]] bool IsNull() const { return json_ != nullptr && json_->is_null(); }
  [[nodiscard]] bool IsText() const { return json_ != nullptr && json_->is_string(); }
  [[nodiscard]] bool Flag() const;
  [[nodiscard]] double Number() const;
  template <std::integral T>
  [[nodiscard]] T Whole(T least = std::numeric_limits<T>::min(),
                        T most = std::numeric_limits<T>::max()) const;
  [[nodiscard]] std::string Text() const;
  [[nodiscard]] std::string NonEmptyText(size_t most_bytes) const;
  // Reads a text that must be one of the known words.
  [[nodiscard]] std::string Word(const std::vector<std::string>& known) const;
  // Reads a known word, and returns the value that it stands for.
  template <typename T>
  [[nodiscard]] T Meaning(const std::map<std::string, T, std::less<>>& known) const;
  [[nodiscard]] std::vector<JsonValue> List() const;
  [[nodiscard]] std::vector<std::string> Texts() const;  // a list of texts
  // Reads an object whose members may have any names.
  [[nodiscard]] std::vector<std::pair<std::string, JsonValue>> Members() const;

  // Reports "field 'PATH' REASON". Does nothing for a missing value, which is already reported.
  void Fail(std::string_view reason) const;
  // Reports an unknown word, and suggests the nearest known one.
  void FailUnknown(const std::vector<std::string>& known) const;
  // Returns the value as messages show it. For an object or a list, returns only the type.
  [[nodiscard]] std::string Shown() const;

 private:
  friend class JsonObject;
  [[nodiscard]] bool Is(bool (nlohmann::json::*is)() const noexcept, std::string_view kind) const;
  [[nodiscard]] JsonValue Child(const nlohmann::json* json, std::string_view name) const;

  JsonDocument* document_;
  const nlohmann::json* json_;
  std::string path_;
};

// An object whose fields are read one by one. A field that was not read is an error.
class JsonObject {
 public:
  explicit JsonObject(JsonDocument& document);  // the document's root
  explicit JsonObject(const JsonValue& value);

  // Reads a required field.
  [[nodiscard]] JsonValue Take(std::string_view name);
  // Reads an optional field. Returns nothing when the field is missing.
  [[nodiscard]] std::optional<JsonValue> Find(std::string_view name);
  // Call last, after all fields were read. Reports an unknown field even if the first error was a
  // missing field of this object, because a misspelt field is both missing and unknown.
  void RejectUnknown() const;

 private:
  JsonValue object_;
  std::vector<std::string> asked_;
  bool lacks_field_ = false;  // the document's first error is a missing field of this object
};

template <std::integral T>
T JsonValue::Whole(T least, T most) const {
  if (!Is(&nlohmann::json::is_number_integer, "a whole number")) return {};
  const auto is_within = [&](auto number) {
    return std::cmp_less_equal(least, number) && std::cmp_less_equal(number, most);
  };
  const bool fits = json_->is_number_unsigned() ? is_within(json_->get<uint64_t>())
                                                : is_within(json_->get<int64_t>());
  if (fits) return json_->get<T>();
  Fail(fmt::format("is {}, outside {} to {}", Shown(), least, most));
  return {};
}

template <typename T>
T JsonValue::Meaning(const std::map<std::string, T, std::less<>>& known) const {
  const auto found = known.find(Text());
  if (found != known.end()) return found->second;
  std::vector<std::string> words;
  for (const auto& [word, unused] : known) words.push_back(word);
  FailUnknown(words);
  return {};
}

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_JSON_OBJECT_H_
