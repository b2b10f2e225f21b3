// Claims as letters, for tables of many runs.
#ifndef DOUBLEHOLD_CHECKER_REPORT_CLAIM_LETTERS_H_
#define DOUBLEHOLD_CHECKER_REPORT_CLAIM_LETTERS_H_

#include <string>
#include <string_view>
#include <vector>

#include "checker/verdict/checker.h"

namespace doublehold {

// Returns the claims in the order of the letters of a cell: the vital claims first, the others as
// in the registry.
std::vector<const CheckerEntry*> InOrderOfLetters();

// Returns the letters of the violated claims; empty if there are none. `lease-exclusion` implies
// `exclusion`, so H replaces h.
std::string LettersOf(const std::vector<std::string>& violated);
// A line "  S  stock: orders lost, or stock oversold\n" for each of the letters.
std::string LegendOf(std::string_view letters);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_REPORT_CLAIM_LETTERS_H_
