// Logs the commands and replies between clients and servers, in the order in which they passed the
// proxy.
//
// Thread rule: runs on the proxy's thread. The proxy must outlive it.
#ifndef DOUBLEHOLD_COMPOSE_RUN_FRAME_LOG_H_
#define DOUBLEHOLD_COMPOSE_RUN_FRAME_LOG_H_

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "faults/link.h"
#include "faults/proxy/proxy.h"
#include "lib/base/time.h"
#include "lib/history/frame.h"
#include "lib/plan/plan.h"

namespace doublehold {

class FrameLog {
 public:
  static constexpr size_t kMostFrames = 1'000'000;  // later frames are dropped

  explicit FrameLog(Proxy& proxy) : proxy_(proxy) {}
  ~FrameLog() { Stop(); }
  FrameLog(const FrameLog&) = delete;
  FrameLog& operator=(const FrameLog&) = delete;

  // Starts to log the links of all clients of the plan. Requires that the links have been added.
  void Watch(const Plan& plan);
  void Stop();
  // Returns the frames since `start`, and removes all frames.
  std::vector<Frame> TakeSince(MonoTime start);

 private:
  void Keep(LinkId link, Direction direction, std::string_view command, bool is_lost);

  Proxy& proxy_;
  std::vector<RuleId> rules_;
  std::vector<Frame> frames_;  // times are CLOCK_MONOTONIC times here
  // The indices of requests without a reply so far, by client, node and command.
  std::map<std::tuple<int, int, std::string>, std::vector<size_t>> unanswered_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_RUN_FRAME_LOG_H_
