// Writes an execution as a log for ShiViz (bestchai.bitbucket.io/shiviz), which draws hosts as
// lines and messages as arrows between them.
#ifndef DOUBLEHOLD_LIB_HISTORY_SHIVIZ_H_
#define DOUBLEHOLD_LIB_HISTORY_SHIVIZ_H_

#include <ostream>
#include <vector>

#include "lib/history/frame.h"
#include "lib/history/history.h"

namespace doublehold {

// The hosts are the clients, nodes and the store. Their events are:
// - A message is sent by one host and received by another. A lost message is sent only.
// - An event of the history belongs to its client, or to the node that stalled.
// - A fault begins and ends at the client or node on which it acts.
// All other events are left out: those of the referee and the supervisor.
//
// Each event has a vector clock. A host's own component counts its events from 1. A receive takes
// over the clock of its send. A failed write sets the state of `out`. `frames` are in order of
// time.
void WriteShiViz(const History& history, const std::vector<Frame>& frames, std::ostream& out);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_SHIVIZ_H_
