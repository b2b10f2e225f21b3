// A suite as others read it: what it expects, as tables of a document, and what came of it, as JUnit XML.
#ifndef DOUBLEHOLD_COMPOSE_SUITE_TABLES_H_
#define DOUBLEHOLD_COMPOSE_SUITE_TABLES_H_

#include <string>

#include "compose/suite.h"

namespace doublehold {

// Rows and columns as the suite has them.
std::string MatrixOf(const Suite& suite);
// A line a column: what it is about, what breaks in it and how, what does not.
std::string CasesOf(const Suite& suite);

std::string JUnitOf(const Suite& suite, const SuiteResult& result);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_SUITE_TABLES_H_
