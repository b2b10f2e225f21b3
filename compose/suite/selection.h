// Finds the suite that a command names, and chooses its cells.
#ifndef DOUBLEHOLD_COMPOSE_SUITE_SELECTION_H_
#define DOUBLEHOLD_COMPOSE_SUITE_SELECTION_H_

#include <string>
#include <vector>

#include "compose/suite/suite.h"
#include "lib/base/result.h"

namespace doublehold {

// Reads a file, or a suite that comes with the program. Returns bad input for an unknown name, with
// the nearest one.
Result<Suite> ReadSuiteNamed(const std::string& word);

// Removes all cells but these: "ROW/COLUMN", "ROW/", "/COLUMN". `option` begins the message for a
// word that names no cell.
Result<void> SelectCells(const std::vector<std::string>& wanted, const std::string& option,
                         Suite& suite);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_SUITE_SELECTION_H_
