// Second copies of an acquire: a lock server may have carried out the same acquire twice.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_SECOND_COPIES_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_SECOND_COPIES_H_

#include <cstdint>
#include <optional>

#include "checker/evidence/calls.h"
#include "checker/evidence/disturbances.h"
#include "checker/evidence/possession.h"
#include "checker/evidence/why.h"

namespace doublehold {

// kImposed: only copies that a fault or the machine made. The lock itself sent the other ones after
// a fault delayed or lost a message. Claims on what a lock leaves behind do not excuse these.
enum class Copies : uint8_t { kAll, kImposed };

// Returns when a second copy of an acquire may arrive at a lock server at the latest; nullopt if
// there can be no second copy. `when` is the span of the acquire.
//
//   c1:    A----?R-r   A-x        `r` freed the lock of the first copy; the second copy took it
//   hold:  [---]
//
// A second copy is possible if a fault sent the request twice. It is also possible if the lock may
// send a request again without an answer, as libraries may, in these cases:
// - a fault delayed a message: the library may have sent the request again before the answer came;
// - a fault lost a message, and the acquire was not granted: a granted acquire is not retried;
// - stalls that can delay its calls lasted for more than half the grace together.
//
// A fault or stall may delay the copy further if it begins less than a tenth of a lease after the
// latest arrival so far: stalls that are too short to be recorded may delay the copy in between.
//
// A fault that stopped a server is no such case: the library itself chose to send twice what must
// not be carried out twice, and claims such as `key-leak` report that.
//
// The second copy may take the key, or enter it once more, whatever the first copy returned.
std::optional<int64_t> SecondCopyArrivalNs(const Disturbances& disturbances, int32_t client,
                                           const Span& when, bool granted,
                                           Copies which = Copies::kAll);

// Returns the times in which a second copy may have each key, from the invocation of its acquire.
// - A copy that cannot wait in a queue ends one lease after its arrival, if leases end. If the lock
//   is re-entrant, a later call of its session within that lease may set a full lease again. If the
//   session holds the key, or is granted it within that lease, its library may extend the lease for
//   ever. If a clock may have moved until the end of the first lease, the copy may never end. An
//   exclusive grant to another session, invoked after the arrival, proves that the copy has ended;
//   so does one to its own, if the lock is not re-entrant.
// - A copy may wait in a queue, and have the key at any later time. Exception: it enters a
//   re-entrant lock at once if nobody else can have used the key until its arrival. A grant to
//   another session proves that a waiting copy has ended only if the queue is first-in, first-out,
//   and that session joined it after the arrival. kFifo assumes such a queue.
//
//   c3:  A----aR-r              A-a      c3 is granted the key from the place of its copy.
//   c1:            A-a===R-r
//   c5:     A-t A-t         A-aR-r       c5 was ahead of the copy, which goes on waiting.
enum class CopyQueue : uint8_t { kAnyOrder, kFifo };
Possessions FindSecondCopies(const Evidence& evidence, CopyQueue queue,
                             Copies which = Copies::kAll);

// Whether, and why, copies that a fault or the machine made may have had the key for `for_ns`
// within `when`, one after the other. Each has it for the longest lease of its session at most, and
// for the time from the start of `when` to the last call that may set its lease again (renewals.h).
// There is no limit if leases have no end.
std::optional<Why> MayBeHadByCopies(const Evidence& evidence, uint16_t key, const Span& when,
                                    int64_t for_ns);

// Whether, and why, a second copy of a release may free the session's lock within `when`: a release
// of its own, or one that does not check the owner.
std::optional<Why> MayBeFreedByCopy(const Evidence& evidence, const SessionId& session,
                                    uint16_t key, const Span& when);

// Whether, and why, a second copy of an earlier acquire of the same session may have the key when
// the call is invoked.
std::optional<Why> MayMeetOwnCopy(const Evidence& evidence, const Call& call);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_SECOND_COPIES_H_
