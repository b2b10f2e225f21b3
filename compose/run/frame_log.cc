#include "compose/run/frame_log.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "compose/os/run_folder.h"
#include "compose/run/run_once.h"
#include "lib/plan/topology.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {

void FrameLog::Watch(const Plan& plan) {
  for (int client = 1; client <= plan.clients; ++client) {
    for (int node = 0; node <= ServersOf(plan); ++node) {
      for (const Direction direction : {Direction::kRequest, Direction::kReply}) {
        const LinkId link{.client = client, .node = node};
        LinkRule rule{.direction = direction, .action = LinkRule::Action::kWatch};
        rule.seen = [this, link, direction](std::string_view command) {
          Keep(link, direction, command);
        };
        rules_.push_back(proxy_.SetLink(link, std::move(rule)));
      }
    }
  }
}

void FrameLog::Keep(LinkId link, Direction direction, std::string_view command) {
  if (frames_.size() >= kMostFrames) return;
  frames_.push_back({.at_ns = ToNs(RealMono()),
                     .link = link,
                     .direction = direction,
                     .command = std::string(command)});
}

void FrameLog::Stop() {
  for (const RuleId rule : rules_) proxy_.ClearLink(rule);
  rules_.clear();
}

std::vector<Frame> FrameLog::TakeSince(MonoTime start) {
  for (Frame& frame : frames_) frame.at_ns -= ToNs(start);
  std::erase_if(frames_, [](const Frame& frame) { return frame.at_ns < 0; });
  return std::exchange(frames_, {});
}

Result<void> WriteFrames(const std::vector<Frame>& frames, const std::filesystem::path& file) {
  std::string lines;
  for (const Frame& frame : frames) {
    const nlohmann::ordered_json line{
        {"time", frame.at_ns},
        {"client", frame.link.client},
        {"node", frame.link.node},
        {"direction", frame.direction == Direction::kRequest ? "request" : "reply"},
        {"command", frame.command}};
    // A command consists of bytes from the client, which may not be valid UTF-8.
    lines += line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }
  return WriteWhole(file, lines);
}

}  // namespace doublehold
