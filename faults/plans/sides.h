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
//   majority  the same, from more than half of the nodes
//   ring      client c reaches only the majority that begins at node c; any two majorities meet
std::vector<std::string> SideNames();

// Returns the links to cut; `client` 0: every client. Bad input when there are too few nodes.
Result<std::vector<Link>> CutLinks(std::string_view sides, int client, const Plan& plan,
                                   Prng& random);

// Draws `count` different nodes, sorted. The store is not among them.
std::vector<int> DrawNodes(int count, int nodes, Prng& random);

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PLANS_SIDES_H_
