// The event that may explain an observation otherwise. The sentence of a doubt names the event.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_WHY_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_WHY_H_

#include <cstdint>
#include <optional>

#include "checker/evidence/calls.h"
#include "checker/evidence/disturbances.h"

namespace doublehold {

// Points into the evidence.
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
    kShared,   // the lock was shared, so its loss cannot be judged
    kEntries,  // the session may have entered the lock more than once
    kLease,    // the record does not prove that the lock was still had
    kNodes,    // of several nodes, the release may have freed only some
  };
  What what = What::kFault;
  const Call* call = nullptr;           // kUnanswered to kReentry; null for kGranted with a hold
  const Hold* hold = nullptr;           // kGranted: instead of the call; kLease: with that lease
  const FaultEpisode* fault = nullptr;  // kFault
  const Stall* stall = nullptr;         // kStall

  // When the call was invoked, or the fault or the stall began. Requires one of them.
  [[nodiscard]] int64_t FromNs() const {
    return call != nullptr    ? call->from_ns
           : fault != nullptr ? fault->from_ns
                              : stall->when.from_ns;
  }
};

// Returns `why` if the condition is true.
inline std::optional<Why> If(bool condition, const Why& why) {
  return condition ? std::optional(why) : std::nullopt;
}

// Returns why a call without an answer leaves a doubt; nullopt if there is no such call.
inline std::optional<Why> Unanswered(const Call* call) {
  if (call == nullptr) return std::nullopt;
  return Why{.what = Why::What::kUnanswered, .call = call};
}

// Returns the first of them that is set.
template <typename... Others>
std::optional<Why> FirstOf(const std::optional<Why>& first, const Others&... others) {
  std::optional<Why> found = first;
  ((found = found ? found : others), ...);
  return found;
}

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_WHY_H_
