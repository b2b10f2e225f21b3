// Measures the memory and descriptors that the supervisor uses, at the start of a run, at
// intervals, and at its end. verdict.json has the samples, so that growth and leaks can be seen.
#ifndef DOUBLEHOLD_COMPOSE_OS_SUPERVISOR_RESOURCES_H_
#define DOUBLEHOLD_COMPOSE_OS_SUPERVISOR_RESOURCES_H_

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "lib/base/time.h"

namespace doublehold {

// The resources that this process uses. Shared pages, such as the pages of the run's history and of
// libraries, do not count.
struct OwnUse {
  int64_t memory_kb = 0;
  int64_t descriptors = 0;
};
[[nodiscard]] OwnUse ReadOwnUse();

// Whether this process has children, including ended children that were not reaped.
[[nodiscard]] bool HasChildren();

struct SupervisorUse {
  OwnUse before;               // use before anything was started
  std::vector<OwnUse> during;  // samples from the start of the clients to their end
  Duration every{};
  OwnUse after;  // use after everything was closed
  bool children_left = false;
  size_t rules_left = 0;  // rules left in the proxy after all faults were healed
};
[[nodiscard]] nlohmann::json ToJson(const SupervisorUse& use);

// Takes a sample at Begin, and then at intervals. Thread rule: runs on the io_context's thread.
class UseMeter {
 public:
  // Chooses the interval so that a run of any length has some dozens of samples, which cost little.
  UseMeter(boost::asio::io_context& io, Duration run_length);
  void Begin();
  void NoteRulesLeft(size_t rules) { use_.rules_left = rules; }
  // Takes a last sample and returns all samples since Begin.
  [[nodiscard]] SupervisorUse End();

 private:
  void Take();

  SupervisorUse use_;
  boost::asio::steady_timer timer_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OS_SUPERVISOR_RESOURCES_H_
