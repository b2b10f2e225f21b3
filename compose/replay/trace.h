// Stores one simulated execution as a run folder, which `check` and `report` can read. The folder's
// trace.json has the execution's choices, so that `replay` can run it again.
#ifndef DOUBLEHOLD_COMPOSE_REPLAY_TRACE_H_
#define DOUBLEHOLD_COMPOSE_REPLAY_TRACE_H_

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "checker/judge.h"
#include "compose/explore/replay_string.h"
#include "compose/explore/simulate.h"
#include "compose/replay/execution_story.h"
#include "compose/replay/nearest_safe.h"
#include "compose/replay/no_return.h"
#include "lib/history/frame.h"

namespace doublehold {

constexpr int kTraceVersion = 1;

struct Trace {
  const ReplayString& replay;
  const Plan& plan;
  const Execution& execution;
  const std::vector<Frame>& frames;  // of the execution
  const RunVerdict& verdict;         // belongs to the execution's history
  const std::vector<ExecutionStep>& steps;
  const std::optional<SafeExecution>& safe;   // none: null in the file
  const std::optional<NoReturnCurve>& curve;  // none: left out of the file
};
// The text of trace.json.
std::string ToText(const Trace& trace);
// Writes plan.json, history.bin, history.jsonl, frames.jsonl, verdict.json and trace.json into a
// folder that is new or empty. See docs/formats.md.
Result<void> WriteTrace(const std::filesystem::path& folder, const Trace& trace);

// Reads a replay string. `text_or_path` is the string itself, a trace.json, or a folder with a
// trace.json. A trace of another version is bad input.
Result<ReplayString> ReadReplay(const std::string& text_or_path);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_REPLAY_TRACE_H_
