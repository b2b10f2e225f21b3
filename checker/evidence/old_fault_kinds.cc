#include "checker/evidence/old_fault_kinds.h"

#include <algorithm>
#include <array>

namespace doublehold {
namespace {

using enum FaultTrait;

struct OldKind {
  std::string_view kind;
  FaultTraits traits;
};

constexpr std::array kOldKinds{
    OldKind{"pause", {kStops}},
    OldKind{"crash", {kKills}},
    OldKind{"slow", {kSlows}},
    OldKind{"delay", {kKeepsMessages, kDelays}},
    OldKind{"drip", {kKeepsMessages}},
    OldKind{"bandwidth", {kKeepsMessages}},
    OldKind{"hold", {kKeepsMessages}},
    OldKind{"stall", {kKeepsMessages, kCutsOff}},
    OldKind{"drop", {kLosesMessages, kDrops}},
    OldKind{"duplicate", {kRepeats}},
    OldKind{"reset", {kLosesMessages}},
    OldKind{"black-hole", {kLosesMessages, kKeepsMessages, kCutsOff}},
    OldKind{"partition", {kLosesMessages, kKeepsMessages, kCutsOff}},
    OldKind{"jump", {kMovesClock, kJumps}},
    OldKind{"drift", {kMovesClock}},
    OldKind{"strobe", {kMovesClock}},
    OldKind{"cut-replication", {kCutsReplication}},
    OldKind{"promote", {kLosesData, kTakesOver}},
    OldKind{"restart", {kLosesData, kRestarts}},
    OldKind{"snapshot", {kBusies, kSaves}},
    OldKind{"flush", {kTakesKeys, kBusies}},
    OldKind{"delete-key", {kTakesKeys}},
    OldKind{"evict", {kTakesKeys, kBusies}},
    OldKind{"forget-scripts", {kForgetsScripts}},
};

}  // namespace

FaultTraits TraitsOfOldKind(std::string_view kind) {
  const auto* found = std::ranges::find(kOldKinds, kind, &OldKind::kind);
  return found == kOldKinds.end() ? FaultTraits{} : found->traits;
}

}  // namespace doublehold
