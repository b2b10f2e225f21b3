#include "checker/verdict/margin.h"

#include <fmt/format.h>

namespace doublehold {

std::string ShortTime(int64_t ns) {
  const auto size = static_cast<double>(ns < 0 ? -ns : ns);
  const auto in = [ns](double unit) { return static_cast<double>(ns) / unit; };
  if (size >= 1e9) return fmt::format("{:.3f} s", in(1e9));
  if (size >= 1e6) return fmt::format("{:.1f} ms", in(1e6));
  if (size >= 1e3) return fmt::format("{:.1f} us", in(1e3));
  return fmt::format("{} ns", ns);
}

void MarginFinder::Add(int64_t value) {
  least_ = std::min(value, least_.value_or(value));
  if (value < 0) {
    ++margin_.below_zero;
    return;
  }
  counts_.Add(value);
}

bool MarginFinder::IsNear(int64_t value) const {
  if (value < 0) return false;
  return margin_.nearest.size() < kNearest || value < margin_.nearest.back().value;
}

void MarginFinder::List(NearMiss miss) {
  std::vector<NearMiss>& nearest = margin_.nearest;
  const auto after = std::ranges::upper_bound(nearest, miss.value, {}, &NearMiss::value);
  nearest.insert(after, std::move(miss));
  if (nearest.size() > kNearest) nearest.pop_back();
}

std::optional<Margin> MarginFinder::Take() && {
  if (!least_) return std::nullopt;
  margin_.value = *least_;
  margin_.histogram = counts_.Classes();
  return std::move(margin_);
}

}  // namespace doublehold
