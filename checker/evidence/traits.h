// The traits of a fault and of a lock, as the history records them. A history of version 0.1.0 does
// not record them; then they follow from the name of the fault or lock.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_TRAITS_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_TRAITS_H_

#include <string_view>

#include "lib/history/history.h"

namespace doublehold {

FaultTraits TraitsOf(const FaultFact& fault);
// Returns false if the history does not describe the fault's kind, and version 0.1.0 did not have
// that kind. Such a fault may do anything.
bool IsDescribed(const FaultFact& fault);
bool Does(const FaultFact& fault, FaultTrait trait);

bool LockHas(const RunFacts& facts, LockTrait trait);
// Whether the lock must serve its waiters in FIFO order. For a library the history does not record
// this.
bool KeepsQueue(const RunFacts& facts);

// Traits by the names of version 0.1.0 alone. Newer faults and locks state their traits in their
// registry entries, so nothing is added here. An unknown name has no traits.
FaultTraits TraitsOfOldKind(std::string_view kind);
LockTraits TraitsOfOldLock(std::string_view lock);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_TRAITS_H_
