// The traits of a fault and of a lock, as the history records them. A history written by hand may
// leave them out. In such a history, the name of a fault or lock determines its traits.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_TRAITS_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_TRAITS_H_

#include <string_view>

#include "lib/history/history.h"

namespace doublehold {

FaultTraits TraitsOf(const FaultFact& fault);
// Whether the traits of the fault are known: from the history, or to TraitsOfKind.
// A fault without known traits may do anything.
bool IsDescribed(const FaultFact& fault);
bool Does(const FaultFact& fault, FaultTrait trait);

bool LockHas(const RunFacts& facts, LockTrait trait);
// Whether the lock must grant the key to its waiters in FIFO order. The history does not record
// whether a library grants keys in this order.
bool KeepsQueue(const RunFacts& facts);
// Whether the lock may keep its waiters in a queue, in any order. True if the history does not
// describe the lock: for libraries, and for locks without recorded traits.
bool MayHaveQueue(const RunFacts& facts);

// Whether the lock is kept on one lock server. Otherwise, an answer comes from some of the nodes,
// and others may know something else.
bool IsOnOneNode(const RunFacts& facts);

// Whether the owner may enter the lock again, as far as the history says.
bool IsReentrant(const RunFacts& facts);
// Whether it may, if the history does not say so.
bool MayBeReentrant(const RunFacts& facts);
// Whether the lock may send a request again if it has no answer. False only if the history records
// the trait `sends-once`, so true for all libraries.
bool MayResend(const RunFacts& facts);

// Return the traits of a fault kind or a lock that a history by hand may name without them. Return
// no traits for any other name.
FaultTraits TraitsOfKind(std::string_view kind);
LockTraits TraitsOfLock(std::string_view lock);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_TRAITS_H_
