// Writes and reads history.bin, the fast form of a history; mapped.h says what lies in it.
#ifndef DOUBLEHOLD_LIB_HISTORY_BINARY_H_
#define DOUBLEHOLD_LIB_HISTORY_BINARY_H_

#include <filesystem>

#include "lib/base/result.h"
#include "lib/history/history.h"

namespace doublehold {

// One stream, in time order. Refuses a history that a reader would refuse, and one of more than 78
// hours.
Result<void> WriteBinaryFile(const History& history, const std::filesystem::path& file);

// Refuses a file that is cut off, of another version, out of time order, or with an event that the
// run cannot have had.
Result<History> ReadBinaryFile(const std::filesystem::path& file);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_BINARY_H_
