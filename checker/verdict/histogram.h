// Counts values by class. The counts of many runs can be added up.
#ifndef DOUBLEHOLD_CHECKER_VERDICT_HISTOGRAM_H_
#define DOUBLEHOLD_CHECKER_VERDICT_HISTOGRAM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace doublehold {

// Counts the values from `from` to the start of the next class.
struct HistogramClass {
  int64_t from = 0;
  int64_t count = 0;
};

// Has equally many classes for each power of two, so each class is narrow in relation to its values
// (the layout of HdrHistogram). Each value below `per_octave` has a class of its own. With four
// classes for each power of two, the first classes begin at 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14,
// 16 and 20.
class Histogram {
 public:
  // `per_octave`: classes for each power of two; a power of two itself.
  explicit Histogram(size_t per_octave) : per_octave_(per_octave) {}

  // Requires `value` to be at least 0.
  void Add(int64_t value, int64_t count = 1);
  [[nodiscard]] int64_t count() const { return count_; }
  // Returns the classes in order. Classes without values are omitted.
  [[nodiscard]] std::vector<HistogramClass> Classes() const;
  // Returns the largest value of the class in which this share of all values ends, by nearest rank.
  // Requires at least one value.
  [[nodiscard]] int64_t ValueAt(double share) const;

 private:
  [[nodiscard]] size_t ClassFor(int64_t value) const;
  [[nodiscard]] int64_t FirstInClass(size_t number) const;

  size_t per_octave_;
  int64_t count_ = 0;
  std::vector<int64_t> counts_;  // by class
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_VERDICT_HISTOGRAM_H_
