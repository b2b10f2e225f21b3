#include <array>

#include "lib/base/fault_traits.h"
#include "lib/base/lock_traits.h"

namespace doublehold {

std::span<const std::string_view> NamesOfAll(FaultTrait) {
  static constexpr std::array<std::string_view, 19> kNames{"stops",
                                                           "kills",
                                                           "slows",
                                                           "moves-clock",
                                                           "jumps",
                                                           "loses-data",
                                                           "restarts",
                                                           "takes-over",
                                                           "takes-keys",
                                                           "busies",
                                                           "loses-messages",
                                                           "cuts-off",
                                                           "drops",
                                                           "keeps-messages",
                                                           "delays",
                                                           "repeats",
                                                           "cuts-replication",
                                                           "saves",
                                                           "forgets-scripts"};
  return kNames;
}

std::span<const std::string_view> NamesOfAll(LockTrait) {
  static constexpr std::array<std::string_view, 15> kNames{
      "token",     "readers",       "reentry",      "many-keys",   "queue",
      "lock-free", "client-clocks", "looks-first",  "majority",    "grants-all",
      "session",   "each-server",   "lent-session", "ignores-end", "sends-once"};
  return kNames;
}

}  // namespace doublehold
