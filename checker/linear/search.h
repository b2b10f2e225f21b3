// Whether operations can be put into an order that a model allows: Wing and Gong's search with
// Lowe's memory of where it has been, working along the returns.
//
//   c1: |--w1--|           At each return, the operation that returns must have its place by then. So the search decides
//   c2:    |----r2---|     nothing before a return forces it to: w1 is placed at its return, r2 at its own, and w3, which
//   c3:       |--w3-----|  is open then, is placed before r2 if r2 read what w3 wrote.
//
// Between two returns only the operations that are open matter: where the search has been is
// remembered as (return, which of the open ones have their place, state), so memory grows with what
// was tried, and not with the history's length squared.
//
// Soundness: an operation is tried at every place that its interval allows, so "violated" means
// that no order exists, and "valid" means that one was found. A limit reached is "unknown".
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
  int64_t configurations = 20'000'000;  // remembered; some 100 bytes each
  // Of the remembered configurations, about: large states (a set, a text) take more.
  int64_t memory_bytes = int64_t{2} << 30;
  size_t open_operations = 1024;  // at one instant, those of unknown outcome included
};

struct SearchResult {
  Outcome3 outcome = Outcome3::kUnknown;
  std::string reason;  // of unknown: which limit
  int64_t configurations = 0;
  // Of a violation: the longest prefix that can be ordered ends before this operation's return, and
  // none of the states that can be reached by then has a place for it.
  size_t stuck = 0;                // into the operations
  std::vector<size_t> open;        // the others that were open at that return
  std::vector<ModelState> states;  // reached there: a few of them
};

// `operations` in any order. Pure. Time: at best n log n; at worst exponential in how many are open
// at once.
SearchResult FindOrder(const Model& model, const ModelParameters& parameters,
                       std::span<const Operation> operations, const SearchLimits& limits = {});

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_SEARCH_H_
