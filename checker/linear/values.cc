#include "checker/linear/values.h"

#include <optional>
#include <utility>

namespace doublehold {
namespace {

constexpr int64_t kMostWords = int64_t{1} << 40;

}  // namespace

LinearValue ValueNumbers::Of(FormView value, const std::string_view (&parts)[2]) {
  if (value.IsSequence()) return OfSequence(value);
  if (value.IsMap()) {  // ours, and drivers', have named parts
    for (const std::string_view part : parts) {
      const FormView found = value.Find(part);
      if (found.exists()) return {NumberOf(found)};
    }
    return {};
  }
  const std::optional<std::string_view> text = value.Text();
  if (model_.packs_text && text) return PackedText(*text);
  return {NumberOf(value)};
}

LinearValue ValueNumbers::OfSequence(FormView value) {
  LinearValue numbers;
  for (const FormView one : value) numbers.push_back(NumberOf(one));
  return numbers;
}

int64_t ValueNumbers::NumberOf(FormView value) {
  if (value.IsNil()) return kNil;
  // Where texts have their numbers, an integer is a text like any other.
  if (const std::optional<int64_t> integer = value.WholeNumber();
      integer && *integer > kNil + kMostWords)
    return *integer;
  const auto next = kNil + 1 + static_cast<int64_t>(words_.size());
  return words_.try_emplace(value.Canonical(), next).first->second;
}

}  // namespace doublehold
