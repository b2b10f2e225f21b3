// Holds: when a client believed it had a lock, read off a history.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_HOLDS_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_HOLDS_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "checker/verdict/checker.h"
#include "lib/history/history.h"

namespace doublehold {

// A stretch of time. Two of them overlap when each begins before the other ends, so that stretches
// which only touch do not, and an empty one inside another does.
struct Span {
  int64_t from_ns = 0;
  int64_t to_ns = 0;
  bool operator==(const Span&) const = default;
};

inline bool Overlap(const Span& a, const Span& b) {
  return a.from_ns < b.to_ns && b.from_ns < a.to_ns;
}

// A grant that says it is valid until later than this never ends (lock `none`): 146 years.
constexpr int64_t kForeverNs = std::numeric_limits<int64_t>::max() / 2;

// At most kForeverNs. `at_ns`: from 0 on.
inline int64_t Later(int64_t at_ns, int64_t by_ns) {
  return by_ns >= kForeverNs - at_ns ? kForeverNs : at_ns + by_ns;
}

// What we count of a hold is its core: [acquire returned, release invoked].
//
//   c1:  A--a======R--r         core of c1:    a======R
//   c2:       A--------a==R-r   core of c2:             a==R
//
// No overlap: put each acquire just before its return, each release just after its call. Why not
// [acquire invoked, release returned]? c2's acquire overlaps c1's hold here, and nothing is wrong.
// The core lies inside the true hold, whatever the moment was at which the service granted and
// freed it: two cores that overlap prove a double hold; and a history whose cores do not overlap
// has an order that explains it.
//
// A hold that is never released is cut short, since nobody knows how long its client believed in
// it:
//
//   c1:  A-a==g=======w           killed after its write
//   c2:               A---a==R    granted the key when c1's lease was over
//
// With a hold of c1 to the end of the run, that would be a double hold; but c1 was dead. So the
// hold ends with the last thing that c1's session did, at `w`; where a fault killed c1, at that
// moment, for so long it was alive and had not released:
//
//   c1:     A-a==!=======         killed while it worked on, its lease being over
//   crash:               []
//   c2:            A-a==R         granted the key beside it
//
//   c1:  A-a==     A-a==R-r       its section threw and nobody released; then it starts anew
//   c2:         A-a==R
//
// Had c1 still believed in its first hold, it need not have tried for a second (and where it does,
// re-entering, the second counts): so the first ends with what it did before that second `A`, but
// where it goes on under the first one after it.
//
// An acquire whose outcome is unknown is no hold: its client must not enter. A release ends the
// hold where it was invoked, whatever came of it: from there on the client does not believe that it
// holds.
//
// The live part is where the client's own reckoning says that the lease runs: from the return of
// the acquire to `valid_until`, and on from the return of each extension. An extension that only
// succeeds after the lease was over does not revive what lay between:
//
//   c1:  A-a===!....E--e====!=R   live: a===! and e====!
//   c2:          A-a=R-r          a strict overlap, but at no instant were there two live leases
//
// Nor does one that is answered at the instant at which the release is invoked: it is the
// watchdog's, and may have come after it.
//
// A watchdog may extend a lease before the grant is in the history, when its session stood still on
// the way back from the acquire. What it was told counts from the grant on:
//
//   c1:  A...E-e..a======!=R      live: a======!, until when `e` said, and not as long as `a` says
//
// Whoever never releases gives nothing back: when it is killed, or leaves its section, nobody
// believes any more, but the lease that it was promised runs on. Until when is its `promised`. That
// ends where its session asks for the key again or releases what it perhaps had, or where something
// extends what it left:
//
//   c1:  A-a===          !        killed; its lease runs until !
//   crash:    []
//   c2:           A-a==R-r        granted by a service that did not keep its promise
//
// While an extension is under way its shorter lease may be in force already, so that one counts.
// One that fails changes nothing: the promise of the lease before it still stands, and was broken.
struct Hold {
  int32_t client = 0;
  uint8_t thread = 0;
  uint64_t hold = 0;
  uint16_t key = 0;
  bool shared = false;  // others that are shared may hold the key too
  Span core;
  int64_t asked_ns = 0;  // when the acquire that was granted was invoked: its lease runs from there
  int64_t granted_until_ns = 0;  // as its client computed it when it was granted
  int64_t valid_until_ns = 0;    // and as it computed it last
  bool released = false;
  // Never released, but its section ended, or its session started anew with the key.
  bool left = false;
  bool extended = false;               // something extended its lease, or tried to
  Span tried{kForeverNs, kForeverNs};  // when that was last; kForeverNs: never, not yet answered
  EventType tried_outcome = EventType::kOk;  // and what came of it; kInfo: nobody knows
  // Its release freed nothing of others': it was refused, or had looked whose lock it is, as all of
  // this lock do.
  bool harmless = false;
  bool unanswered = false;         // its release was invoked, and nobody knows what came of it
  int64_t waited_ns = kForeverNs;  // until when its client waited for that one's answer
  bool perhaps = false;            // it is no hold, but one of Holds::cleanups
  int64_t done_ns = 0;  // when its release was answered: it may have taken effect until then
  // Its lease ended by the machine alone; and when, to when it was over or had been live again for
  // a lease.
  Span lapsed{kForeverNs, kForeverNs};
  // From here on what befalls its key may come of what such a one did late
  // (checker/evidence/stall_propagation.h).
  int64_t harmed_from_ns = kForeverNs;
  std::vector<Span> live;  // inside the core, in order, never touching
  // The same of what it was promised from the end of the core on; none of what was released, nor
  // where records of its client were lost.
  std::vector<Span> promised;

  [[nodiscard]] SessionId owner() const { return {client, thread}; }
  [[nodiscard]] bool LiveAt(int64_t at_ns) const;
  // The same of all that its service promised: of the live parts and of `promised`.
  [[nodiscard]] bool PromisedAt(int64_t at_ns) const;
  // Whether what is seen of it then may be the machine's doing.
  [[nodiscard]] bool DoubtfulAt(int64_t at_ns) const {
    return harmed_from_ns <= at_ns || (lapsed.from_ns <= at_ns && at_ns <= lapsed.to_ns);
  }
  // When the lease that ran last before `at_ns` ended. Call when the hold is not live then.
  [[nodiscard]] int64_t LeaseEndBefore(int64_t at_ns) const;
  [[nodiscard]] HoldRef Ref() const;
};

struct Holds {
  std::vector<Hold> all;                       // in the order in which they were granted
  std::unordered_map<uint64_t, size_t> by_id;  // into `all`
  // Of acquires of unknown outcome, their releases: of a hold that perhaps was none, from its
  // release on.
  std::vector<Hold> cleanups;
  std::optional<std::string> broken;  // why the events make no sense; judge nothing then
  [[nodiscard]] const Hold* Find(uint64_t hold) const;  // null: no such grant
};

// One pass over the events.
Holds ExtractHolds(const History& history);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_HOLDS_H_
