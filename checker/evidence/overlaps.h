// Which holds overlap: one pass, in the order in which they were granted.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_OVERLAPS_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_OVERLAPS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "checker/evidence/holds.h"

namespace doublehold {

// Of a hold, see holds.h: what its client believed; where its lease was valid then; and all that it
// was promised.
enum class Part : uint8_t { kCore, kLive, kPromised };

// A hold that began while other clients held its key, and one of them: rather one whose lease was
// valid as well, since no stall excuses that; then the one it overlapped longest.
struct OverlapFound {
  size_t first = 0;  // into Holds::all; granted before `second`
  size_t second = 0;
  Span where;      // the first stretch of the overlap
  int others = 0;  // how many further clients' holds `second` overlapped
};

// Whether two clients were promised a key, at the same instant.
bool PromisedAtOnce(const Hold& a, const Hold& b);

// Every hold that overlaps one granted before it, of the same key and another owner, once; but for
// readers among themselves. So each pair that overlaps is behind one of them. Time: holds times
// those open at once.
std::vector<OverlapFound> FindOverlaps(const Holds& holds, Part part);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_OVERLAPS_H_
