#include "lib/sim/fault_text.h"

#include <fmt/format.h>

#include "lib/base/env.h"
#include "lib/sim/skewed_clock.h"

namespace doublehold::sim {
namespace {

// Limit of the cache. The terms of a search are fixed, so a search needs a few hundred texts at
// most.
constexpr size_t kMostKept = 4096;

std::string NodeName(int node) {
  return node == kStoreId.number ? "the store" : fmt::format("node {}", node);
}

std::string OfRequest(const BegunFault& begun, std::string_view what) {
  return fmt::format("client {}'s {} to {} {}", begun.client, begun.command, NodeName(begun.node),
                     what);
}

std::string OfReply(const BegunFault& begun, std::string_view what) {
  return fmt::format("the reply of {} to client {}'s {} {}", NodeName(begun.node), begun.client,
                     begun.command, what);
}

std::string OfNews(const BegunFault& begun, std::string_view what) {
  return fmt::format("what {} tells client {} on a channel {}", NodeName(begun.node), begun.client,
                     what);
}

}  // namespace

std::string TextOf(const BegunFault& begun) {
  const std::string length = FormatDuration(begun.lasts);
  const std::string_view where = EntryOf(begun.fault).by_sign > 0 ? "ahead" : "back";
  switch (begun.fault) {
    case FaultForm::kPause:
      return fmt::format("client {} stopped for {}", begun.client, length);
    case FaultForm::kCrash:
      return fmt::format("client {} killed", begun.client);
    case FaultForm::kClientClock:
    case FaultForm::kClientClockBack:
      return fmt::format("client {}'s clock jumps {} by {}", begun.client, where, length);
    case FaultForm::kHoldRequest:
      return OfRequest(begun, "is held back for " + length);
    case FaultForm::kHoldReply:
      return OfReply(begun, "is held back for " + length);
    case FaultForm::kDropRequest:
      return OfRequest(begun, "is lost");
    case FaultForm::kDropReply:
      return OfReply(begun, "is lost");
    case FaultForm::kResetRequest:
      return OfRequest(begun, "breaks its connection");
    case FaultForm::kResetReply:
      return OfReply(begun, "is lost with its connection");
    case FaultForm::kNodePause:
      return fmt::format("node {} stopped for {}", begun.node, length);
    case FaultForm::kNodeClock:
    case FaultForm::kNodeClockBack:
      return fmt::format("node {}'s clock jumps {} by {}", begun.node, where, length);
    case FaultForm::kRestartEmpty:
      return fmt::format("node {} restarts empty", begun.node);
    case FaultForm::kRestartWithData:
      return fmt::format("node {} restarts with its data", begun.node);
    case FaultForm::kNodeCrash:
      return fmt::format("node {} killed for good", begun.node);
    case FaultForm::kForgetScripts:
      return fmt::format("node {} forgets all scripts", begun.node);
    case FaultForm::kClientFast:
      return fmt::format("client {}'s clock runs at {} times its rate", begun.client, kFastRate);
    case FaultForm::kNodeFast:
      return fmt::format("node {}'s clock runs at {} times its rate", begun.node, kFastRate);
    case FaultForm::kCutReplication:
      return fmt::format("node {}'s replicas are cut off", begun.node);
    case FaultForm::kFailover:
      return fmt::format("node {} killed, and a replica promoted", begun.node);
    case FaultForm::kLateFailover:
      return fmt::format("node {} killed, and a replica promoted that lacks its last {}",
                         begun.node, FormatDuration(kLateBy));
    case FaultForm::kHandover:
      return fmt::format("node {}'s data handed to a replica", begun.node);
    case FaultForm::kSplitBrain:
      return fmt::format("node {} cut off with client {} for {}, and a replica promoted",
                         begun.node, begun.client, length);
    case FaultForm::kHoldNews:
      return OfNews(begun, "is held back for " + length);
    case FaultForm::kDropNews:
      return OfNews(begun, "is lost");
    case FaultForm::kDuplicateRequest:
    case FaultForm::kPartition:
      break;  // the kind has words of its own
  }
  return "";
}

const std::string& FaultTexts::Of(const BegunFault& begun) {
  for (const Kept& kept : kept_) {
    if (kept.begun.fault == begun.fault && kept.begun.client == begun.client &&
        kept.begun.node == begun.node && kept.begun.lasts == begun.lasts &&
        kept.command == begun.command)
      return kept.text;
  }
  if (kept_.size() == kMostKept) kept_.clear();
  Kept& kept = kept_.emplace_back(
      Kept{.begun = begun, .command = std::string(begun.command), .text = TextOf(begun)});
  kept.begun.command = {};
  return kept.text;
}

}  // namespace doublehold::sim
