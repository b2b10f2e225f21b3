// Possession: who may have the lock of a key at an instant, as far as the record allows.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_POSSESSION_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_POSSESSION_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "checker/evidence/calls.h"
#include "checker/evidence/holds.h"

namespace doublehold {

class Evidence;

// A time in which an acquire may have the lock of its key. It begins with the invocation.
//
//   c1:  A-a==R-r                 has it from the first A to r
//   c2:            A-x  A-a==R-r  from the second A to r; a refused acquire never has it
//   c1:  A-a==R-?      !          until `!`, the latest end of its lease
//   c1:  A-?                      for ever: the request may arrive at any time
//   c1:  A-?R-r                   until r, on one node, if r can have freed nothing else
//
// A refused acquire of several keys may have each of them until its refusal.
//
// The lock is had until the latest end of its lease at most. On one node, a refused release ends it
// too. A server counts the lease from the arrival of the request, which is no later than the
// answer. The lease may have no end if
// - an extension of unknown outcome, or the library, may have extended the lease;
// - the session acquired the key again meanwhile, and may have re-entered the lock;
// - the session may have had an entry before: each call of the owner of a re-entrant lock may set
//   the lease of all its entries again;
// - a fault moved a clock meanwhile;
// - it is a reader: each call of another reader may do so too.
// Exception: an exclusive grant to another session, invoked after the answer of the acquire, ends
// the time if the session was not active any more.
//
// All this assumes a service that keeps its promises, and messages that arrive once (see
// second_copies.h). possession_trials_test.cc compares it with every order of the events: whoever
// has the lock in some order may have it here.
struct Possession {
  const Call* acquire = nullptr;
  Span may;  // ends at kNeverNs if it may last for ever
  // The end of `may` if nothing extends the lease after the client has given the lock up
  // (LeaseEnds::LikelyNs) but a later call of the session.
  int64_t likely_ns = 0;
};

// Times of sessions on one key, to find who has one at some time. Two spans meet if they share an
// instant, their ends included. Building takes O(n log n), a search O(log n).
class KeyTimeline {
 public:
  explicit KeyTimeline(std::vector<Possession> all);
  KeyTimeline(KeyTimeline&&) = default;  // others point into it
  KeyTimeline& operator=(KeyTimeline&&) = default;

  // In the order of their invocation.
  [[nodiscard]] const std::vector<Possession>& all() const { return all_; }

  // Return a time of this session, or of another one, that meets `when`; null if there is none.
  // `except`: its time does not count.
  [[nodiscard]] const Possession* FindOf(const SessionId& session, const Span& when,
                                         const Call* except = nullptr) const;
  [[nodiscard]] const Possession* FindOther(const SessionId& session, const Span& when) const;
  // Whether there is a time that meets `when`: of this client, this session, anybody or another.
  [[nodiscard]] bool Meets(int32_t client, const Span& when) const;
  [[nodiscard]] bool Meets(const SessionId& session, const Span& when,
                           const Call* except = nullptr) const {
    return FindOf(session, when, except) != nullptr;
  }
  [[nodiscard]] bool Meets(const Span& when) const {
    return of_all_.Find(when, nullptr) != nullptr;
  }
  [[nodiscard]] bool MeetsOther(const SessionId& session, const Span& when) const {
    return FindOther(session, when) != nullptr;
  }
  // Returns the session of all times that meet `when`; nullopt if there is none, or another.
  [[nodiscard]] std::optional<SessionId> Only(const Span& when) const;
  // Whether each time that meets `when` is of one of these sessions.
  [[nodiscard]] bool MeetsOnly(const std::set<SessionId>& sessions, const Span& when) const;

 private:
  // Entries in order. Element i of `longest`: that of the first i + 1 entries which ends last.
  struct Entries {
    std::vector<const Possession*> entries, longest;
    void Add(const Possession& each);
    [[nodiscard]] const Possession* Find(const Span& when, const Call* except) const;
  };

  std::vector<Possession> all_;
  std::map<SessionId, Entries> of_session_;
  Entries of_all_;
  // Element i: of the first i + 1 entries, that which ends last among those of other sessions than
  // of_all_.longest[i]; null if there is none.
  std::vector<const Possession*> runner_up_;
};

// The possessions of each key that was asked for. Requires a complete record.
using Possessions = std::map<uint16_t, KeyTimeline>;
Possessions FindPossessions(const Evidence& evidence);

// When each session may be in the way of others on each key because it waits:
//
//   c2:         A-x  A-x  A-a=R-r      on one node, from the first A to `a`: it may keep its place
//   c2:         A-x      !             on several, from A to `!`, a lease after x: it may have some
Possessions FindWaits(const Evidence& evidence);

// Returns the possession of this acquire, and those that were invoked and granted during it, in the
// order of their grants. Returns nothing if an acquire that was invoked during this one may have
// had the key without a grant.
std::vector<Possession> FindGrantsDuring(const KeyTimeline& timeline, const Call& acquire);

// An open interval of time in which nobody can have had the key.
struct FreeInterval {
  Span when;
  // The possession at whose end the interval began; null if it began with the run.
  const Possession* last = nullptr;
  bool operator==(const FreeInterval&) const = default;
};

// Returns the free intervals of a key, in order. The last one ends at the first probe of the key,
// because the referee may have the key from then on. kPerhaps: takes `likely_ns` for the end of a
// possession without an end. The result points into Evidence::possessions.
enum class Free : uint8_t { kCertainly, kPerhaps };
std::vector<FreeInterval> FindFreeIntervals(const Evidence& evidence, uint16_t key, Free free);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_POSSESSION_H_
