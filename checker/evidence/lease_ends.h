// When leases end on the servers.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_LEASE_ENDS_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_LEASE_ENDS_H_

#include <cstdint>
#include <limits>
#include <map>
#include <unordered_map>

#include "checker/evidence/calls.h"

namespace doublehold {

class Evidence;

constexpr int64_t kNeverNs = std::numeric_limits<int64_t>::max();

// The times at which leases end on the servers if their holds are never released.
class LeaseEnds {
 public:
  explicit LeaseEnds(const Evidence& evidence);
  // Returns the latest end of the lease of a granted acquire. Returns kNeverNs if the lease may
  // never end.
  [[nodiscard]] int64_t LatestNs(const Call& granted) const;
  // Returns the latest end of the lease, if all requests of the client arrive by `arrival_ns`.
  // `gone_ns`: when the client was killed or ended; kForeverNs: never. Until then, the client may
  // extend the lease without a record.
  [[nodiscard]] int64_t LatestNs(const Call& granted, int64_t arrival_ns, int64_t gone_ns) const;
  // Returns when the hold of a granted or unanswered acquire ends if nothing extends its lease
  // after its client has given it up. A client gives a hold up when its acquire or release has
  // timed out, or when the client is gone.
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

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_LEASE_ENDS_H_
