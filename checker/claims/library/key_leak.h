// The claim `key-leak`: no key outlives its release.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_KEY_LEAK_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_KEY_LEAK_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// Once everybody has gone home the referee looks, on every server of locks, whether a key is there
// (`expiry`). One that is there, although all who were granted it have released it and were
// answered, was left behind: nobody can have it until it expires.
//
//   c1:      A-a==R-r
//   expiry:            *  | 280      violated: c1's release left it, for 280 ms more
//   expiry:            *  | -2       nothing: it is not there
//
// Nothing that may explain it otherwise is counted:
//
//   c1:  A-?                         whether it was granted, nobody knows; or released, likewise
//   c1:  A-a==g===                   it was never released
//   c1:  A-a==R------r               what was to free it on a server may be on its way there: a fault, or a stall of the machine,
//   fault:      [-----               from the last release on; on several servers, from when it was last set on
//   expiry:           *  | -1        the only server grants the lock long before the key is to go: some keep it there
//   probe:              P-p          when nobody has the lock
//
// nor where a server may have come back with older data, or a client died. Unknown where only such
// keys are left, where none was granted, and where most were not looked for, as of locks of which
// the value says when they end; or not on a server on which another key was, or that did not
// answer. Only a look after the last grant and release counts: before that it is in use. So it may
// be while an acquire is under way that fails: it may have set the key, and taken it back.
//
// What is left for the rest of its lease is gone when that is over. A verdict says of how many keys
// the look came after that: those were judged only for what has no lease, or goes on being
// extended. So it is with `idle-traffic`, for which clients stay for a lease.
//
//   c1:      A-a==R-r  !
//   expiry:               *  | -2
ClaimVerdict CheckKeyLeak(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_KEY_LEAK_H_
