// Which commands and replies passed between the clients and the servers, in their order.
//
// Thread rule: the proxy's, which outlives it.
#ifndef DOUBLEHOLD_COMPOSE_RUN_FRAME_LOG_H_
#define DOUBLEHOLD_COMPOSE_RUN_FRAME_LOG_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "faults/link.h"
#include "faults/proxy/proxy.h"
#include "lib/base/result.h"
#include "lib/base/time.h"
#include "lib/plan/plan.h"

namespace doublehold {

// A command as it arrived at the proxy, or a reply to it.
struct Frame {
  int64_t at_ns = 0;  // since the run began
  LinkId link;
  Direction direction = Direction::kRequest;
  std::string command;  // in upper case; of a reply the command that it answers; empty: unknown
};

class FrameLog {
 public:
  static constexpr size_t kMostFrames = 1'000'000;  // later ones are not kept

  explicit FrameLog(Proxy& proxy) : proxy_(proxy) {}
  ~FrameLog() { Stop(); }
  FrameLog(const FrameLog&) = delete;
  FrameLog& operator=(const FrameLog&) = delete;

  // From now on, on the links of all clients of the plan, which have been added.
  void Watch(const Plan& plan);
  void Stop();
  // What was seen since then; later calls answer nothing.
  std::vector<Frame> TakeSince(MonoTime start);

 private:
  void Keep(LinkId link, Direction direction, std::string_view command);

  Proxy& proxy_;
  std::vector<RuleId> rules_;
  std::vector<Frame> frames_;  // times are those of the machine
};

// One JSON object a line: {"time","client","node","direction","command"}, see docs/formats.md.
Result<void> WriteFrames(const std::vector<Frame>& frames, const std::filesystem::path& file);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_RUN_FRAME_LOG_H_
