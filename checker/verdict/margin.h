// Margins: how close a claim came to a violation, and the nearest misses.
#ifndef DOUBLEHOLD_CHECKER_VERDICT_MARGIN_H_
#define DOUBLEHOLD_CHECKER_VERDICT_MARGIN_H_

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/verdict/histogram.h"

namespace doublehold {

// Formats a time in the largest unit that fits: "4.103 s", "210.0 ms", "210.0 us", "7 ns".
std::string ShortTime(int64_t ns);

// Number of classes for each power of two.
constexpr size_t kMarginClasses = 4;

// A case that came close to a violation.
struct NearMiss {
  int64_t value = 0;  // in the unit of its margin
  int64_t at_ns = 0;
  std::string sentence;  // who, when, and by how little
};

// How close a claim came to a violation.
struct Margin {
  std::string what;      // "shortest gap between two holds"
  int64_t value = 0;     // the least value; below 0 if the margin was exceeded
  std::string missed{};  // replaces `what` if `value` is below 0: "longest overlap of ..."
  std::string unit = "ns";
  std::vector<NearMiss> nearest{};  // the nearest misses, the nearest first
  int64_t below_zero = 0;           // number of values below 0
  // Counts of the other values, with four classes for each power of two.
  std::vector<HistogramClass> histogram{};
};

// Finds the least of many values, and counts all values by class. Lists as near misses the least
// values that are not below 0.
class MarginFinder {
 public:
  static constexpr size_t kNearest = 3;  // how many near misses are listed

  explicit MarginFinder(Margin margin) : margin_(std::move(margin)) {}

  // Calls `describe` for the sentence only if the value is listed: a sentence costs more than a
  // comparison.
  template <std::invocable Describe>
  void Add(int64_t value, int64_t at_ns, const Describe& describe) {
    Add(value);
    if (IsNear(value)) List({.value = value, .at_ns = at_ns, .sentence = describe()});
  }
  void Add(int64_t value);
  // Returns nothing if no value was added.
  [[nodiscard]] std::optional<Margin> Take() &&;

 private:
  [[nodiscard]] bool IsNear(int64_t value) const;
  void List(NearMiss miss);

  Margin margin_;
  std::optional<int64_t> least_;
  Histogram counts_{kMarginClasses};
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_VERDICT_MARGIN_H_
