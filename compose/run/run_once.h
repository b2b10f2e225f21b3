// Runs one experiment from its plan to its verdict, and writes all its files.
#ifndef DOUBLEHOLD_COMPOSE_RUN_RUN_ONCE_H_
#define DOUBLEHOLD_COMPOSE_RUN_RUN_ONCE_H_

#include "checker/judge.h"
#include "compose/run/supervisor.h"

namespace doublehold {

// Runs the experiment. Writes plan.json, history.bin, history.jsonl (if asked for) and
// verdict.json into the folder.
Result<RunVerdict> RunOnce(const RunRequest& request);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_RUN_RUN_ONCE_H_
