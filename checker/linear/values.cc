#include "checker/linear/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace doublehold {
namespace {

constexpr int64_t kMostWords = int64_t{1} << 40;
constexpr int64_t kMostCounted = int64_t{1} << 40;  // so that sums cannot overflow

bool HasParts(FormView value) { return value.IsSequence() || value.IsMap(); }

// A list or a map is no value: its parts would have to be compared. If its first part is a key, the
// log should be partitioned by it.
Result<LinearValue> HasTooManyParts() {
  return BadInput(
      "its value is a list or a map, not a number, a text, true, false or nil; for values [key "
      "value] use --partition-by key");
}

Result<LinearValue> OfCount(FormView value) {
  if (value.IsNil()) return LinearValue{kNil};
  const std::optional<int64_t> count = value.WholeNumber();
  if (!count || *count < 0 || *count > kMostCounted)
    return BadInput(fmt::format("its value is not a whole number from 0 to {}", kMostCounted));
  return LinearValue{*count};
}

Result<LinearValue> OfInteger(FormView value, std::string_view what) {
  const std::optional<int64_t> integer = value.WholeNumber();
  if (!integer || *integer == kNil)
    return BadInput(fmt::format("{} is not a 64-bit integer", what));
  return LinearValue{*integer};
}

Result<LinearValue> OfToken(FormView value) {
  const FormView token = value.IsMap() ? value.Find("token") : value;
  return token.IsNil() ? LinearValue{} : OfInteger(token, "its token");
}

// Below 0 for an invalid lease, which the caller reports.
LinearValue OfLease(FormView value) {
  FormView lease = value;
  if (value.IsMap()) {
    lease = value.Find("lease_ns");
    if (!lease.exists()) lease = value.Find("lease");
  }
  if (lease.IsNil() || lease.IsSequence()) return {};
  return {std::max<int64_t>(-1, lease.WholeNumber().value_or(-1))};
}

}  // namespace

Result<LinearValue> ValueNumbers::Of(FormView value, ValueKind kind) {
  switch (kind) {
    case ValueKind::kUnread:
      return LinearValue{};
    case ValueKind::kValue:
      if (HasParts(value)) return HasTooManyParts();
      return LinearValue{NumberOf(value)};
    case ValueKind::kPair: {
      Result<LinearValue> pair = value.IsSequence() ? OfEach(value) : LinearValue{};
      if (pair && pair->size() != 2) return BadInput("its value is not a pair [old new]");
      return pair;
    }
    case ValueKind::kElements: {
      if (!value.IsSequence()) return BadInput("its value is not a list of elements");
      Result<LinearValue> elements = OfEach(value);
      if (elements) {
        std::ranges::sort(*elements);
        elements->erase(std::ranges::unique(*elements).begin(), elements->end());
      }
      return elements;
    }
    case ValueKind::kTextOrNil:
      if (value.IsNil()) return LinearValue{kNil};
      [[fallthrough]];
    case ValueKind::kText:
      if (!value.Text()) return BadInput("its value is not a text");
      return PackedText(*value.Text());
    case ValueKind::kCount:
      return OfCount(value);
    case ValueKind::kInteger:
      return OfInteger(value, "its value");
    case ValueKind::kLease:
      return OfLease(value);
    case ValueKind::kToken:
      return OfToken(value);
  }
  return LinearValue{};
}

Result<LinearValue> ValueNumbers::OfEach(FormView sequence) {
  LinearValue numbers;
  for (const FormView one : sequence) {
    if (HasParts(one)) return HasTooManyParts();
    numbers.push_back(NumberOf(one));
  }
  return numbers;
}

int64_t ValueNumbers::NumberOf(FormView value) {
  if (value.IsNil()) return kNil;
  // Near kNil, where texts have their numbers, an integer is numbered like a text.
  if (const std::optional<int64_t> integer = value.WholeNumber();
      integer && *integer > kNil + kMostWords)
    return *integer;
  const auto next = kNil + 1 + static_cast<int64_t>(words_.size());
  return words_.try_emplace(value.Canonical(), next).first->second;
}

}  // namespace doublehold
