// Claims as letters, for tables of many runs.
#ifndef DOUBLEHOLD_CHECKER_REPORT_CLAIM_LETTERS_H_
#define DOUBLEHOLD_CHECKER_REPORT_CLAIM_LETTERS_H_

#include <string>
#include <string_view>
#include <vector>

#include "checker/verdict/checker.h"

namespace doublehold {

// In the order in which they stand in a cell: the vital ones first, else as they are told.
std::vector<const CheckerEntry*> InOrderOfLetters();

// Of two that hold it with valid leases it goes without saying that they both hold it: H, and no h.
// Empty: none.
std::string LettersOf(const std::vector<std::string>& violated);
// A line "  S  stock lost or sold twice\n" for each that is among the letters.
std::string LegendOf(std::string_view letters);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_REPORT_CLAIM_LETTERS_H_
