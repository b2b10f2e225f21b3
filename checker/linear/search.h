// Searches for an order of operations that a model allows: Wing and Gong's search with Lowe's
// memory of visited configurations, working along the returns.
//
//   c1: |--w1--|           At each return the returning operation must have its place by then.
//   c2:    |----r2---|     The search places an operation only when a return forces it to: w1 at
//   c3:       |--w3-----|  its return, r2 at its own. If r2 read w3's value, w3, which is open
//                          then, is placed before r2.
//
// Between two returns only the open operations matter. So a configuration is remembered as (return,
// which open operations have their place, state). Memory grows with the number of tried
// configurations, and not with the square of the history's length.
//
// Soundness: each operation is tried at every place that its interval allows. So "violated" means
// that no order exists, and "valid" that one was found. A reached limit is "unknown".
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
  int64_t configurations = 20'000'000;  // how many are remembered; some 100 bytes each
  // Approximate memory of the remembered configurations; large states (a set, a text) take more.
  int64_t memory_bytes = int64_t{2} << 30;
  size_t open_operations = 1024;  // at one instant, including those of unknown outcome
};

struct SearchResult {
  Outcome outcome = Outcome::kUnknown;
  std::string reason;  // if unknown: which limit was reached
  int64_t configurations = 0;
  // For a violation: the longest prefix that can be ordered ends before the return of `stuck`, and
  // no state reachable by then has a place for it.
  size_t stuck = 0;                // index into the operations
  std::vector<size_t> open;        // the other operations that were open at that return
  std::vector<ModelState> states;  // a few of the states reachable there
};

// `operations` may be in any order. Pure. Time: n log n at best, exponential in the number of
// concurrently open operations at worst.
SearchResult FindOrder(const Model& model, const ModelParameters& parameters,
                       std::span<const Operation> operations, const SearchLimits& limits = {});

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_SEARCH_H_
