// Searches for an order of operations that a model allows: Wing and Gong's search with Lowe's cache
// of visited configurations. The search goes from return to return.
//
//   c1: |--w1--|           An operation must be placed in the order by its return. The search
//   c2:    |----r2---|     places operations only at a return: w1 at the return of w1, r2 at the
//   c3:       |--w3-----|  return of r2. If r2 read the value of w3, the search places the open
//                          w3 before r2.
//
// At a return only the open operations can still be placed. A cached configuration is therefore
// (return, placed open operations, state). Memory grows with the number of tried configurations,
// and not with the square of the history's length.
//
// An operation of unknown outcome is placed only just before one that needs it: one that cannot
// follow without it, or would lead to another state. Without a needless operation the order stays
// an order. For the same reason the search skips a configuration in which the same operations are
// placed as in a visited one, and more of unknown outcome.
//
// Soundness: the search tries each operation at every place that its interval allows, or there is
// an order without it. So "violated" means that no order exists, and "valid" that the search found
// one. A reached limit is "unknown".
#ifndef DOUBLEHOLD_CHECKER_LINEAR_SEARCH_H_
#define DOUBLEHOLD_CHECKER_LINEAR_SEARCH_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "checker/linear/model.h"
#include "checker/linear/operation.h"
#include "checker/verdict/checker.h"

namespace doublehold {

struct SearchLimits {
  int64_t configurations = 20'000'000;  // in the cache; some 150 bytes each
  // Approximate memory of the cache. Large states (a set, a text) take more than 150 bytes.
  int64_t memory_bytes = int64_t{2} << 30;
  size_t open_operations = 1024;  // at one instant; includes operations of unknown outcome
};

struct SearchResult {
  Outcome outcome = Outcome::kUnknown;
  std::string reason;  // if unknown: which limit was reached
  int64_t configurations = 0;
  // For a violation: the longest prefix that can be ordered ends before the return of `stuck`. No
  // state reachable by that return allows `stuck`.
  size_t stuck = 0;                // index into the operations
  std::vector<size_t> open;        // indices of the other operations open at that return
  std::vector<ModelState> states;  // a few of the states reachable by that return
};

// A pure function. `operations` may be in any order. Takes n log n time at best. At worst, the time
// is exponential in the number of operations open at once.
SearchResult FindOrder(const Model& model, const ModelParameters& parameters,
                       std::span<const Operation> operations, const SearchLimits& limits = {});

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_SEARCH_H_
