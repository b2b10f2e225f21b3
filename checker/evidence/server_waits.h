// Who waited for a server, and when: only that is held up while the server stands still.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_SERVER_WAITS_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_SERVER_WAITS_H_

#include "checker/evidence/disturbances.h"
#include "lib/history/history.h"

namespace doublehold {

// Fills in Stall::waiting of servers' stalls, and Scene::waits where there are faults as well. Only
// the store is asked for what concerns the stock; of which of the others something was asked is not
// recorded, so it may have been any:
//
//   c1:        A-a=E-------e=====R-r     its watchdog waits from E on, to the end of the stall
//   c1.2:    A-a=================R-r     its other thread asked for nothing
//   c2:     A----?                       until it gives up, whether or not its request is still there
//   c3:     A----                        waits on: to the end, if that began within a lease of it
//   c4:    A-a=====W---w===R-r           asked the store: nothing
//   machine n1:   (---------)
void MarkWaiting(const History& history, Scene& scene);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_SERVER_WAITS_H_
