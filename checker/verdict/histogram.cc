#include "checker/verdict/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "lib/base/check.h"

namespace doublehold {

size_t Histogram::ClassFor(int64_t value) const {
  const auto size = static_cast<uint64_t>(value);
  if (size < per_octave_) return size;
  const auto shift = static_cast<size_t>(std::bit_width(size / per_octave_)) - 1;
  return per_octave_ * shift + (size >> shift);
}

int64_t Histogram::FirstInClass(size_t number) const {
  if (number < per_octave_) return static_cast<int64_t>(number);
  const size_t shift = number / per_octave_ - 1;
  return static_cast<int64_t>((per_octave_ + number % per_octave_) << shift);
}

void Histogram::Add(int64_t value, int64_t count) {
  CHECK(value >= 0);
  const size_t number = ClassFor(value);
  if (number >= counts_.size()) counts_.resize(number + 1);
  counts_[number] += count;
  count_ += count;
}

std::vector<HistogramClass> Histogram::Classes() const {
  std::vector<HistogramClass> classes;
  for (size_t i = 0; i < counts_.size(); ++i)
    if (counts_[i] > 0) classes.push_back({FirstInClass(i), counts_[i]});
  return classes;
}

int64_t Histogram::ValueAt(double share) const {
  CHECK(count_ > 0);
  auto rank = std::max<int64_t>(std::llround(std::ceil(share * static_cast<double>(count_))), 1);
  size_t number = 0;
  while (rank > counts_[number]) rank -= counts_[number++];
  return FirstInClass(number + 1) - 1;
}

}  // namespace doublehold
