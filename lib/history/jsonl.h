// history.jsonl: each line is one event, with times in ns since the start of the run. The first
// line holds the RunFacts. docs/formats.md shows an example.
//
// - The names inside "value" depend on operation and type; see ValueNamesOf (history.h). "value"
//   also has "hold" unless it is 0. "thread" precedes "value" unless it is 0.
// - The start line may state the number of "events". Doublehold writes it, so that a file that lost
//   lines at its end is refused.
//
// Writing and reading back gives an equal History. Reading refuses any truncated or malformed file,
// and names file, line and reason.
#ifndef DOUBLEHOLD_LIB_HISTORY_JSONL_H_
#define DOUBLEHOLD_LIB_HISTORY_JSONL_H_

#include <filesystem>
#include <ostream>

#include "lib/base/result.h"
#include "lib/history/history.h"
#include "lib/history/text_source.h"

namespace doublehold {

void WriteJsonl(const History& history, std::ostream& out);

Result<History> ReadJsonl(TextSource& source);
Result<History> ReadJsonlFile(const std::filesystem::path& file);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_JSONL_H_
