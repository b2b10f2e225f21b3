#include "lib/sim/fault_text.h"

#include <fmt/format.h>

#include "lib/base/env.h"
#include "lib/sim/skewed_clock.h"

namespace doublehold::sim {
namespace {

// A search has fixed terms, so it needs a few hundred texts at most.
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
    case FaultForm::kPause:
      return fmt::format("client {} stopped for {}", struck.client, length);
    case FaultForm::kCrash:
      return fmt::format("client {} killed", struck.client);
    case FaultForm::kClientClock:
      return fmt::format("client {}'s clock jumps ahead by {}", struck.client, length);
    case FaultForm::kClientClockBack:
      return fmt::format("client {}'s clock jumps back by {}", struck.client, length);
    case FaultForm::kHoldRequest:
      return OfRequest(struck, "is held back for " + length);
    case FaultForm::kHoldReply:
      return OfReply(struck, "is held back for " + length);
    case FaultForm::kDropRequest:
      return OfRequest(struck, "is lost");
    case FaultForm::kDropReply:
      return OfReply(struck, "is lost");
    case FaultForm::kResetRequest:
      return OfRequest(struck, "breaks its connection");
    case FaultForm::kResetReply:
      return OfReply(struck, "is lost with its connection");
    case FaultForm::kNodePause:
      return fmt::format("node {} stopped for {}", struck.node, length);
    case FaultForm::kNodeClock:
      return fmt::format("node {}'s clock jumps ahead by {}", struck.node, length);
    case FaultForm::kNodeClockBack:
      return fmt::format("node {}'s clock jumps back by {}", struck.node, length);
    case FaultForm::kRestartEmpty:
      return fmt::format("node {} restarts empty", struck.node);
    case FaultForm::kRestartWithData:
      return fmt::format("node {} restarts with its data", struck.node);
    case FaultForm::kNodeCrash:
      return fmt::format("node {} killed for good", struck.node);
    case FaultForm::kForgetScripts:
      return fmt::format("node {} forgets all scripts", struck.node);
    case FaultForm::kClientFast:
      return fmt::format("client {}'s clock runs at {} times its rate", struck.client, kFastRate);
    case FaultForm::kNodeFast:
      return fmt::format("node {}'s clock runs at {} times its rate", struck.node, kFastRate);
    case FaultForm::kCutReplication:
      return fmt::format("node {}'s replicas are cut off", struck.node);
    case FaultForm::kFailover:
      return fmt::format("node {} killed, and a replica promoted", struck.node);
    case FaultForm::kHoldNews:
      return OfNews(struck, "is held back for " + length);
    case FaultForm::kDropNews:
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
