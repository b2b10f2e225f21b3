// Finds overlapping holds in one pass, in the order of their grants.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_OVERLAPS_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_OVERLAPS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "checker/evidence/holds.h"

namespace doublehold {

// The part of a hold to compare (see holds.h):
// - kCore: the core, from the time at which the client enters its section.
// - kLive: the live spans.
// - kPromised: the live and the promised spans.
enum class Part : uint8_t { kCore, kLive, kPromised };

// A hold that was granted while other owners held its key, and one of the holds of those owners. If
// several holds qualify as `first`, these criteria decide, in this order:
// 1. Both holds are promised where the overlap begins. No stall of a holder explains such an
//    overlap.
// 2. Neither hold is doubtful where the overlap begins.
// 3. The overlap is the longest.
struct OverlapFound {
  size_t first = 0;  // index into Holds::all; granted before `second`
  size_t second = 0;
  Span where;      // the first span of the overlap
  int others = 0;  // number of further owners whose holds `second` overlaps
};

// Whether two owners were promised a key at the same time.
bool PromisedAtOnce(const Hold& a, const Hold& b);

// Returns each hold that overlaps an earlier hold of the same key by another owner. Returns each
// hold only once. Shared holds may overlap each other. Takes O(nm) time for n holds, of which at
// most m overlap at a time.
std::vector<OverlapFound> FindOverlaps(const Holds& holds, Part part);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_OVERLAPS_H_
