// The claim `fencing`: tokens rise from grant to grant, and the store rejects a token smaller than
// one that it has accepted.
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
//   c1:  A-----------a===R-r       #5    no violation: c2 may have been granted first, and its
//   c2:    A----!---------aR-x     #4    lease may have ended before c1's grant
//
// Two concurrent grants make the claim unknown if the grant with the larger token was answered
// within the other grant's lease. Either the larger token was granted first, so that tokens fell,
// or the lock was granted twice:
//
//   c1:  A-----a=R-r               #2    this grant came first, or within c2's lease
//   c2:    A---------a====R-r      #1
//
// If both clients were promised the key at the same instant, `lease-exclusion` reports that.
//
// Two grants with the same token are a violation in either order. Exception: an owner that
// re-enters may get its own token again, and so may one that may hold the key after an unanswered
// call or by a second copy of an acquire (evidence/second_copies.h).
//
// A read or write with a token that returned `ok` proves that the store compared and remembered the
// token. After a call with a larger token was answered, the store must refuse a call with a smaller
// token:
//
//   c1:  A-a=g==!=========W-w      #4    violated: c2's write had been answered before c1's was
//   c2:           A-a=g=w=R-r      #5    sent, whatever delayed c1
//
//   c1:  A-a=g==!=W---------w      #4    no violation: c1's write may have come first
//   c2:           A-a=g=w=R-r      #5
//
// If the store compares tokens on writes only, its reads are recorded with token 0. So case K33
// (docs/cases.md) does not violate this claim: the store accepted no stale token, although the
// stock is wrong. A write of unknown outcome is ignored.
//
// Unknown if most grants carried no token, or could not be compared with another token of their
// key.
ClaimVerdict CheckFencing(const Evidence& evidence, const Limits& limits);

// Whether the store prevents every write of one token over a value that another token's holder
// wrote. True if every read and write showed a token, tokens rose, and no stale token was accepted.
// Proof: suppose that another client's write takes effect between a holder's read and the holder's
// write. If the other client's token is larger, the store refuses the holder's write. If it is
// smaller, the store refuses the other client's write, since the holder's read showed the larger
// token. A late write of the holder's own token, before a re-entry, is not prevented.
bool StoreRefusesStaleWrites(const Evidence& evidence);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_FENCING_H_
