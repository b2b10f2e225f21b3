// Writes a history as Chrome trace JSON, which Perfetto (ui.perfetto.dev) and chrome://tracing
// open.
#ifndef DOUBLEHOLD_LIB_HISTORY_PERFETTO_H_
#define DOUBLEHOLD_LIB_HISTORY_PERFETTO_H_

#include <ostream>

#include "lib/history/history.h"

namespace doublehold {

// Each process of the run is a process of the trace. Its tracks are its sessions and watchdogs:
// - A call is a complete event ("X") from its invocation to its answer. A call without an answer
//   ends where its track goes on. The calls of a track nest.
// - A hold is an asynchronous event ("b", "e") from its grant to the invocation of its release.
// - A fault is an asynchronous event of the process on which it acts, or of the process "faults".
// - All other events are instants ("i"). Times are in us.
// Needs memory for the open calls, holds and faults only. A failed write sets the state of `out`.
void WriteChromeTrace(const History& history, std::ostream& out);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_PERFETTO_H_
