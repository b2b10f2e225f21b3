// Explains why no order exists: where the longest order ends, which operation cannot follow, and a
// picture of the operations near that point.
//
//   up to the return of write 2 by 1 (line 3) the operations can be ordered; then read -> 1 by 2
//   (line 5) cannot follow, because the state is 2
//     line 1   write 1 by 0   |----|
//     line 3   write 2 by 1           |----|
//     line 5 > read -> 1 by 2                 |----|
#ifndef DOUBLEHOLD_CHECKER_LINEAR_EXPLAIN_H_
#define DOUBLEHOLD_CHECKER_LINEAR_EXPLAIN_H_

#include <span>
#include <string>

#include "checker/linear/search.h"

namespace doublehold {

// Requires a violated result. Returns several lines, each with a line break.
std::string Explain(const Model& model, std::span<const Operation> operations,
                    const SearchResult& result);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_EXPLAIN_H_
