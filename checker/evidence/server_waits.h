// Which sessions waited for a server, and when: a stalled server delays only those.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_SERVER_WAITS_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_SERVER_WAITS_H_

#include "checker/evidence/disturbances.h"
#include "lib/history/history.h"

namespace doublehold {

// Fills in Stall::waiting of servers' stalls, and Scene::waits if the history has faults as well.
// Only stock operations go to the store. The history does not record which of the other servers was
// asked, so it may have been any:
//
//   c1:        A-a=E-------e=====R-r     its watchdog waits from E on, to the end of the stall
//   c1.2:    A-a=================R-r     its other thread asked for nothing
//   c2:     A----?                       until its timeout, even if its request is still there
//   c3:     A----                        no answer: to the end, if that began within a lease of it
//   c4:    A-a=====W---w===R-r           asked the store, not n1: no wait
//   machine n1:   (---------)
void MarkWaiting(const History& history, Scene& scene);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_SERVER_WAITS_H_
