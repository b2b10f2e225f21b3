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

namespace doublehold {

// Formats a time: seconds with three decimals, ms and us with one, ns with none. "4.103 s",
// "210.0 us".
std::string ShortTime(int64_t ns);

// A case that came close to a violation.
struct NearMiss {
  int64_t value = 0;  // in the unit of its margin
  int64_t at_ns = 0;
  std::string sentence;  // who, when, and by how little
};

// Values from `from` to the next class. Classes begin at 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16,
// 20, ...: four for each power of two.
struct MarginClass {
  int64_t from = 0;
  int64_t count = 0;
};

// How close a claim came to a violation.
struct Margin {
  std::string what;      // "shortest gap between two holds"
  int64_t value = 0;     // below 0: how far the margin was exceeded
  std::string missed{};  // replaces `what` if `value` is below 0: "longest overlap of ..."
  std::string unit = "ns";
  std::vector<NearMiss> nearest{};  // the nearest misses, the nearest first
  int64_t below_zero = 0;           // number of values below 0
  // The other values by size; classes without a value are left out.
  std::vector<MarginClass> histogram{};
};

// Finds the least of many values, lists the least ones that are not below 0 as near misses, and
// counts all.
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
  std::vector<int64_t> counts_;  // by class
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_VERDICT_MARGIN_H_
