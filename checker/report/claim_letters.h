// Claims as letters, for tables of many runs.
#ifndef DOUBLEHOLD_CHECKER_REPORT_CLAIM_LETTERS_H_
#define DOUBLEHOLD_CHECKER_REPORT_CLAIM_LETTERS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace doublehold {

struct ClaimLetter {
  char letter;
  std::string_view claim;
  std::string_view meaning;  // of its violation: "held twice, both leases valid"
  bool is_vital = false;     // what a lock is for: where that is not known, nothing is
};
// In the order in which they stand in a cell.
std::span<const ClaimLetter> ClaimLetters();

// Of two that hold it with valid leases it goes without saying that they both hold it: H, and no h.
// Empty: none.
std::string LettersOf(const std::vector<std::string>& violated);
// A line "  S  stock lost or sold twice\n" for each that is among the letters.
std::string LegendOf(std::string_view letters);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_REPORT_CLAIM_LETTERS_H_
