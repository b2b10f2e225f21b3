#include "checker/evidence/traits.h"

#include <algorithm>
#include <array>

namespace doublehold {
namespace {

using enum FaultTrait;
using enum LockTrait;

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

struct OldLock {
  std::string_view lock;
  LockTraits traits;
};

// Lists only the locks whose traits a checker reads.
constexpr std::array kOldLocks{
    OldLock{"none", {kGrantsAll}},
    OldLock{"set-nx-px-get-del", {kLooksFirst}},
    OldLock{"setnx-getset", {kClientClocks}},
    OldLock{"setnx-getset-expired", {kClientClocks, kLooksFirst}},
    OldLock{"redisson-fair", {kQueue}},
    OldLock{"redlock", {kMajority}},
    OldLock{"redlock-redisson", {kMajority}},
};

}  // namespace

FaultTraits TraitsOfOldKind(std::string_view kind) {
  const auto* found = std::ranges::find(kOldKinds, kind, &OldKind::kind);
  return found == kOldKinds.end() ? FaultTraits{} : found->traits;
}

bool IsDescribed(const FaultFact& fault) {
  return fault.traits ||
         std::ranges::find(kOldKinds, fault.kind, &OldKind::kind) != kOldKinds.end();
}

LockTraits TraitsOfOldLock(std::string_view lock) {
  const auto* found = std::ranges::find(kOldLocks, lock, &OldLock::lock);
  return found == kOldLocks.end() ? LockTraits{} : found->traits;
}

FaultTraits TraitsOf(const FaultFact& fault) {
  return fault.traits ? *fault.traits : TraitsOfOldKind(fault.kind);
}

bool Does(const FaultFact& fault, FaultTrait trait) { return TraitsOf(fault).Has(trait); }

bool LockHas(const RunFacts& facts, LockTrait trait) {
  return (facts.lock_traits ? *facts.lock_traits : TraitsOfOldLock(facts.lock)).Has(trait);
}

bool KeepsQueue(const RunFacts& facts) {
  return LockHas(facts, LockTrait::kQueue) && !LockHas(facts, LockTrait::kGrantsAll);
}

bool MayHaveQueue(const RunFacts& facts) {
  return facts.library || !facts.lock_traits || facts.lock_traits->Has(LockTrait::kQueue);
}

}  // namespace doublehold
