#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "checker/judge.h"
#include "compose/command_line.h"
#include "compose/run_once.h"

namespace doublehold {

Result<ExitCode> CheckCommand(const Words& words) {
  boost::program_options::options_description options("options");
  options.add_options()("json", "print the verdict as JSON");
  Result<ParsedLine> line =
      ParseLine(words, options,
                "check RUN|history.jsonl|history.bin [--json]\nJudges a stored history again.");
  if (!line) return tl::unexpected(line.error());
  if (line->help) return ExitCode::kAsExpected;
  if (line->rest.size() != 1) return BadInput("name one run folder or history file");
  const Result<History> history = ReadHistory(line->rest.front());
  if (!history) return tl::unexpected(history.error());
  const RunVerdict verdict = Judge(*history);
  if (line->values.contains("json")) {
    fmt::print("{}\n", ToJson(verdict).dump(2));
  } else {
    fmt::print("{}", ToText(verdict));
  }
  return verdict.exit_code;
}

}  // namespace doublehold
