#include "lib/sim/fault_text.h"

#include <fmt/format.h>

#include "lib/base/env.h"

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
    case SimFault::kNodePause:
      return fmt::format("node {} stands still for {}", struck.node, length);
    case SimFault::kNodeClock:
      return fmt::format("node {}'s clock jumps ahead by {}", struck.node, length);
    case SimFault::kNodeClockBack:
      return fmt::format("node {}'s clock jumps back by {}", struck.node, length);
    case SimFault::kRestartEmpty:
      return fmt::format("node {} restarts empty", struck.node);
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
