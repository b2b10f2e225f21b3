// How a partition splits clients and nodes, by name: turned into the links that are cut when a plan
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

//   minority  every client (or the one) is cut off from fewer nodes than half, which are drawn
//   majority  from more than half, which are drawn
//   ring      client c reaches the majority that begins at node c, and no other: any two meet somewhere
std::vector<std::string> SideNames();

// The links that are cut; `client` 0: of every client. Bad input when there are too few nodes for
// it.
Result<std::vector<Link>> CutLinks(std::string_view sides, int client, const Plan& plan,
                                   Prng& random);

// So many different nodes, in order; the store is none of them.
std::vector<int> DrawNodes(int count, int nodes, Prng& random);

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PLANS_SIDES_H_
