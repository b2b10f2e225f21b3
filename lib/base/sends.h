// The commands that a part of a run sends to its servers. A planner uses this list to refuse a
// fault on a command that is never sent.
#ifndef DOUBLEHOLD_LIB_BASE_SENDS_H_
#define DOUBLEHOLD_LIB_BASE_SENDS_H_

#include <string_view>
#include <vector>

namespace doublehold {

struct SentCommands {
  // For example "SET EVALSHA EVAL"; MESSAGE stands for published messages.
  std::string_view commands;
  // The first key of these commands. "{}" stands for any lock key or item. Empty if the commands
  // have no key.
  std::string_view key;
};
// May include commands that are never sent.
using Sends = std::vector<SentCommands>;

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_SENDS_H_
