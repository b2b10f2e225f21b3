// The name of a process in a history file if it is not a client. A client's name is its number.
#ifndef DOUBLEHOLD_LIB_HISTORY_PROCESS_NAMES_H_
#define DOUBLEHOLD_LIB_HISTORY_PROCESS_NAMES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace doublehold {

// Returns "referee", "supervisor", or "node 1" for OfServer(1).
std::string NameOfProcess(int32_t process);
std::optional<int32_t> ProcessNamed(std::string_view name);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_PROCESS_NAMES_H_
