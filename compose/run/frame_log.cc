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
        rule.seen = [this, link, direction](std::string_view command, bool is_lost) {
          Keep(link, direction, command, is_lost);
        };
        rules_.push_back(proxy_.SetLink(link, std::move(rule)));
      }
    }
  }
}

// The proxy does not see a frame arrive. A reply proves that its request did. If several requests
// have the same command, the reply counts for the last one: a client repeats a command after giving
// up on its reply.
void FrameLog::Keep(LinkId link, Direction direction, std::string_view command, bool is_lost) {
  if (frames_.size() >= kMostFrames) return;
  Frame frame{.at_ns = ToNs(RealMono()),
              .client = link.client,
              .node = link.node,
              .is_reply = direction == Direction::kReply,
              .command = std::string(command)};
  std::vector<size_t>& unanswered = unanswered_[{link.client, link.node, frame.command}];
  if (frame.is_reply) {
    if (!is_lost) frame.arrived_ns = frame.at_ns;
    if (!unanswered.empty()) {
      frames_[unanswered.back()].arrived_ns = frame.at_ns;
      unanswered.pop_back();
    }
  } else if (!is_lost) {
    unanswered.push_back(frames_.size());
  }
  frames_.push_back(std::move(frame));
}

void FrameLog::Stop() {
  for (const RuleId rule : rules_) proxy_.ClearLink(rule);
  rules_.clear();
}

std::vector<Frame> FrameLog::TakeSince(MonoTime start) {
  for (Frame& frame : frames_) {
    frame.at_ns -= ToNs(start);
    if (frame.arrived_ns) *frame.arrived_ns -= ToNs(start);
  }
  unanswered_.clear();
  std::erase_if(frames_, [](const Frame& frame) { return frame.at_ns < 0; });
  return std::exchange(frames_, {});
}

}  // namespace doublehold
