// The claim `max-wait`: no client waits for a key longer than a limit.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIMITS_MAX_WAIT_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIMITS_MAX_WAIT_H_

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// A session waits from its first acquire to its grant. A client that gives up and retries later has
// waited in both tries: all its tries since its last grant are one wait. The time between tries
// does not count.
//
//   c1:       Q-A-a==R-r   Q-A-a==R-r     granted again and again
//   c2:    Q-A-x------q  Q-A-x------q     one wait, so far the sum of both
//
// An unfinished wait has lasted at least to the end of the run. A fault is no excuse, since the
// limit is on the waits that users see under faults. Exception: a fault that stops the waiting
// client itself or slows its section. The time of such a fault, and of every stall of the machine,
// is subtracted once. A wait that is within the limit only after this subtraction is unknown.
//
// If an acquire within the wait was, or may have been, granted, only the wait before this acquire
// is certain:
//
//   c1:  Q-A-----?  Q-A-----x      certain: from Q to the invocation of the unanswered acquire
//
// An acquire that has no answer when its try ends counts too, unless it is refused later.
//
// Two more waits are unknown:
// - a wait over the limit whose certain part is within the limit;
// - an unanswered wait within the limit that exceeds the limit if it lasted to the end of the
//   history.
//
// Counts each wait at most once. Unknown if no limit is set, and if ungranted waits within the
// limit outnumber all other waits.
ClaimVerdict CheckMaxWait(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIMITS_MAX_WAIT_H_
