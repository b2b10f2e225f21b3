// The claim `availability`: a free lock is granted within lease and grace to a client that asks.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_AVAILABILITY_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_AVAILABILITY_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// A client asked when the key had certainly been free (free_intervals.h) for longer than lease and
// grace, and was refused:
//
//   c1:  A-a==R-r        >             violated: nobody has it since `r`, and nothing of what was before can be in the way
//   c2:                     A-x
//
// One refusal is enough where it says that the key is taken: on one node, of a built-in lock, or of
// a library that tells for how long. A library that does not may have had no time to ask; and where
// there are several nodes, one may have answered too late, or another may have asked at the same
// time and each got a part. There it must have been asking for so long, again and again, with never
// more than a lease between; and two that refuse each other for so long are each refused a free
// key:
//
//   c1:  A-x A-x A-x  >  A-x           violated, on three nodes, twice
//   c2:  A-x A-x A-x  >  A-x
//
// The time begins anew with the end of every fault, but of one that is on a minority of several
// nodes and on no client; and of every stall of more than half the grace of who asked, or of what
// is on the way. Time in which it stood still does not count. Four doubts about a refusal leave it
// unknown.
// Something may be left after a fault that moved a clock or lost data; after any, where the end of
// a lease is not known; and where there may be a queue, after any but a pause of clients: in
// `redisson-fair`, and in any library on one node. What comes late or twice may have a place in it
// for long.
// On several nodes what is not refused at once may have waited for answers that came too late, and
// what came before it is another matter. On one node another may stand before it in a queue: any
// that has asked since it was last granted the key. And a driver whose call was not answered asks
// nothing until it is.
//
// How often it was asked for within a call that takes long nobody knows. Where one such call, or on
// several nodes one after the other, was refused all the time, it is unknown:
//
//   c1:  A-a==R-r
//   c2:           A---- > ----xA---- > ----x
//
// But where each of those that may stand before it asks as long as it does, again and again, one of
// them is to be granted the key, whatever their order; if none is,
//
//   c1:  A-a==R-r   A-x A-x A-x >  A-x        violated, on one node: a queue in which nobody gets on
//   c2:      A-x  A-x A-x A-x   >    A-x
//
// Nor is it known where a grant came later than lease and grace, and no refusal before it was late:
// it may have been given in time. Of that nothing is said where another that asked meanwhile may
// have been granted the key first.
//
// Once for each client and stretch. Unknown where no free key was granted, or where more were
// granted too late, under what disturbed it, or were not answered, than were granted in time.
ClaimVerdict CheckAvailability(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_AVAILABILITY_H_
