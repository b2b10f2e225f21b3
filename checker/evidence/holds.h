// Holds: when a client believed that it held a lock, extracted from a history.
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

// A span of time. Two spans overlap when each begins before the other ends. So spans that only
// touch do not overlap, and an empty span inside another does.
struct Span {
  int64_t from_ns = 0;
  int64_t to_ns = 0;
  bool operator==(const Span&) const = default;
};

inline bool Overlap(const Span& a, const Span& b) {
  return a.from_ns < b.to_ns && b.from_ns < a.to_ns;
}

// A grant that is valid for longer than this, 146 years, counts as endless (lock `none`).
constexpr int64_t kForeverNs = std::numeric_limits<int64_t>::max() / 2;

// The sum, at most kForeverNs. Requires `at_ns` >= 0.
inline int64_t Later(int64_t at_ns, int64_t by_ns) {
  return by_ns >= kForeverNs - at_ns ? kForeverNs : at_ns + by_ns;
}

// Only the core of a hold counts: [acquire returned, release invoked].
//
//   c1:  A--a======R--r         core of c1:    a======R
//   c2:       A--------a==R-r   core of c2:             a==R
//
// No overlap: put each acquire just before its return, each release just after its invocation. Why
// not [acquire invoked, release returned]? c2's acquire overlaps c1's hold here, and nothing is
// wrong. The core lies inside the true hold, whenever the service granted and freed the lock. So
// two cores that overlap prove a double hold, and a history without overlapping cores has an order
// that explains it.
//
// A hold that is never released is cut short, since nobody knows how long its client believed in
// it:
//
//   c1:  A-a==g=======w           killed after its write
//   c2:               A---a==R    granted the key when c1's lease was over
//
// If c1's hold lasted to the end of the run, this would be a double hold; but c1 was dead. So the
// hold ends with the last event of c1's session, at `w`. If a fault killed c1, the hold ends at the
// kill: until then c1 was alive and had not released:
//
//   c1:     A-a==!=======         killed while it worked on, its lease being over
//   crash:               []
//   c2:            A-a==R         granted the key beside it
//
//   c1:  A-a==     A-a==R-r       its section threw and nobody released; then it starts anew
//   c2:         A-a==R
//
// If c1 still believed in its first hold, it would not need to acquire the key again. (If it
// re-enters, the second hold counts.) So the first hold ends with c1's last event before the second
// `A`, unless c1 uses the first hold after that.
//
// An acquire of unknown outcome is no hold: its client must not enter. A release ends the hold at
// its invocation, whatever its outcome: from then on the client does not believe that it holds the
// lock.
//
// The live part is where the lease is valid as the client computes it. It begins when the acquire
// returns, and ends at `valid_until`. Each extension adds a span, from its return to its new
// `valid_until`. An extension after the lease was over does not revive the time between:
//
//   c1:  A-a===!....E--e====!=R   live: a===! and e====!
//   c2:          A-a=R-r          a strict overlap, but at no instant were there two live leases
//
// An extension that is answered at the instant of the release's invocation extends nothing: the
// watchdog may have received the answer after the release.
//
// A watchdog may extend a lease before the grant is in the history, if its session stalled on the
// way back from the acquire. The answer of the extension counts from the grant on:
//
//   c1:  A...E-e..a======!=R      live: a======!, until the time that `e` returned, not that of `a`
//
// A client that is killed, or leaves its section without a release, gives nothing back. Nobody
// believes in the hold any more, but its lease runs on: `promised` is the rest of that lease. It
// ends where the session acquires the key again, where the session releases an acquire of unknown
// outcome, or where something extends the abandoned hold:
//
//   c1:  A-a===          !        killed; its lease runs until !
//   crash:    []
//   c2:           A-a==R-r        granted by a service that did not keep its promise
//
// While an extension is under way its shorter lease may already be in force, so the shorter one
// counts. An extension that fails changes nothing: the earlier lease still stands.
struct Hold {
  int32_t client = 0;
  uint8_t thread = 0;
  uint64_t hold = 0;
  uint16_t key = 0;
  bool shared = false;  // other shared holds of the key are allowed
  Span core;
  int64_t entered_ns = 0;        // its client waited for further keys until then (entries.h)
  int64_t asked_ns = 0;          // when its acquire was invoked; the lease runs from there
  int64_t granted_until_ns = 0;  // as the client computed it at the grant
  int64_t valid_until_ns = 0;    // as the client computed it last
  bool released = false;
  // Never released, but its section ended, or its session acquired the key anew.
  bool left = false;
  bool extended = false;  // something extended its lease, or tried to
  // [invoked, answered] of its last extension; kForeverNs: none, not yet answered
  Span tried{kForeverNs, kForeverNs};
  EventType tried_outcome = EventType::kOk;  // outcome of that extension; kInfo: unknown
  // Its release freed no other owner's lock: the release was refused or checked the owner, as all
  // releases of this lock do.
  bool harmless = false;
  bool unanswered = false;         // its release was invoked, and the outcome is unknown
  int64_t waited_ns = kForeverNs;  // until when its client waited for the answer of the release
  bool perhaps = false;  // not a hold, but an entry of Holds::releases_of_unknown_acquires
  int64_t done_ns = 0;   // when its release was answered: the latest time of its effect
  // Begins when the lease ended because of the machine alone. Ends a lease after the hold was live
  // again; kForeverNs: it never was.
  Span expired_by_stall{kForeverNs, kForeverNs};
  // From here on, violations on the key may be consequences of such an expired lease
  // (checker/evidence/stall_propagation.h).
  int64_t tainted_from_ns = kForeverNs;
  std::vector<Span> live;  // inside the core, in order, disjoint
  // The rest of its leases, from the end of the core on. Empty if the hold was released, or if
  // records of its client were lost.
  std::vector<Span> promised;

  [[nodiscard]] SessionId owner() const { return {client, thread}; }
  [[nodiscard]] bool LiveAt(int64_t at_ns) const;
  // Whether the service had promised the key at that time: in a live part or in `promised`.
  [[nodiscard]] bool PromisedAt(int64_t at_ns) const;
  // Whether the machine may have caused a violation that involves this hold at `at_ns`.
  [[nodiscard]] bool DoubtfulAt(int64_t at_ns) const {
    return tainted_from_ns <= at_ns ||
           (expired_by_stall.from_ns <= at_ns && at_ns <= expired_by_stall.to_ns);
  }
  // When the last lease before `at_ns` ended. Requires that the hold is not live at `at_ns`.
  [[nodiscard]] int64_t LeaseEndBefore(int64_t at_ns) const;
  [[nodiscard]] HoldRef Ref() const;
};

struct Holds {
  std::vector<Hold> all;                       // in the order in which they were granted
  std::unordered_map<uint64_t, size_t> by_id;  // into `all`
  // Releases of acquires of unknown outcome. Each entry is a possible hold, from its release on.
  std::vector<Hold> releases_of_unknown_acquires;
  bool is_ambiguous = false;          // the two readings of AsksAgain may differ
  std::optional<std::string> broken;  // why the events contradict each other; judge nothing then
  [[nodiscard]] const Hold* Find(uint64_t hold) const;  // null: no such grant
};

// How to read a session that asks again for a key that it neither released nor left.
enum class AsksAgain : uint8_t {
  kStartsAnew,  // it had abandoned what it held
  kIsInside,    // it enters again what it holds
};

// Extracts the holds in one pass over the events.
Holds ExtractHolds(const History& history, AsksAgain reading = AsksAgain::kStartsAnew);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_HOLDS_H_
