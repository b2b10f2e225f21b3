// The commands that a part of a run sends to its servers. With this list, a fault on frames that
// never come can be refused.
#ifndef DOUBLEHOLD_LIB_BASE_SENDS_H_
#define DOUBLEHOLD_LIB_BASE_SENDS_H_

#include <string_view>
#include <vector>

namespace doublehold {

struct SentCommands {
  // For example "SET EVALSHA EVAL"; MESSAGE stands for published messages.
  std::string_view commands;
  // Their first key; "{}" in it stands for any lock key or item. Empty: they have no key.
  std::string_view key;
};
// A superset is allowed.
using Sends = std::vector<SentCommands>;

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_SENDS_H_
