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
//   c1:  A-----------a===R-r       #5    nothing: c2's grant may have been made first, its answer
//   c2:    A----!---------aR-x     #4    been late, and its lease been over
//
// Two concurrent grants may have an order too: the one with the larger token was second only if it
// came within the other's lease. Then either tokens fell or the lock was granted twice. It is
// undecidable which, so the claim is unknown:
//
//   c1:  A-----a=R-r               #2    it came first, or within c2's lease
//   c2:    A---------a====R-r      #1
//
// If the two were promised the key at once, `lease-exclusion` reports it.
//
// Two grants with one token are wrong in any order. Exception: an owner that re-enters, or that may
// have kept the key, may get its own token again.
//
// A read or write with a token that returned `ok` proves that the store compared the token, and has
// seen it. After the answer to a larger token the store must refuse a smaller one:
//
//   c1:  A-a=g==!=========W-w      #4    violated: c2's write had been answered before c1's was
//   c2:           A-a=g=w=R-r      #5    sent, whatever delayed c1
//
//   c1:  A-a=g==!=W---------w      #4    nothing: c1's write may have been made first
//   c2:           A-a=g=w=R-r      #5
//
// A store that compares on writes only records no token on its reads (0). So K33 is no violation of
// this claim: no stale token was accepted, and yet the stock is wrong. A write of unknown outcome
// proves nothing either.
//
// Unknown where most grants carried no token, or where their keys had no other token to compare
// with.
ClaimVerdict CheckFencing(const Evidence& evidence, const Limits& limits);

// Whether the store prevents every write over a value that the writer had not read. True if every
// read and write showed a token, tokens rose, and no stale token was accepted. Proof: suppose that
// another grant's write took effect between a write and its read. Then the later token of the two
// refuses the other.
bool StoreRefusesStaleWrites(const Evidence& evidence);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_FENCING_H_
