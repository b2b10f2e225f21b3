// How a partition splits clients and nodes, by name. A name becomes a list of cut links when a plan
// is made.
#ifndef DOUBLEHOLD_FAULTS_PLANS_SIDES_H_
#define DOUBLEHOLD_FAULTS_PLANS_SIDES_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/prng.h"
#include "lib/base/result.h"
#include "lib/plan/plan.h"

namespace doublehold {

//   minority  every client (or the named one) is cut off from fewer than half of the nodes, drawn
//             at random
//   majority  every client (or the named one) is cut off from more than half of the nodes, drawn
//             at random
//   ring      client c reaches only the majority that begins at node c; so any two clients share
//             a node
std::vector<std::string> SideNames();

// Returns the links of `client`, or of every client if it is 0, that are to be cut. Returns bad
// input if there are too few nodes.
Result<std::vector<Link>> CutLinks(std::string_view sides, int client, const Plan& plan,
                                   Prng& random);

// Draws `count` different nodes, sorted. The store is not among them.
std::vector<int> DrawNodes(int count, int nodes, Prng& random);

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PLANS_SIDES_H_
