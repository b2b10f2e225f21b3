// Compares two locks whose runs are paired: the runs of a pair have the same seed and faults.
//
// All bounds may be evaluated after every pair (sequential.h). So a comparison may end at any time
// and for any reason, and its error stays below 1 - confidence.
#ifndef DOUBLEHOLD_CHECKER_RATES_PAIRED_H_
#define DOUBLEHOLD_CHECKER_RATES_PAIRED_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "checker/rates/rate.h"

namespace doublehold {

// How the first lock compares with the second.
enum class Difference : uint8_t { kNotSeen, kMore, kLess };
std::string_view Name(Difference difference);  // "not seen", "more", "less"

// Counts of pairs, by which of the two runs were violated.
struct PairCount {
  int64_t of = 0;
  int64_t only_first = 0, only_second = 0, both = 0;
  int64_t undecided = 0;  // pairs with an undecided run
};

// The sequential form of McNemar's test. If both locks have the same rate, a pair with one violated
// run has it on either side with probability 1/2. An undecided pair counts for the side that makes
// the rates more equal.
Difference DifferenceOf(const PairCount& pairs, double confidence);
// Bounds of the first rate minus the second. If DifferenceOf shows a direction, they lie on its
// side.
Interval BoundsOf(const PairCount& pairs, double confidence);

// Returns the least number of pairs that can show a difference.
int64_t FewestForDifference(double confidence);

// The mean of the two middle values if their number is even; 0 if there are none.
double MedianOf(std::vector<double> values);

struct Shift {
  Difference difference = Difference::kNotSeen;
  double median = 0;
  Interval bounds;  // of the true median; infinite if there are too few differences
};

// The shift between the measures of two locks, from the difference in each pair. This is the
// sequential form of the sign test: it assumes nothing about the distribution of the measures.
Shift ShiftOf(std::vector<double> differences, double confidence);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_RATES_PAIRED_H_
