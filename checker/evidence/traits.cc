#include "checker/evidence/traits.h"

#include <algorithm>
#include <array>

#include "checker/evidence/library.h"

namespace doublehold {
namespace {

using enum FaultTrait;
using enum LockTrait;

struct KnownKind {
  std::string_view kind;
  FaultTraits traits;
};

constexpr std::array kKnownKinds{
    KnownKind{"pause", {kStops}},
    KnownKind{"crash", {kKills}},
    KnownKind{"slow", {kSlows}},
    KnownKind{"delay", {kKeepsMessages, kDelays}},
    KnownKind{"drip", {kKeepsMessages}},
    KnownKind{"bandwidth", {kKeepsMessages}},
    KnownKind{"hold", {kKeepsMessages}},
    KnownKind{"stall", {kKeepsMessages, kCutsOff}},
    KnownKind{"drop", {kLosesMessages, kDrops}},
    KnownKind{"duplicate", {kRepeats}},
    KnownKind{"reset", {kLosesMessages}},
    KnownKind{"black-hole", {kLosesMessages, kKeepsMessages, kCutsOff}},
    KnownKind{"partition", {kLosesMessages, kKeepsMessages, kCutsOff}},
    KnownKind{"jump", {kMovesClock, kJumps}},
    KnownKind{"drift", {kMovesClock}},
    KnownKind{"strobe", {kMovesClock}},
    KnownKind{"cut-replication", {kCutsReplication}},
    KnownKind{"promote", {kLosesData, kTakesOver}},
    KnownKind{"restart", {kLosesData, kRestarts}},
    KnownKind{"snapshot", {kBusies, kSaves}},
    KnownKind{"flush", {kTakesKeys, kBusies}},
    KnownKind{"delete-key", {kTakesKeys}},
    KnownKind{"evict", {kTakesKeys, kBusies}},
    KnownKind{"forget-scripts", {kForgetsScripts}},
};

struct KnownLock {
  std::string_view lock;
  LockTraits traits;
};

// Lists only the locks whose traits a checker reads.
constexpr std::array kKnownLocks{
    KnownLock{"none", {kGrantsAll}},
    KnownLock{"set-nx-px-get-del", {kLooksFirst}},
    KnownLock{"setnx-getset", {kClientClocks}},
    KnownLock{"setnx-getset-expired", {kClientClocks, kLooksFirst}},
    KnownLock{"redisson-fair", {kQueue}},
    KnownLock{"redlock", {kMajority}},
    KnownLock{"redlock-redisson", {kMajority}},
};

}  // namespace

FaultTraits TraitsOfKind(std::string_view kind) {
  const auto* found = std::ranges::find(kKnownKinds, kind, &KnownKind::kind);
  return found == kKnownKinds.end() ? FaultTraits{} : found->traits;
}

bool IsDescribed(const FaultFact& fault) {
  return fault.traits ||
         std::ranges::find(kKnownKinds, fault.kind, &KnownKind::kind) != kKnownKinds.end();
}

LockTraits TraitsOfLock(std::string_view lock) {
  const auto* found = std::ranges::find(kKnownLocks, lock, &KnownLock::lock);
  return found == kKnownLocks.end() ? LockTraits{} : found->traits;
}

FaultTraits TraitsOf(const FaultFact& fault) {
  return fault.traits ? *fault.traits : TraitsOfKind(fault.kind);
}

bool Does(const FaultFact& fault, FaultTrait trait) { return TraitsOf(fault).Has(trait); }

bool LockHas(const RunFacts& facts, LockTrait trait) {
  return (facts.lock_traits ? *facts.lock_traits : TraitsOfLock(facts.lock)).Has(trait);
}

bool KeepsQueue(const RunFacts& facts) {
  return LockHas(facts, LockTrait::kQueue) && !LockHas(facts, LockTrait::kGrantsAll);
}

bool MayHaveQueue(const RunFacts& facts) {
  return facts.library || !facts.lock_traits || facts.lock_traits->Has(LockTrait::kQueue);
}

bool IsOnOneNode(const RunFacts& facts) { return facts.nodes <= 1; }

bool IsReentrant(const RunFacts& facts) {
  return LibraryCan(facts, "reentrant") || LockHas(facts, LockTrait::kReentry);
}

bool MayBeReentrant(const RunFacts& facts) {
  return facts.library || !facts.lock_traits || facts.lock_traits->Has(LockTrait::kReentry);
}

bool MayResend(const RunFacts& facts) {
  return facts.library || !facts.lock_traits || !facts.lock_traits->Has(LockTrait::kSendsOnce);
}

}  // namespace doublehold
