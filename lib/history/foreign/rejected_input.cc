#include "lib/history/foreign/rejected_input.h"

#include <fmt/format.h>

namespace doublehold {
namespace {

constexpr size_t kMostShownBytes = 300;  // bytes of a message, which may quote the input

// Converts a problem to one short line. Replaces control characters by '?'.
std::string OneLine(std::string_view problem) {
  std::string line(problem.substr(0, kMostShownBytes));
  // Shortens the line further, so that no UTF-8 character is cut in two.
  while (line.size() < problem.size() &&
         (static_cast<uint8_t>(problem[line.size()]) & 0xC0) == 0x80)
    line.pop_back();
  for (char& c : line) {
    if (static_cast<uint8_t>(c) < ' ' || c == 0x7F) c = '?';
  }
  return line.size() < problem.size() ? line + "..." : line;
}

}  // namespace

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
    case SkipReason::kIndexGoesBack:
      return "index-goes-back";
    case SkipReason::kUnknownFunction:
      return "unknown-function";
    case SkipReason::kSecondOpen:
      return "two-open-operations";
    case SkipReason::kNoOpen:
      return "completion-without-invocation";
    case SkipReason::kOtherFunction:
      return "completion-of-another-function";
    case SkipReason::kNoKey:
      return "no-key";
    case SkipReason::kOtherKey:
      return "completion-of-another-key";
    case SkipReason::kNoValue:
      return "no-value";
  }
  return "";
}

Result<void> Skips::Add(int64_t line, SkipReason reason, SkipWeight weight,
                        std::string_view problem) {
  if (!lenient_) return BadInput(fmt::format("{}:{}: {}", name_, line, OneLine(problem)));
  Count& of_reason = counts_[static_cast<size_t>(reason)];
  if (of_reason.count++ == 0) of_reason.first_line = line;
  ++count_;
  weight_ = std::max(weight_, weight);
  return {};
}

std::string Skips::Summary() const {
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
