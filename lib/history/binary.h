// history.bin: the events as they lie in memory behind a header and the RunFacts as JSON. The fast
// form of a history.
//
//   "DHHIST1\n"  facts_bytes:u64  event_count:u64  facts (JSON, padded with spaces to 64 bytes)
//   events
#ifndef DOUBLEHOLD_LIB_HISTORY_BINARY_H_
#define DOUBLEHOLD_LIB_HISTORY_BINARY_H_

#include <filesystem>

#include "lib/base/result.h"
#include "lib/history/history.h"

namespace doublehold {

Result<void> WriteBinaryFile(const History& history, const std::filesystem::path& file);

// Refuses a file that is cut off, of another version or out of time order.
Result<History> ReadBinaryFile(const std::filesystem::path& file);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_BINARY_H_
