// Who waited for a server, and when: only that is held up while the server stands still.
#ifndef DOUBLEHOLD_CHECKER_SERVER_WAITS_H_
#define DOUBLEHOLD_CHECKER_SERVER_WAITS_H_

#include <vector>

#include "checker/scene.h"
#include "lib/history/history.h"

namespace doublehold {

// Fills in Stall::waiting of servers' stalls. Which server something was asked of is not recorded, so it may have been any:
//
//   c1:          A-a=W-------w=====R-r     waits from W on, to the end of the stall
//   c2:       A--?                         was not answered: its request may still be there, for a lease after that
//   c3:                     A-a            not before its A
//   c1.2:  A-a=====================R-r     its other thread asked for nothing
//   machine n1:     (---------)
void MarkWaiting(const History& history, std::vector<Stall>& stalls);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_SERVER_WAITS_H_
