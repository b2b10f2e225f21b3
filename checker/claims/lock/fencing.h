// The claim `fencing`: tokens rise from grant to grant, and the store rejects a token below one
// that it has seen.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LOCK_FENCING_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LOCK_FENCING_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// Two grants of a key have a certain order only if one was answered before the other was invoked.
// Between such grants the tokens must rise:
//
//   c1:  A-a===R-r                 #5    violated: #5 was granted before #4 was even requested
//   c2:             A-a===R-r      #4
//
//   c1:  A-----------a===R-r       #5    no violation: c2's grant may have come first, its lease
//   c2:    A----!---------aR-x     #4    ended before c1's grant, and its answer been late
//
// Two concurrent grants leave a doubt if the grant with the larger token was answered within the
// other's lease. Either the larger token came first, so that tokens fell, or the lock was granted
// twice. Which of the two happened is undecidable, so the claim is unknown:
//
//   c1:  A-----a=R-r               #2    this grant came first, or within c2's lease
//   c2:    A---------a====R-r      #1
//
// If both clients were promised the key at the same instant, `lease-exclusion` reports that.
//
// Two grants with the same token are a violation in either order. Exception: an owner that
// re-enters, or that may have kept the key, may get its own token again.
//
// A read or write with a token that returned `ok` proves that the store compared and remembered the
// token. After it has answered a larger token, the store must refuse a smaller one:
//
//   c1:  A-a=g==!=========W-w      #4    violated: c2's write had been answered before c1's was
//   c2:           A-a=g=w=R-r      #5    sent, whatever delayed c1
//
//   c1:  A-a=g==!=W---------w      #4    no violation: c1's write may have come first
//   c2:           A-a=g=w=R-r      #5
//
// If the store compares tokens on writes only, its reads are recorded with token 0. So case K33
// (docs/cases.md) does not violate this claim: the store accepted no stale token, although the
// stock is wrong. A write of unknown outcome proves nothing either.
//
// Unknown where most grants carried no token, or had no other token of their key to compare with.
ClaimVerdict CheckFencing(const Evidence& evidence, const Limits& limits);

// Whether the store prevents every write over a value that the writer had not read. True if every
// read and write showed a token, tokens rose, and no stale token was accepted. Proof: suppose that
// a write of another grant took effect between a read and the write that followed it. If the other
// grant's token was larger, the store refuses the following write. If it was smaller, the store
// refused the other write, since the read had shown the larger token.
bool StoreRefusesStaleWrites(const Evidence& evidence);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_FENCING_H_
