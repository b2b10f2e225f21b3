// The traits of a fault and of a lock, as the history records them. If a history of version 0.1.0
// records no traits, they follow from the name of the fault or lock.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_TRAITS_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_TRAITS_H_

#include <string_view>

#include "lib/history/history.h"

namespace doublehold {

FaultTraits TraitsOf(const FaultFact& fault);
// Whether the traits of the fault are known: the history records them, or version 0.1.0 had its
// kind. A fault without known traits may do anything.
bool IsDescribed(const FaultFact& fault);
bool Does(const FaultFact& fault, FaultTrait trait);

bool LockHas(const RunFacts& facts, LockTrait trait);
// Whether the lock must grant the key to its waiters in FIFO order. The history does not record
// whether a library does.
bool KeepsQueue(const RunFacts& facts);

// Traits by the names of version 0.1.0 alone; an unknown name has none. Do not add newer faults and
// locks here: their registry entries state their traits, and histories record them.
FaultTraits TraitsOfOldKind(std::string_view kind);
LockTraits TraitsOfOldLock(std::string_view lock);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_TRAITS_H_
