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

// Returns the calls of drivers that may not have asked the lock: a call of the same session has no
// answer yet. A grant or a retry hint shows that the driver asks again.
std::set<const Call*> FindUnsentCalls(const Evidence& evidence);

// Not thread-safe. The evidence must outlive it.
class Refusals {
 public:
  explicit Refusals(const Evidence& evidence);

  // Returns from when until when faults and long stalls may have stopped or delayed requests for
  // the key within `when`, or their replies; nullopt if none did.
  [[nodiscard]] std::optional<Span> DisturbanceOf(const Call& call, const Span& when) const;

  // Whether the session of the call certainly asked the lock within `when`, and heard its answers.
  // A library may also answer by itself until lease + grace after a disturbance, when its
  // connection may still be broken, and after a kill of a server.
  [[nodiscard]] bool AskedTheLock(const Call& call, const Span& when) const;

  // Whether the key was certainly taken at some time during the refused call, by anybody.
  [[nodiscard]] bool ShowsTakenKey(const Call& refused) const;

 private:
  const Disturbances& disturbances_;
  const std::set<const Call*> unsent_;
  int64_t server_killed_ns_ = kForeverNs;  // when a fault first killed a lock server
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_REFUSALS_H_
