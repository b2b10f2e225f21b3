#include "lib/history/foreign/value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace doublehold {

std::optional<int64_t> FormView::WholeNumber() const {
  if (kind() != FormKind::kReal) return Integer();
  constexpr double kBeyond = 0x1p63;  // the smallest real above every int64_t
  const double real = node_->real;
  if (!(real >= -kBeyond && real < kBeyond) || std::trunc(real) != real) return std::nullopt;
  return static_cast<int64_t>(real);
}

FormView FormView::Find(std::string_view key) const {
  if (!IsMap()) return {};
  for (Iterator at = begin(); at != end(); ++at) {
    const FormView name = *at;
    ++at;
    if (name.Text() == key) return *at;
  }
  return {};
}

std::string FormView::Canonical() const {
  switch (kind()) {
    case FormKind::kNil:
      return "nil";
    case FormKind::kFalse:
      return "false";
    case FormKind::kTrue:
      return "true";
    case FormKind::kInteger:
      return fmt::format("{}", node_->integer);
    case FormKind::kReal:
      if (const std::optional<int64_t> whole = WholeNumber()) return fmt::format("{}", *whole);
      return fmt::format("{}r", node_->real);
    case FormKind::kText:  // the length makes the encoding of several texts unambiguous
      return fmt::format("{}\"{}\"", node_->text.size(), node_->text);
    default:
      break;
  }
  std::vector<std::string> parts;
  for (Iterator at = begin(); at != end(); ++at) {
    parts.push_back((*at).Canonical());
    if (IsMap()) parts.back() += " " + (*++at).Canonical();
  }
  if (kind() != FormKind::kList) std::ranges::sort(parts);
  const std::string_view brackets = IsMap() ? "{}" : kind() == FormKind::kSet ? "<>" : "[]";
  return fmt::format("{}{}{}", brackets[0], fmt::join(parts, ","), brackets[1]);
}

}  // namespace doublehold
