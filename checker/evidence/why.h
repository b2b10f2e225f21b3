// Why an observation may have another explanation, with the event behind it. A doubt names it.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_WHY_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_WHY_H_

#include <cstdint>
#include <optional>

#include "checker/evidence/calls.h"
#include "checker/evidence/disturbances.h"

namespace doublehold {

// Points into the evidence. `call` is set for the first five, but for kGranted with a hold, `fault` and `stall` for theirs.
struct Why {
  enum class What : uint8_t {
    kUnanswered,  // the call may take effect at any time
    kUnchecked,   // the release frees whatever is there
    kTwice,       // the call may have been carried out twice
    kGranted,     // the acquire may have been granted meanwhile
    kReentry,     // the acquire may have been a re-entry, which need not ask a server
    kFault,
    kStall,
    kReader,   // readers may keep each other's locks alive
    kEntries,  // the session may have entered the lock more than once
    kLease,    // the lease may have ended earlier
  };
  What what = What::kFault;
  const Call* call = nullptr;
  const Hold* hold = nullptr;  // kGranted: instead of the call; kLease: with that lease
  const FaultEpisode* fault = nullptr;
  const Stall* stall = nullptr;
};

// Returns the first of them that is set.
template <typename... Others>
std::optional<Why> FirstOf(const std::optional<Why>& first, const Others&... others) {
  std::optional<Why> found = first;
  ((found = found ? found : others), ...);
  return found;
}

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_WHY_H_
