// A suite as others read it: what it expects, as tables of a document, and what came of
// it, as JSON, as JUnit XML and as rates.
#ifndef DOUBLEHOLD_COMPOSE_SUITE_SUITE_TABLES_H_
#define DOUBLEHOLD_COMPOSE_SUITE_SUITE_TABLES_H_

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "compose/suite/suite.h"

namespace doublehold {

// Rows and columns as the suite has them.
std::string MatrixOf(const Suite& suite);
// A line a column: what it is about, what breaks in it and how, what does not.
std::string CasesOf(const Suite& suite);

nlohmann::json ToJson(const SuiteRequest& request, const SuiteResult& result);  // suite.json
// A case a run; where `until` was asked, a case a cell, which its answer decides.
std::string JUnitOf(const SuiteRequest& request, const SuiteResult& result);

// For a terminal: what the repetitions of each cell come to, and what is known of what was asked.
// Empty where nothing was repeated.
std::string RatesOf(const SuiteRequest& request, const SuiteResult& result);
// "below after 12 runs: 0 of 48 fault episodes, at most 9.8 %"
std::string AnswerText(const Repetitions& answer, const Until& until);

struct AnswerCount {
  size_t below = 0, not_below = 0, not_decided = 0;  // cells
};
AnswerCount CountAnswers(const SuiteResult& result);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_SUITE_SUITE_TABLES_H_
