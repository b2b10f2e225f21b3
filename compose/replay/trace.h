// One execution of the simulator as files: a run folder, which everything that reads runs can read,
// and in it trace.json, which says what was chosen and can be replayed.
#ifndef DOUBLEHOLD_COMPOSE_REPLAY_TRACE_H_
#define DOUBLEHOLD_COMPOSE_REPLAY_TRACE_H_

#include <filesystem>
#include <string>
#include <vector>

#include "checker/judge.h"
#include "compose/explore/replay_string.h"
#include "compose/explore/simulate.h"
#include "compose/replay/execution_story.h"

namespace doublehold {

constexpr int kTraceVersion = 1;

struct Trace {
  const ReplayString& replay;
  const Plan& plan;
  const Execution& execution;
  const RunVerdict& verdict;  // of its history
  const std::vector<ExecutionStep>& steps;
};
// trace.json alone.
std::string ToText(const Trace& trace);
// plan.json, history.bin, history.jsonl, verdict.json and trace.json, into a folder that is new, or
// empty. docs/formats.md
Result<void> WriteTrace(const std::filesystem::path& folder, const Trace& trace);

// What to replay: the text itself, or what a trace.json, or a folder with one, says. Bad input: a
// trace of another version.
Result<ReplayString> ReadReplay(const std::string& text_or_path);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_REPLAY_TRACE_H_
