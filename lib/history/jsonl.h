// history.jsonl: one event a line, times in ns since the start of the run. The first line holds the
// RunFacts. docs/formats.md shows it.
//
// The names inside "value", by operation and type, are those of ValueNamesOf (history.h); "hold"
// besides them where there is one, "thread" before them when it is not 0.
// The start line may promise the number of "events" to come; ours does, so that a file that lost
// whole lines at its end is refused too.
//
// Writing and reading back gives an equal History. Reading refuses whatever is cut off or garbled,
// naming file, line and reason; it never guesses.
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
