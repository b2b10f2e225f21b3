// history.bin: the events as they lie in memory behind a header and the RunFacts as JSON. The fast
// form of a history.
//
//   "DHHIST1\n"  facts_bytes:u64  event_count:u64  facts  events
//
// The facts are JSON, padded with spaces (counted in facts_bytes) until the events begin at a
// multiple of 64 bytes. Numbers are as this machine keeps them.
#ifndef DOUBLEHOLD_LIB_HISTORY_BINARY_H_
#define DOUBLEHOLD_LIB_HISTORY_BINARY_H_

#include <filesystem>

#include "lib/base/result.h"
#include "lib/history/history.h"

namespace doublehold {

Result<void> WriteBinaryFile(const History& history, const std::filesystem::path& file);

// Refuses a file that is cut off, of another version, out of time order, or with an event that the
// run cannot have had.
Result<History> ReadBinaryFile(const std::filesystem::path& file);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_BINARY_H_
