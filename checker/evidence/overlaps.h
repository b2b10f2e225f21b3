// Finds overlapping holds in one pass, in the order of their grants.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_OVERLAPS_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_OVERLAPS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "checker/evidence/holds.h"

namespace doublehold {

// The part of a hold that is compared (see holds.h): all that its client believed, where its lease
// was valid, or all that its service promised.
enum class Part : uint8_t { kCore, kLive, kPromised };

// A hold that began while other clients held its key, and one of those holds. Prefers a hold whose
// lease was valid as well, since no stall excuses that; then the longest overlap.
struct OverlapFound {
  size_t first = 0;  // into Holds::all; granted before `second`
  size_t second = 0;
  Span where;      // the first span of the overlap
  int others = 0;  // how many further clients' holds `second` overlapped
};

// Whether two clients were promised a key at the same instant.
bool PromisedAtOnce(const Hold& a, const Hold& b);

// Returns, once, every hold that overlaps an earlier hold of the same key and another owner. Two
// shared holds may overlap. Every overlapping pair is thus represented by its later hold. Takes
// O(nm) time for n holds, of which m are open at once.
std::vector<OverlapFound> FindOverlaps(const Holds& holds, Part part);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_OVERLAPS_H_
