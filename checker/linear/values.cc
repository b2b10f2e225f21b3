#include "checker/linear/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace doublehold {
namespace {

constexpr int64_t kMaxWords = int64_t{1} << 40;  // distinct values that are not integers
constexpr int64_t kMaxCount = int64_t{1} << 40;  // so that sums cannot overflow

bool IsComposite(FormView value) { return value.IsSequence() || value.IsMap(); }

// A list or a map may be a pair [key value], so the message suggests partitioning the log by key.
Result<LinearValue> RefuseComposite() {
  return BadInput(
      "the value is a list or a map, not a number, a text, true, false or nil; for values [key "
      "value] use --partition-by key");
}

Result<LinearValue> ConvertCount(FormView value) {
  if (value.IsNil()) return LinearValue{kNil};
  const std::optional<int64_t> count = value.WholeNumber();
  if (!count || *count < 0 || *count > kMaxCount)
    return BadInput(fmt::format("the value is not a whole number from 0 to {}", kMaxCount));
  return LinearValue{*count};
}

Result<LinearValue> ConvertInteger(FormView value, std::string_view what) {
  const std::optional<int64_t> integer = value.WholeNumber();
  if (!integer || *integer == kNil)
    return BadInput(fmt::format("{} is not a 64-bit integer", what));
  return LinearValue{*integer};
}

Result<LinearValue> ConvertToken(FormView value) {
  const FormView token = value.IsMap() ? value.Find("token") : value;
  return token.IsNil() ? LinearValue{} : ConvertInteger(token, "the token");
}

// Returns an empty value if there is no lease, and -1 for an invalid lease. CheckTimes in
// judge_log.cc reports both.
LinearValue ConvertLease(FormView value) {
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
      if (IsComposite(value)) return RefuseComposite();
      return LinearValue{ConvertOne(value)};
    case ValueKind::kPair: {
      Result<LinearValue> pair = value.IsSequence() ? ConvertElements(value) : LinearValue{};
      if (pair && pair->size() != 2) return BadInput("the value is not a pair [old new]");
      return pair;
    }
    case ValueKind::kElements: {
      if (!value.IsSequence()) return BadInput("the value is not a list of elements");
      Result<LinearValue> elements = ConvertElements(value);
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
      if (!value.Text()) return BadInput("the value is not a text");
      return PackedText(*value.Text());
    case ValueKind::kCount:
      return ConvertCount(value);
    case ValueKind::kInteger:
      return ConvertInteger(value, "the value");
    case ValueKind::kLease:
      return ConvertLease(value);
    case ValueKind::kToken:
      return ConvertToken(value);
  }
  return LinearValue{};
}

Result<LinearValue> ValueNumbers::ConvertElements(FormView sequence) {
  LinearValue numbers;
  for (const FormView one : sequence) {
    if (IsComposite(one)) return RefuseComposite();
    numbers.push_back(ConvertOne(one));
  }
  return numbers;
}

int64_t ValueNumbers::ConvertOne(FormView value) {
  if (value.IsNil()) return kNil;
  // The numbers just above kNil stand for texts, so an integer among them is numbered like a text.
  if (const std::optional<int64_t> integer = value.WholeNumber();
      integer && *integer > kNil + kMaxWords)
    return *integer;
  const auto next = kNil + 1 + static_cast<int64_t>(words_.size());
  return words_.try_emplace(value.Canonical(), next).first->second;
}

}  // namespace doublehold
