// What a fault does and how a lock works, as the history says; of a history of version 0.1.0, which
// does not say it, as those of these names did and worked then.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_TRAITS_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_TRAITS_H_

#include <string_view>

#include "lib/history/history.h"

namespace doublehold {

FaultTraits TraitsOf(const FaultFact& fault);
// False: of a kind that its history does not describe, and that version 0.1.0 did not have. It may
// do anything.
bool IsDescribed(const FaultFact& fault);
bool Does(const FaultFact& fault, FaultTrait trait);

bool LockHas(const RunFacts& facts, LockTrait trait);
// Whether who waits longest is to be next. Of a library that is not recorded.
bool KeepsQueue(const RunFacts& facts);

// Of the names of version 0.1.0 alone: what is newer says it in its registry entry, and is not
// added here. None of a name that is not known.
FaultTraits TraitsOfOldKind(std::string_view kind);
LockTraits TraitsOfOldLock(std::string_view lock);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_TRAITS_H_
