// The claim `key-leak`: no key outlives its release.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_KEY_LEAK_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_KEY_LEAK_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// At the end the referee looks on every lock server whether the key exists (`expiry`). A key was
// left behind if it exists although every hold of it has an answered release. Nobody can acquire
// the lock until the key expires.
//
//   c1:      A-a==R-r
//   expiry:            *  | 280      violated: the key was left for 280 ms more
//   expiry:            *  | -2       nothing: the key does not exist
//
// A key with another possible explanation does not count:
//
//   c1:  A-?                         an acquire or a release of unknown outcome
//   c1:  A-a==g===                   it was never released
//   c1:  A-a==R------r               a fault or a stall may delay the message that frees the key:
//   fault:      [-----               since the last release; on several servers, since the last SET
//   expiry:           *  | -1        the only server grants the lock long before the key expires:
//   probe:              P-p          some locks keep their key when nobody holds them
//
// A key does not count either where a server may have returned with older data, or a client died.
// Unknown in these cases:
// - only such keys are left, or no key was granted;
// - most keys were not looked for: so for locks whose value says when they end;
// - a server did not answer, or was asked for another key, so its copy of a key is unknown.
//
// Only a look after the last grant and release counts: before that, the key is in use. The key may
// also be in use during a failed acquire, which may have set the key and removed it again.
//
// A leaked key with a TTL is visible only until the TTL expires. The verdict says how many keys
// were looked for after that. Those were judged only for keys without a TTL, or with one that is
// still renewed. With `idle-traffic`, clients stay for a lease, so every look is late:
//
//   c1:      A-a==R-r  !
//   expiry:               *  | -2
ClaimVerdict CheckKeyLeak(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_KEY_LEAK_H_
