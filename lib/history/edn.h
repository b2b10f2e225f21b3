// EDN, the notation of Jepsen's and Knossos's histories, read as JSON values.
//
//   {:process 3, :type :ok, :f :cas, :value [1 2], :time 12}    ->  {"process": 3, "type": "ok", "f": "cas", ...}
//
// Keywords, symbols and characters become strings, sets and lists arrays, keys of maps their texts; tags and metadata are
// dropped, as are comments and #_ forms. Integers beyond 64 bits and ratios become strings.
#ifndef DOUBLEHOLD_LIB_HISTORY_EDN_H_
#define DOUBLEHOLD_LIB_HISTORY_EDN_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace doublehold {

// Reads one form after the other; the forms of a vector or list at the top count as the file's own. Not thread-safe; the
// text outlives it.
class EdnReader {
 public:
  // Forms may nest so deep.
  static constexpr int kMostDepth = 100;

  // `name` is what messages call the text.
  EdnReader(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

  // The next form, or nothing at the end. Wrong text: "name:12: ..."; nothing can be read after that.
  Result<std::optional<nlohmann::json>> Next();
  // Of the form that Next answered: where it begins, from 1.
  [[nodiscard]] int64_t line() const { return form_line_; }

 private:
  bool SkipBlank();
  bool Skip(int depth);
  bool Form(nlohmann::json& value, int depth);
  bool Sequence(nlohmann::json& value, char end, int depth);
  bool Map(nlohmann::json& value, int depth);
  bool Text(nlohmann::json& value);
  bool Tagged(nlohmann::json& value, int depth);
  bool Token(nlohmann::json& value);
  bool Fail(std::string_view problem);
  [[nodiscard]] bool AtEnd() const { return at_ >= text_.size(); }
  [[nodiscard]] char Here() const { return text_[at_]; }

  std::string_view text_;
  std::string name_;
  size_t at_ = 0;
  int64_t line_ = 1;
  int64_t form_line_ = 0;
  char closes_top_ = 0;  // of the vector at the top that is being read
  std::string problem_;
};

// An event of history.jsonl as Jepsen writes one: {:index 3, :process 1, :type :ok, :f :acquire, :value {:token 4}}. Texts of
// `process`, `type` and `f`, and the names of parts, are keywords, all others texts.
std::string EdnOfEvent(const nlohmann::json& event);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_EDN_H_
