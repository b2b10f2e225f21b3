// Finds when the lock of a key was certainly free.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_FREE_INTERVALS_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_FREE_INTERVALS_H_

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "checker/evidence/calls.h"
#include "checker/evidence/evidence.h"
#include "checker/evidence/holds.h"

namespace doublehold {

// A time in which an acquire may hold its key.
struct PossibleHold {
  const Call* acquire = nullptr;
  Span when;  // from the invocation; ends at INT64_MAX if the hold may last for ever
};

// The possible holds of each key, in the order of their invocation.
using PossibleHolds = std::map<uint16_t, std::vector<PossibleHold>>;

// Returns every hold of each key that the record allows. Requires a complete record.
//
//   c1:  A-a==R-r                 holds from the first A to r
//   c2:            A-x  A-a==R-r  holds from the second A to r; a refused acquire is no hold
//
// A refused acquire of several keys may have held each of them until its refusal.
//
// A hold without a successful release lasts until the latest end of its lease. On one node, a
// refused release ends the hold too. A server counts the lease from the arrival of the request,
// which is no later than the answer. The hold lasts for ever in these cases:
// - an extension of unknown outcome, or the library, may have extended the lease;
// - its session acquired the key again meanwhile, and may have re-entered the lock.
// Exception: a later exclusive grant to another client proves that the hold was over.
//
// An acquire of unknown outcome may be granted at any later time. Its possible hold ends only on
// one node, at the acquire's own successful release. The possible hold does not end if that release
// may have freed another hold of the session.
//
// All this is for kCertainly. For kPerhaps, a hold that may last for ever ends at
// LeaseEnds::LikelyNs.
enum class Free : uint8_t { kCertainly, kPerhaps };
PossibleHolds FindPossibleHolds(const Evidence& evidence, Free free = Free::kCertainly);

// Returns the hold of this acquire, and the holds that were invoked and granted during it, in the
// order of their grants. Returns nothing if an acquire that was invoked during this one may have
// held the key without a grant.
// `holds`: the possible holds of the acquire's key.
std::vector<PossibleHold> FindGrantsDuring(const std::vector<PossibleHold>& holds,
                                           const Call& acquire);

// An open interval of time in which nobody can have held the key.
struct FreeInterval {
  Span when;
  // The hold at whose end the interval began. Null: the interval began with the run, or after an
  // acquire of unknown outcome.
  const Hold* last = nullptr;
  bool operator==(const FreeInterval&) const = default;
};

// Returns the intervals of each key that none of `holds` covers, in order. The last interval ends
// at the first probe of the key, because the referee may hold the key from then on.
std::map<uint16_t, std::vector<FreeInterval>> FindFreeIntervals(const Evidence& evidence,
                                                                const PossibleHolds& holds);

// The times at which leases end on the servers if their holds are never released.
class LeaseEnds {
 public:
  explicit LeaseEnds(const Evidence& evidence);
  // Returns the latest end of the lease of a granted acquire. Returns INT64_MAX if the lease may
  // never end.
  [[nodiscard]] int64_t LatestNs(const Call& granted) const;
  // Returns the latest end of the lease, if all requests of the client arrive by `arrival_ns`.
  // `gone_ns`: when the client was killed or ended; kForeverNs: never. Until then, the client may
  // extend the lease without a record.
  [[nodiscard]] int64_t LatestNs(const Call& granted, int64_t arrival_ns, int64_t gone_ns) const;
  // Returns when the hold of a granted or unanswered acquire ends if nothing extends its lease after
  // its client has given it up. A client gives a hold up when its acquire or release has timed out,
  // or when the client is gone.
  [[nodiscard]] int64_t LikelyNs(const Call& acquire) const;
  // Returns when a client was killed or ended by itself; kForeverNs if neither.
  [[nodiscard]] int64_t GoneNs(int32_t client) const;

 private:
  // The extensions of a hold.
  struct Extensions {
    int64_t asked_ns = 0;           // when the last extension was invoked
    int64_t lease_ns = 0;           // the lease that the last extension requested
    bool open = false;              // the last extension is unanswered
    int64_t until_ns = 0;           // latest lease end that an answered extension can have set
    int64_t unknown_lease_ns = -1;  // longest lease of an extension of unknown outcome; -1: none
    int64_t unknown_ns = -1;        // when the client gave up the last extension of unknown outcome
  };
  bool may_extend_unrecorded_;
  std::unordered_map<uint64_t, Extensions> extensions_;
  std::map<int32_t, int64_t> gone_ns_;                // by client
  std::unordered_map<uint64_t, int64_t> gave_up_ns_;  // timeouts of releases, by hold
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_FREE_INTERVALS_H_
