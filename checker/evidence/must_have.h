// Who certainly has the lock of a key, if the service keeps its promises.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_MUST_HAVE_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_MUST_HAVE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "checker/evidence/calls.h"
#include "checker/evidence/holds.h"
#include "checker/evidence/possession.h"
#include "checker/evidence/why.h"

namespace doublehold {

class Disturbed;
class Evidence;

// A session must have the lock from the answer of its acquire to the invocation of its release, as
// long as the lease runs, as its client computes it:
//
//   c1:  A--a=====R---r             from a to R
//   c1:  A--a=====!===R---r         from a to !
//   c1:  A--a==A-a==R-r====R---r    from a to the second R, if the lock is re-entrant
//   c1:  A-aR-?   A-a===R-r         never after the first R: an unanswered call may take effect
//                                   later, and twice, and its library may take it back
//
// A re-entry may be granted without asking a server, so it proves nothing new. Each release of the
// session may free any of its entries, so it counts for that with the longest
// lease. Nobody must have the lock
// - while another session's release that does not check the owner is under way, or may be;
// - from the start of a fault that removes keys, loses data, moves a clock or kills a lock server,
//   until a grant that was asked for after its end. A kill has no end.
//
// possession_trials_test.cc compares this with every order of the events: where the session can
// lack the lock in some order, it need not have it here.
class MustHave {
 public:
  explicit MustHave(const Evidence& evidence);

  // Whether the session must have the lock throughout `when`, its ends included.
  [[nodiscard]] bool Throughout(uint16_t key, const SessionId& session, const Span& when) const;
  // The same, but for calls of the session that are invoked at the start of `when` or later.
  [[nodiscard]] bool UnlessItActs(uint16_t key, const SessionId& session, const Span& when) const;
  // Returns a call or a fault that may have freed the lock of the session in `when`; nullopt if no
  // such event is known.
  [[nodiscard]] std::optional<Why> WhyNot(uint16_t key, const SessionId& session,
                                          const Span& when) const;
  // Returns the longest spans within `when` in which the session must have the lock, in order.
  [[nodiscard]] std::vector<Span> Spans(uint16_t key, const SessionId& session,
                                        const Span& when) const;
  // Whether the session must have the lock from before the release until its answer, unless the
  // release frees it.
  [[nodiscard]] bool UntilReleased(const Call& release) const;

 private:
  // From `at_ns` on, until the next step, the session must have the lock until `until_ns`.
  struct Step {
    int64_t at_ns = 0;
    int64_t until_ns = -1;
    const Call* release = nullptr;  // that made the step; null if none did
    bool extends = false;           // an extension was invoked
  };
  using KeyAndSession = std::pair<uint16_t, SessionId>;

  [[nodiscard]] std::optional<Why> IsFreedBesides(const KeyAndSession& who, const Span& when) const;
  [[nodiscard]] std::optional<Why> MayFaultFree(uint16_t key, const Span& when) const;
  void AddSteps(const Evidence& evidence);

  std::map<KeyAndSession, std::vector<Step>> steps_;
  std::map<KeyAndSession, const Call*> unanswered_;  // the first call without an answer
  Possessions releases_;  // of each key, those that may free the lock of another session
  const Disturbed& disturbed_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_MUST_HAVE_H_
