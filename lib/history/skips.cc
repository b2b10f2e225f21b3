#include "lib/history/skips.h"

#include <fmt/format.h>

namespace doublehold {

std::string_view Name(SkipReason reason) {
  switch (reason) {
    case SkipReason::kGarbled:
      return "garbled";
    case SkipReason::kTooLong:
      return "too-long";
    case SkipReason::kNotUtf8:
      return "not-utf-8";
    case SkipReason::kNoEvent:
      return "no-event";
    case SkipReason::kNoTime:
      return "no-time";
    case SkipReason::kTimeGoesBack:
      return "time-goes-back";
    case SkipReason::kUnknownFunction:
      return "unknown-function";
    case SkipReason::kSecondOpen:
      return "two-open-operations";
    case SkipReason::kNoOpen:
      return "completion-without-invocation";
    case SkipReason::kOtherFunction:
      return "completion-of-another-function";
  }
  return "";
}

Result<void> Skips::Add(int64_t line, SkipReason reason, SkipWeight weight,
                        std::string_view problem) {
  if (!lenient_) return BadInput(fmt::format("{}:{}: {}", name_, line, problem));
  Count& of_reason = counts_[static_cast<size_t>(reason)];
  if (of_reason.count++ == 0) of_reason.first_line = line;
  ++count_;
  weight_ = std::max(weight_, weight);
  return {};
}

std::string Skips::Told() const {
  std::string text;
  for (size_t i = 0; i < kSkipReasons; ++i) {
    if (counts_[i].count == 0) continue;
    text += fmt::format("{}{} {} (line {}{})", text.empty() ? "" : ", ", counts_[i].count,
                        Name(static_cast<SkipReason>(i)), counts_[i].first_line,
                        counts_[i].count == 1 ? "" : " first");
  }
  return text;
}

}  // namespace doublehold
