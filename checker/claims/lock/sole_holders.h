// Finds the session that alone can have had a key. If the key was certainly taken, this session had
// it.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LOCK_SOLE_HOLDERS_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LOCK_SOLE_HOLDERS_H_

#include <optional>
#include <vector>

#include "checker/evidence/calls.h"
#include "checker/evidence/evidence.h"

namespace doublehold {

// Who may have the key is as in evidence/possession.h, with two exceptions. Both assume that a
// message which nothing disturbed arrives while its client waits for the answer:
//
//   c2:      A----------a=R-r    a granted acquire counts from its answer, or from the start of a
//   hold c2:      [--]           disturbance that may have delayed its answer
//
//   c2:      A-?                 an acquire of unknown outcome ends with the next exclusive grant
//   c3:            A-a=          to another session, or with the answer of its own release, if that
//                                can have freed nothing else, or came later on one node
//
// While an acquire of unknown outcome, or a second copy of an acquire (evidence/second_copies.h),
// may have the key, nobody is a sole holder: its own session may have entered once more.
class SoleHolders {
 public:
  // `calls`: the acquires and releases of one key. Not empty.
  SoleHolders(const std::vector<const Call*>& calls, const Evidence& evidence);

  // Returns the only session that can have had the key at any time in `when`; nullopt if there is
  // none, or if a server may have returned with older data since the last exclusive grant.
  [[nodiscard]] std::optional<SessionId> During(const Span& when) const;
  // The same for a refused call. On several nodes, also returns nullopt if another session asked
  // during the call: that session may have had some of the nodes.
  [[nodiscard]] std::optional<SessionId> During(const Call& refused) const;

 private:
  const Evidence& evidence_;
  const KeyGrants& grants_;
  const KeyTimeline& copies_;
  KeyTimeline holders_, unknown_;
  KeyTimeline asking_;  // on several nodes: all acquires
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_SOLE_HOLDERS_H_
