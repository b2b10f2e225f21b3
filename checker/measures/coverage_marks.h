// Coverage marks: named states in which a lock may go wrong. The marks that a search has reached
// show which errors the search can detect.
//
// MarksOf is a pure function. No verdict depends on the marks.
#ifndef DOUBLEHOLD_CHECKER_MEASURES_COVERAGE_MARKS_H_
#define DOUBLEHOLD_CHECKER_MEASURES_COVERAGE_MARKS_H_

#include <bitset>
#include <cstdint>
#include <span>
#include <string_view>

#include "checker/evidence/evidence.h"

namespace doublehold {

enum class Mark : uint8_t {
  kRefused,
  kGaveUp,
  kGrantUnanswered,
  kEnteredAgain,
  kExtended,
  kExtensionRefused,
  kExtensionUnanswered,
  kOverWhileHeld,
  kWrittenLate,
  kWriteRefused,
  kWriteUnanswered,
  kReleasedLate,
  kReleaseRefused,
  kReleaseUnanswered,
  kHeldTwice,
  kGrantedTwice,
  kKilledHolding,
  kLeftBehind,
  kLeftOnSome,
  kLeftForEver,
};
constexpr size_t kMarks = 20;

struct MarkEntry {
  Mark mark;
  std::string_view name;  // such as "over-while-held"
  std::string_view meaning;
};
// All marks, in the order of the enumeration.
std::span<const MarkEntry> AllMarks();

using MarkSet = std::bitset<kMarks>;
// Returns the marks that the history reached.
MarkSet MarksOf(const Evidence& evidence);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_MEASURES_COVERAGE_MARKS_H_
