// Prints a suite: its expectations as tables of a document, and its results as JSON, JUnit XML, a
// table and rates.
#ifndef DOUBLEHOLD_COMPOSE_SUITE_SUITE_TABLES_H_
#define DOUBLEHOLD_COMPOSE_SUITE_SUITE_TABLES_H_

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "compose/suite/suite.h"

namespace doublehold {

// Returns the expectations as a Markdown table with the suite's rows and columns.
std::string FormatMatrix(const Suite& suite);
// Returns the expectations as a Markdown table with a line for each column: its description, which
// locks break and how, and which locks do not.
std::string FormatCases(const Suite& suite);

nlohmann::json ToJson(const SuiteRequest& request, const SuiteResult& result);
// Returns the results as JUnit XML with a test case for each run. With `until`, there is a test
// case for each cell, and the cell's answer decides it. A failure names the claims, their sentences
// and the folder. A run without a verdict is an error.
std::string ToJUnit(const SuiteRequest& request, const SuiteResult& result);

// Returns the outcomes as a table for a terminal, with a legend. A cell has the letters of the
// violated claims, "ok", "unknown" or "error", and "(!)" if not as expected. Returns an empty text
// for a single cell.
std::string FormatOutcomes(const Suite& suite, const SuiteResult& result, bool colored);

// Returns how many runs are missing if the suite ended before all its runs: "; interrupted: 2 cut
// short, 3 not begun". With --until, --repeat is only a maximum, so the text counts the cells
// without a run instead.
std::string FormatCut(const SuiteRequest& request, const SuiteResult& result);

// Returns a line for each built-in lock of the suite that copies a library.
std::string OwnCopyLines(const Suite& suite);

// Returns the violation rates of each cell and the answers to `until`, for a terminal. Returns an
// empty text if nothing was repeated.
std::string FormatRates(const SuiteRequest& request, const SuiteResult& result);
// For example "below after 12 runs: 0 of 48 fault episodes, at most 9.8 %".
std::string AnswerText(const Repetitions& answer, const Until& until);

struct AnswerCount {
  size_t below = 0, not_below = 0, not_decided = 0;  // numbers of cells
};
AnswerCount CountAnswers(const SuiteResult& result);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_SUITE_SUITE_TABLES_H_
