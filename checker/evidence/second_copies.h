// Second copies of an acquire: a lock server may have carried out the same acquire twice.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_SECOND_COPIES_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_SECOND_COPIES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "checker/evidence/calls.h"
#include "checker/evidence/disturbances.h"

namespace doublehold {

// Returns when a second copy of an acquire may arrive at a lock server at the latest; nullopt if
// there can be no second copy. `when` is the span of the acquire.
//
//   c1:    A----?R-r   A-x        `r` freed the lock of the first copy; the second copy took it
//   hold:  [---]
//
// A second copy is possible in these cases:
// - a fault sent the request twice;
// - a fault delayed a message: the library may have sent the request again before the answer came;
// - a fault lost a message, and the acquire was not granted: a granted acquire is not retried;
// - the machine stalled for more than half the grace.
//
// A fault that stopped a server is no such case: the library itself chose to send twice what must
// not be carried out twice, and claims such as `key-leak` report that.
//
// The second copy may take the key, or enter it once more, whatever the first copy returned.
std::optional<int64_t> SecondCopyArrivalNs(const Disturbances& disturbances, int32_t client,
                                           const Span& when, bool granted);

// The second copies of the acquires of one key, and how long each may hold the key or keep others
// from it.
// - A copy that cannot wait in a queue ends one lease after its arrival, if leases end. A later
//   call of its session within that lease may set a full lease again. If the session was granted
//   the key meanwhile, its library may extend the lease for ever. An exclusive grant to another
//   session proves that the copy has ended.
// - A copy may wait in a queue if others held the key or asked for it before the copy's arrival. It
//   may wait for any time, and hold the key afterwards. A grant to another session proves that the
//   copy has ended only if the queue is first-in, first-out, and that session joined it after the
//   copy.
//
//   c3:  A----aR-r              A-a      c3 is granted the key from the place of its copy.
//   c1:            A-a===R-r
//   c5:     A-t A-t         A-aR-r       c5 was ahead of the copy, which goes on waiting.
class SecondCopies {
 public:
  explicit SecondCopies(const Disturbances& disturbances);

  // Notes an acquire or another call. `holds`: the session holds the key, or the call granted it.
  // `alone`: no other session holds the key or asks for it. Requires the calls of one session in
  // the order of time; of all sessions in the order of invocation, if any call is `alone`.
  void NoteCall(const Call& call, bool holds, bool alone = false);

  // Notes an exclusive grant that is no re-entry. `queued_ns`: when the session joined the queue at
  // the earliest, if the claim may assume a first-in, first-out queue.
  void NoteGrant(const Call& grant, std::optional<int64_t> queued_ns);

  // Whether a copy of the session, or of any session, may hold the key at this time.
  [[nodiscard]] bool MayHold(const SessionId& session, int64_t at_ns) const;
  [[nodiscard]] bool MayHold(int64_t at_ns) const;

 private:
  struct Copy {
    int64_t arrived_ns = -1;  // latest arrival at a lock server
    int64_t until_ns = -1;    // latest time at which the copy holds the key, unless it waits
    bool waits = false;       // may wait in a queue
    [[nodiscard]] bool MayHold(int64_t at_ns) const { return waits || !Before(until_ns, at_ns); }
  };
  [[nodiscard]] int64_t EndNs(int64_t since_ns, bool holds) const;

  const Disturbances& disturbances_;
  const bool may_queue_;
  int64_t lease_ns_;  // the longest lease so far
  std::map<SessionId, Copy> copies_;
};

// Returns the acquires and releases at whose invocation a copy of an earlier acquire of the same
// session may hold the key. Assumes no order of a queue. The result points into `calls`.
//
// kReenters: the claim may assume that a copy enters the key at once if its own session holds it.
// kMayWait: the copy may wait in a queue even then.
enum class OwnCopy : uint8_t { kReenters, kMayWait };
std::set<const Call*> FindCallsWithSecondCopy(const Calls& calls, const Disturbances& disturbances,
                                              OwnCopy own_copy);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_SECOND_COPIES_H_
