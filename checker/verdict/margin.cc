#include "checker/verdict/margin.h"

#include <fmt/format.h>

#include <bit>

namespace doublehold {
namespace {

constexpr size_t kPerOctave = 4;  // classes for each power of two

size_t ClassFor(int64_t value) {
  const auto size = static_cast<uint64_t>(value);
  if (size < kPerOctave) return size;
  const auto shift = static_cast<size_t>(std::bit_width(size / kPerOctave)) - 1;
  return kPerOctave * shift + (size >> shift);
}

int64_t FirstInClass(size_t number) {
  if (number < kPerOctave) return static_cast<int64_t>(number);
  const size_t shift = number / kPerOctave - 1;
  return static_cast<int64_t>((kPerOctave + number % kPerOctave) << shift);
}

}  // namespace

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
  const size_t number = ClassFor(value);
  if (number >= counts_.size()) counts_.resize(number + 1);
  ++counts_[number];
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
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] > 0) margin_.histogram.push_back({FirstInClass(i), counts_[i]});
  }
  return std::move(margin_);
}

}  // namespace doublehold
