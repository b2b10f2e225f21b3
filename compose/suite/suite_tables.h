// A suite for other readers: its expectations as tables of a document, and its results as JSON, as
// JUnit XML and as rates.
#ifndef DOUBLEHOLD_COMPOSE_SUITE_SUITE_TABLES_H_
#define DOUBLEHOLD_COMPOSE_SUITE_SUITE_TABLES_H_

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "compose/suite/suite.h"

namespace doublehold {

// The expectations as a Markdown table with the suite's rows and columns.
std::string MatrixOf(const Suite& suite);
// A Markdown table with one line for each column: its description, which locks break and how, and
// which do not.
std::string CasesOf(const Suite& suite);

nlohmann::json ToJson(const SuiteRequest& request, const SuiteResult& result);
// One test case for each run. With `until`: one for each cell, which its answer decides. A failure
// names the claims, their sentences and the folder; a run without a verdict is an error.
std::string JUnitOf(const SuiteRequest& request, const SuiteResult& result);

// The outcomes as a table for a terminal: in each cell the letters of the violated claims, "ok",
// "unknown" or "error", with "(!)" if not as expected, and a legend. Empty for a single cell.
std::string OutcomesOf(const Suite& suite, const SuiteResult& result, bool colored);

// The violation rates of each cell and the answers to `until`, for a terminal. Empty if nothing was
// repeated.
std::string RatesOf(const SuiteRequest& request, const SuiteResult& result);
// For example "below after 12 runs: 0 of 48 fault episodes, at most 9.8 %".
std::string AnswerText(const Repetitions& answer, const Until& until);

struct AnswerCount {
  size_t below = 0, not_below = 0, not_decided = 0;  // numbers of cells
};
AnswerCount CountAnswers(const SuiteResult& result);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_SUITE_SUITE_TABLES_H_
