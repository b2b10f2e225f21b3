// Writes the events of a history as CSV (RFC 4180) for spreadsheets, pandas and R.
#ifndef DOUBLEHOLD_LIB_HISTORY_CSV_H_
#define DOUBLEHOLD_LIB_HISTORY_CSV_H_

#include <ostream>
#include <string>
#include <vector>

#include "lib/history/history.h"

namespace doublehold {

// The columns, which are the same for every history: those of every event, then one for each value
// of any operation, under its name in history.jsonl.
std::vector<std::string> CsvColumns();

// Writes a header and one row an event. A field is empty if the event's line in history.jsonl lacks
// the member; `thread` and `task_kind` are never empty. Buffers only a few rows. A failed write
// sets the state of `out`.
void WriteCsv(const History& history, std::ostream& out);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_CSV_H_
