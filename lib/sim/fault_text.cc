#include "lib/sim/fault_text.h"

#include <fmt/format.h>

#include "lib/base/env.h"
#include "lib/sim/skewed_clock.h"

namespace doublehold::sim {
namespace {

// Of terms that never change, as they do not within a search, there are a few hundred at most.
constexpr size_t kMostKept = 4096;

std::string NodeName(int node) {
  return node == kStoreId.number ? "the store" : fmt::format("node {}", node);
}

std::string OfRequest(const Struck& struck, std::string_view what) {
  return fmt::format("client {}'s {} to {} {}", struck.client, struck.command,
                     NodeName(struck.node), what);
}

std::string OfReply(const Struck& struck, std::string_view what) {
  return fmt::format("the reply of {} to client {}'s {} {}", NodeName(struck.node), struck.client,
                     struck.command, what);
}

std::string OfNews(const Struck& struck, std::string_view what) {
  return fmt::format("what {} tells client {} on a channel {}", NodeName(struck.node),
                     struck.client, what);
}

}  // namespace

std::string TextOf(const Struck& struck) {
  const std::string length = FormatDuration(struck.lasts);
  switch (struck.fault) {
    case SimFault::kPause:
      return fmt::format("client {} stopped for {}", struck.client, length);
    case SimFault::kKill:
      return fmt::format("client {} killed", struck.client);
    case SimFault::kClientClock:
      return fmt::format("client {}'s clock jumps ahead by {}", struck.client, length);
    case SimFault::kClientClockBack:
      return fmt::format("client {}'s clock jumps back by {}", struck.client, length);
    case SimFault::kHoldRequest:
      return OfRequest(struck, "is held back for " + length);
    case SimFault::kHoldReply:
      return OfReply(struck, "is held back for " + length);
    case SimFault::kDropRequest:
      return OfRequest(struck, "is lost");
    case SimFault::kDropReply:
      return OfReply(struck, "is lost");
    case SimFault::kReset:
      return OfRequest(struck, "breaks its connection");
    case SimFault::kResetReply:
      return OfReply(struck, "is lost with its connection");
    case SimFault::kNodePause:
      return fmt::format("node {} stands still for {}", struck.node, length);
    case SimFault::kNodeClock:
      return fmt::format("node {}'s clock jumps ahead by {}", struck.node, length);
    case SimFault::kNodeClockBack:
      return fmt::format("node {}'s clock jumps back by {}", struck.node, length);
    case SimFault::kRestartEmpty:
      return fmt::format("node {} restarts empty", struck.node);
    case SimFault::kRestart:
      return fmt::format("node {} restarts with its data", struck.node);
    case SimFault::kNodeKill:
      return fmt::format("node {} killed for good", struck.node);
    case SimFault::kForgetScripts:
      return fmt::format("node {} forgets all scripts", struck.node);
    case SimFault::kClientFast:
      return fmt::format("client {}'s clock runs at {} times its rate", struck.client, kFastTimes);
    case SimFault::kNodeFast:
      return fmt::format("node {}'s clock runs at {} times its rate", struck.node, kFastTimes);
    case SimFault::kCutReplicas:
      return fmt::format("node {}'s replicas are cut off", struck.node);
    case SimFault::kPromote:
      return fmt::format("node {} killed, and a replica promoted", struck.node);
    case SimFault::kHoldNews:
      return OfNews(struck, "is held back for " + length);
    case SimFault::kDropNews:
      return OfNews(struck, "is lost");
  }
  return "";
}

const std::string& FaultTexts::Of(const Struck& struck) {
  for (const Kept& kept : kept_) {
    if (kept.struck.fault == struck.fault && kept.struck.client == struck.client &&
        kept.struck.node == struck.node && kept.struck.lasts == struck.lasts &&
        kept.command == struck.command)
      return kept.text;
  }
  if (kept_.size() == kMostKept) kept_.clear();
  Kept& kept = kept_.emplace_back(
      Kept{.struck = struck, .command = std::string(struck.command), .text = TextOf(struck)});
  kept.struck.command = {};
  return kept.text;
}

}  // namespace doublehold::sim
