// How a process is called in a history file where it is no client, whose name is its number.
#ifndef DOUBLEHOLD_LIB_HISTORY_PROCESS_NAMES_H_
#define DOUBLEHOLD_LIB_HISTORY_PROCESS_NAMES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace doublehold {

// "referee", "supervisor", "node 1" of OfServer(1).
std::string NameOfProcess(int32_t process);
std::optional<int32_t> ProcessNamed(std::string_view name);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_PROCESS_NAMES_H_
