// When the lock of a key was certainly nobody's.
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

// A stretch in which nobody can have had it: inside, and not at its ends.
struct FreeSpell {
  Span when;
  // The hold with whose end it began. Null: it began with the run, or with the end of what was
  // never known to be a hold.
  const Hold* last = nullptr;
};

// By key and time. Wants a record that is complete.
//
//   c1:  A-a==R-r                 free from the return of the release of every hold there was, to the
//   c2:            A-x  A-a==R-r  next call that may have been granted it; who was refused has nothing
//
// On several nodes a release that was refused may have left keys: then, and where it was not
// answered or not called, the hold lasts as long as its lease can, which a server counts from when
// it heard of it: at the latest from the answer. It never ends where something of unknown outcome,
// or its library, may have extended it, or where its session went in again meanwhile: that may have
// found its own lock there, and left one entry of it. But another that asked after it, and was let
// in alone, shows that it was over.
//
// An acquire of unknown outcome may be granted at any time since. Only on one node, and where its
// own release says that it freed its own, and there was nothing else of its session that this can
// have been, is it over.
//
// The referee has it, perhaps, from its first probe on.
std::map<uint16_t, std::vector<FreeSpell>> FreeSpells(const Evidence& evidence);

// When the servers have forgotten what was granted, had it never been released.
class LeaseEnds {
 public:
  explicit LeaseEnds(const Evidence& evidence);
  // The latest; INT64_MAX: perhaps never. `granted`: an acquire that was.
  [[nodiscard]] int64_t LatestNs(const Call& granted) const;
  // The same where what its client sent before `come_ns` has come by then, and its client, which
  // may extend the lease unseen, ended at `gone_ns`; kForeverNs: it did not.
  [[nodiscard]] int64_t LatestNs(const Call& granted, int64_t come_ns, int64_t gone_ns) const;

 private:
  // Of a hold, its extensions.
  struct Extensions {
    int64_t asked_ns = 0;  // of the last
    int64_t lease_ns = 0;
    bool open = false;
    int64_t until_ns = 0;  // the longest that any that was answered can have made it last
    // Of those of unknown outcome: the longest lease, and until when their client waited; -1: none.
    int64_t unknown_lease_ns = -1;
    int64_t unknown_ns = -1;
  };
  bool extends_unseen_;
  std::unordered_map<uint64_t, Extensions> extensions_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_FREE_INTERVALS_H_
