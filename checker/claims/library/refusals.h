// Decides which refusals show that a key was taken.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_REFUSALS_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_REFUSALS_H_

#include <optional>
#include <set>

#include "checker/evidence/calls.h"
#include "checker/evidence/disturbances.h"
#include "checker/evidence/evidence.h"

namespace doublehold {

// Whether the refusal has a retry hint: the server said for how long the key is taken.
inline bool HasRetryHint(const Call& refused) { return refused.answer[0] > 0; }

// Whether the answer alone shows that the key was taken. On several nodes it does not: another
// attempt may have had a minority of the nodes.
inline bool ReportsThatKeyIsTaken(const RunFacts& facts, const Call& refused) {
  return facts.nodes <= 1 && HasRetryHint(refused);
}

// Returns the calls for which a driver may not have asked the lock, because an earlier call of the
// same session is unanswered. A grant or a retry hint shows that the driver asks the lock again.
std::set<const Call*> FindUnsentCalls(const Evidence& evidence);

// Not thread-safe. The evidence must outlive it.
class Refusals {
 public:
  explicit Refusals(const Evidence& evidence);

  // Returns one span that covers all faults and long stalls within `when` that may have stopped or
  // delayed the call's client, its requests or their replies; nullopt if there were none. Moved
  // clocks do not count.
  [[nodiscard]] std::optional<Span> DisturbanceOf(const Call& call, const Span& when) const;

  // Whether the client of the call certainly asked the lock within `when`, and received the
  // answers. A library may answer by itself in two more cases:
  // - until lease + grace after a disturbance, because its connection may still be broken;
  // - at any time after a fault killed a lock server.
  [[nodiscard]] bool AskedTheLock(const Call& call, const Span& when) const;

  // Whether somebody certainly had the key at some time during the refused call.
  [[nodiscard]] bool ShowsTakenKey(const Call& refused) const;

 private:
  const Disturbances& disturbances_;
  const std::set<const Call*> unsent_;
  int64_t server_killed_ns_ = kForeverNs;  // when a fault first killed a lock server
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_REFUSALS_H_
