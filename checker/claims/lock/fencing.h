// The claim `fencing`: tokens rise from grant to grant, and the store takes none below one it has
// seen.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LOCK_FENCING_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LOCK_FENCING_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// Of two grants of a key only those have an order for certain of which one was answered before the
// other was asked for. The tokens must rise between these:
//
//   c1:  A-a===R-r                 #5    violated: #5 was given before #4 was even asked for
//   c2:             A-a===R-r      #4
//
//   c1:  A-----------a===R-r       #5    nothing: c2's grant may have been made first, its answer
//   c2:    A----!---------aR-x     #4    been late, and its lease been over
//
// But where the one with the larger token can only have come second if it came within the other's
// lease, either tokens went back or the lock was granted twice; which of the two nobody can tell,
// and it is unknown:
//
//   c1:  A-----a=R-r               #2    it came first, or within c2's lease
//   c2:    A---------a====R-r      #1
//
// Where `lease-exclusion` sees that the two were promised the key at once, it is that.
//
// Two grants with one token are wrong whatever their order, but that an owner who is let in again
// may be given its own token again: one that had not released the key, or perhaps had not.
//
// A read or write that was answered `ok` with a token: the store compared it, and has seen it. So
// after the answer to a larger one it must refuse a smaller one:
//
//   c1:  A-a=g==!=========W-w      #4    violated: c2's write had been answered before c1's was
//   c2:           A-a=g=w=R-r      #5    sent, whatever kept c1
//
//   c1:  A-a=g==!=W---------w      #4    nothing: c1's write may have been made first
//   c2:           A-a=g=w=R-r      #5
//
// A store that compares on writes only shows no token on its reads (0), so K33 is no violation of
// this claim: nothing stale was accepted, and yet the stock is wrong. A write of unknown outcome
// shows nothing either.
//
// Unknown where most grants carried no token, or were of a key of which there was no other token to
// compare theirs with.
ClaimVerdict CheckFencing(const Evidence& evidence, const Limits& limits);

// Whether nothing can have been written over what its writer had not read, because the store
// refuses it: every read and every write showed a token, tokens rose, and none that was stale was
// taken. Take a write that was carried out, and one by another grant that was carried out between
// its read and itself: the later token of the two refuses the other.
bool StoreRefusesStaleWrites(const Evidence& evidence);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_FENCING_H_
