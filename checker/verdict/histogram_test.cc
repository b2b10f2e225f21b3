#include "checker/verdict/histogram.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "checker/verdict/percentiles.h"

namespace doublehold {
namespace {

using Counted = std::vector<std::pair<int64_t, int64_t>>;

Counted ClassesOf(const std::vector<HistogramClass>& classes) {
  Counted counted;
  for (const HistogramClass& each : classes) counted.emplace_back(each.from, each.count);
  return counted;
}

std::vector<int64_t> UpTo(int64_t last) {
  std::vector<int64_t> values;
  for (int64_t i = 1; i <= last; ++i) values.push_back(i);
  return values;
}

TEST(Histogram, HasEquallyManyClassesForEachPowerOfTwo) {
  Histogram histogram(4);
  for (const int64_t value : {0, 3, 4, 8, 9, 10, 16, 19, 20, 1'000'000}) histogram.Add(value);
  histogram.Add(3, 2);
  EXPECT_EQ(ClassesOf(histogram.Classes()),
            (Counted{{0, 1}, {3, 3}, {4, 1}, {8, 2}, {10, 1}, {16, 2}, {20, 1}, {917'504, 1}}));
  EXPECT_EQ(histogram.count(), 12);
}

TEST(Histogram, FindsTheClassInWhichAShareEnds) {
  Histogram histogram(4);
  for (const int64_t value : {1, 2, 9, 9}) histogram.Add(value);
  EXPECT_EQ(histogram.ValueAt(0), 1);
  EXPECT_EQ(histogram.ValueAt(0.25), 1);
  EXPECT_EQ(histogram.ValueAt(0.26), 2);
  EXPECT_EQ(histogram.ValueAt(0.51), 9);
  EXPECT_EQ(histogram.ValueAt(1), 9);
}

TEST(Percentiles, OfManyPartsExceedThoseOfAllValuesByAtMostAThirtySecond) {
  const std::vector<int64_t> values = UpTo(20'000);
  const auto middle = values.begin() + 7'000;
  const Percentiles exact = PercentilesOf(values);
  const Percentiles pooled = PoolPercentiles(
      std::vector{PercentilesOf({values.begin(), middle}), PercentilesOf({middle, values.end()})});
  EXPECT_EQ(pooled.count, 20'000);
  EXPECT_EQ(pooled.max_ns, 20'000);
  EXPECT_EQ(ClassesOf(pooled.histogram), ClassesOf(exact.histogram));
  const std::pair<int64_t, int64_t> pairs[] = {{exact.p50_ns, pooled.p50_ns},
                                               {exact.p95_ns, pooled.p95_ns},
                                               {exact.p99_ns, pooled.p99_ns},
                                               {exact.p999_ns, pooled.p999_ns},
                                               {exact.p9999_ns, pooled.p9999_ns}};
  for (const auto& [is, was] : pairs) {
    EXPECT_GE(was, is);
    EXPECT_LE(was, is + is / 32);
  }
  EXPECT_EQ(PoolPercentiles({}).count, 0);
  EXPECT_EQ(PoolPercentiles(std::vector(2, PercentilesOf({0}))).max_ns, 0);
}

TEST(Percentiles, OfTheTailNeedEnoughValues) {
  struct Case {
    int64_t values, p999_ns, p9999_ns;
  };
  for (const Case& one :
       {Case{999, 0, 0}, {1'000, 999, 0}, {9'999, 9'990, 0}, {10'000, 9'990, 9'999}}) {
    SCOPED_TRACE(one.values);
    const Percentiles percentiles = PercentilesOf(UpTo(one.values));
    EXPECT_EQ(percentiles.p999_ns, one.p999_ns);
    EXPECT_EQ(percentiles.p9999_ns, one.p9999_ns);
  }
}

}  // namespace
}  // namespace doublehold
