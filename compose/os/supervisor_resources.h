// What the supervisor itself takes of the machine, at the start of a run, at intervals and at its
// end: whether it grows, and whether anything is left over, can be read in verdict.json.
#ifndef DOUBLEHOLD_COMPOSE_OS_SUPERVISOR_RESOURCES_H_
#define DOUBLEHOLD_COMPOSE_OS_SUPERVISOR_RESOURCES_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "lib/base/time.h"

namespace doublehold {

// Of this process. Pages that it shares with others (the history in the making, libraries) do not
// count.
struct OwnUse {
  int64_t memory_kb = 0;
  int64_t descriptors = 0;
};
[[nodiscard]] OwnUse ReadOwnUse();

// Whether this process has children, ended ones that nobody waited for too.
[[nodiscard]] bool HasChildren();

struct SupervisorUse {
  OwnUse before;               // anything was started
  std::vector<OwnUse> during;  // the first when the clients begin, the last when all have ended
  Duration every{};
  OwnUse after;  // everything was closed
  bool children_left = false;
  size_t rules_left = 0;  // of the proxy, when all faults were healed
};
[[nodiscard]] nlohmann::json ToJson(const SupervisorUse& use);

// Takes a sample at Begin, and then each `every`. Thread rule: the io_context's.
class UseMeter {
 public:
  // Some dozens of samples, whatever the length of the run; never so many that they cost anything.
  UseMeter(boost::asio::io_context& io, Duration run_length);
  void Begin();
  void NoteRulesLeft(size_t rules) { use_.rules_left = rules; }
  // What was seen from Begin on, with a last sample that is taken now.
  [[nodiscard]] SupervisorUse End();

 private:
  void Take();

  SupervisorUse use_;
  boost::asio::steady_timer timer_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OS_SUPERVISOR_RESOURCES_H_
