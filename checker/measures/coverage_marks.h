// What an execution came by: the states in which a lock may go wrong, named. Which of them a search
// has reached says what it can tell.
//
// Pure, as checkers are; but no verdict rests on it.
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
  std::string_view name;  // "over-while-held"
  std::string_view meaning;
};
// By mark, in that order.
std::span<const MarkEntry> AllMarks();

using MarkSet = std::bitset<kMarks>;
// Two passes over the events, and one over the holds.
MarkSet MarksOf(const Evidence& evidence);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_MEASURES_COVERAGE_MARKS_H_
