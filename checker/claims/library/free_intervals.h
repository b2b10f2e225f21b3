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

// A time in which nobody can have held the key; its ends are excluded.
struct FreeInterval {
  Span when;
  // The hold at whose end it began. Null: it began with the run, or after an acquire of unknown
  // outcome.
  const Hold* last = nullptr;
};

// By key and time. Requires a complete record.
//
//   c1:  A-a==R-r                 free from the return of the last release of all holds to the next
//   c2:            A-x  A-a==R-r  acquire that may have been granted; a refused one holds nothing
//
// A hold without a successful release lasts as long as its lease may; on several nodes a refused
// release may have left keys behind. A server counts the lease from the arrival of the request, so
// at the latest from its answer. The hold lasts for ever if an extension of unknown outcome, or its
// library, may have extended it. It also lasts for ever if its session acquired the key again
// meanwhile, which may have re-entered the lock. But a later exclusive grant to another client
// proves that the hold was over.
//
// An acquire of unknown outcome may be granted at any later time. It is over only on one node, if
// its own release reported success and can have freed no other entry of its session.
//
// From its first probe on, the referee may hold the key.
std::map<uint16_t, std::vector<FreeInterval>> FreeSpells(const Evidence& evidence);

// When servers drop a grant whose hold is never released.
class LeaseEnds {
 public:
  explicit LeaseEnds(const Evidence& evidence);
  // The latest end; INT64_MAX: perhaps never. `granted`: a granted acquire.
  [[nodiscard]] int64_t LatestNs(const Call& granted) const;
  // The latest end if every request that the client sent before `come_ns` has arrived by then. The
  // client, which may extend the lease unseen, ended at `gone_ns`; kForeverNs: it did not.
  [[nodiscard]] int64_t LatestNs(const Call& granted, int64_t come_ns, int64_t gone_ns) const;

 private:
  // The extensions of a hold.
  struct Extensions {
    int64_t asked_ns = 0;  // when the last was invoked
    int64_t lease_ns = 0;
    bool open = false;
    int64_t until_ns = 0;  // latest lease end that an answered extension can have set
    // The longest lease of an extension of unknown outcome, and until when its client waited; -1:
    // none.
    int64_t unknown_lease_ns = -1;
    int64_t unknown_ns = -1;
  };
  bool extends_unseen_;
  std::unordered_map<uint64_t, Extensions> extensions_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_FREE_INTERVALS_H_
