#include "compose/run/frame_log.h"

#include <utility>

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
                     .client = link.client,
                     .node = link.node,
                     .is_reply = direction == Direction::kReply,
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

}  // namespace doublehold
