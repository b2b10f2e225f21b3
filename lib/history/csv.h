// Writes a history as CSV (RFC 4180) for spreadsheets, pandas and R, and reads it back.
#ifndef DOUBLEHOLD_LIB_HISTORY_CSV_H_
#define DOUBLEHOLD_LIB_HISTORY_CSV_H_

#include <ostream>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/history/history.h"
#include "lib/history/text_source.h"

namespace doublehold {

// The columns, which are the same for every history: those of every event, then one for each value
// of any operation, under its name in history.jsonl. The last one, `run`, has the facts as JSON.
std::vector<std::string> CsvColumns();

// Writes a header, a row with the facts, and one row for each event. A field is empty if the
// event's line in history.jsonl lacks the member; `thread` and `task_kind` are never empty. Buffers
// only a few rows. A failed write sets the state of `out`.
void WriteCsv(const History& history, std::ostream& out);

// Whether the header has the columns that WriteCsv writes for every event. Consumes nothing.
bool IsOwnCsv(TextSource& source);
// Reads what WriteCsv wrote. The columns may have any order. The error has the line and the reason.
Result<History> ReadCsv(TextSource& source);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_CSV_H_
