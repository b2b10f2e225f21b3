// Which commands a part of a run sends to its servers: so that a fault on frames that never come by
// can be refused.
#ifndef DOUBLEHOLD_LIB_BASE_SENDS_H_
#define DOUBLEHOLD_LIB_BASE_SENDS_H_

#include <string_view>
#include <vector>

namespace doublehold {

struct SentCommands {
  std::string_view commands;  // "SET EVALSHA EVAL"; MESSAGE: what is published
  // Their first key; "{}" in it: any of the keys of locks, or of the items. Empty: they have none.
  std::string_view key;
};
// Rather too many than too few.
using Sends = std::vector<SentCommands>;

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_SENDS_H_
