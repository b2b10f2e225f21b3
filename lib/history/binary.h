// Writes and reads history.bin, the compact form of a history. mapped.h documents the layout.
#ifndef DOUBLEHOLD_LIB_HISTORY_BINARY_H_
#define DOUBLEHOLD_LIB_HISTORY_BINARY_H_

#include <filesystem>

#include "lib/base/result.h"
#include "lib/history/history.h"

namespace doublehold {

// Writes one stream in time order. Refuses a history that ReadBinaryFile would refuse, and a
// history of more than 78 hours.
Result<void> WriteBinaryFile(const History& history, const std::filesystem::path& file);

// Refuses a file that is truncated, has another version, is out of time order, or has an event that
// is impossible in its run.
Result<History> ReadBinaryFile(const std::filesystem::path& file);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_BINARY_H_
