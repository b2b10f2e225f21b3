// The claim `key-leak`: no key remains after its holders have released it.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_KEY_LEAK_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_KEY_LEAK_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// At the end of a run, the referee reads the TTL of each key on every lock server (`expiry`). A key
// leaked if it exists although each of its holds has an answered release. No client can acquire the
// lock until the key expires.
//
//   c1:      A-a==R-r
//   expiry:            *  | 280      violated: the key exists for 280 ms more
//   expiry:            *  | -2       no violation: the key does not exist
//
// A key with another possible explanation does not count:
//
//   c1:  A-?                         an acquire or a release of unknown outcome
//   c1:  A-a==g===                   a hold was never released
//   c1:  A-a==R------r               a fault or a stall may delay the message that frees the key
//   fault:      [-----
//   duplicate: [--]                  a copy of an acquire that a fault or the machine made may have
//                                    the key (evidence/second_copies.h)
//   expiry:           *  | -1        the only server grants the lock long before the key expires:
//   probe:              P-p          some locks keep their key when nobody holds them
//
// A fault, or a stall of more than a tenth of a lease, counts if it was active after the invocation
// of the last release. On several servers, it counts if it was active a lease before the last SET
// or extension, or later. If the leaked key has no TTL there, all faults and stalls count.
//
// On several servers, a call may be answered before all of its messages have arrived. So a key that
// was read sooner than a tenth of a lease after the last answer does not count: shorter stalls are
// not recorded.
//
// A key does not count if a client or a server died, or if a server may have returned with older
// data. On several servers, no key counts if a clock was moved.
//
// Unknown in these cases:
// - all existing keys have another explanation, or no key was granted;
// - most granted keys were not read. If the value of a key contains the end of the lease, the
//   referee does not read the key;
// - a key was not read on a server on which the referee tried to read any key.
//
// A reading counts only after the last grant and release, because the key is in use until then. The
// key may also be in use during a failed acquire, which may have set the key and removed it again.
//
// A leaked key with a TTL exists only until the TTL expires. The verdict gives the number of keys
// that were read only after the last lease. Among these keys, the verdict covers only leaks without
// a TTL, or with a TTL that is still renewed. With `idle-traffic`, clients stay for a lease, so
// every reading is late:
//
//   c1:      A-a==R-r  !
//   expiry:               *  | -2
ClaimVerdict CheckKeyLeak(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_KEY_LEAK_H_
