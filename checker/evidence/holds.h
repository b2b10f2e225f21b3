// Holds: when a client believed that it held a lock, extracted from a history.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_HOLDS_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_HOLDS_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "checker/verdict/checker.h"
#include "lib/history/history.h"

namespace doublehold {

// A span of time. Two spans overlap when each begins before the other ends. So two spans that only
// touch do not overlap, and an empty span overlaps a span that contains it in its interior.
struct Span {
  int64_t from_ns = 0;
  int64_t to_ns = 0;
  bool operator==(const Span&) const = default;
};

inline bool Overlap(const Span& a, const Span& b) {
  return a.from_ns < b.to_ns && b.from_ns < a.to_ns;
}

// Returns disjoint spans, in order, that cover the same times. Joins spans that touch.
std::vector<Span> MergeSpans(std::vector<Span> spans);

// 146 years. A grant that is valid for longer counts as endless (lock `none`).
constexpr int64_t kForeverNs = std::numeric_limits<int64_t>::max() / 2;

// Returns `at_ns` + `by_ns`, but at most kForeverNs.
inline int64_t Later(int64_t at_ns, int64_t by_ns) {
  int64_t sum_ns = 0;
  const bool overflows = __builtin_add_overflow(at_ns, by_ns, &sum_ns);
  return overflows ? kForeverNs : std::min(sum_ns, kForeverNs);
}

// Only the core of a hold counts: the span from the return of its acquire to the invocation of its
// release.
//
//   c1:  A--a======R--r         core of c1:    a======R
//   c2:       A--------a==R-r   core of c2:             a==R
//
// These cores do not overlap. The core lies inside the true hold, at whatever instants the service
// granted and freed the lock. So two overlapping cores prove a double hold. Without overlapping
// cores the history has a correct order: each acquire takes effect just before its return, each
// release just after its invocation. An overlap of the spans [acquire invoked, release returned]
// would prove nothing: in the drawing c2's acquire overlaps c1's hold, although the lock is
// correct.
//
// A hold that is never released is cut short, since the history does not show how long its client
// believed that it held the lock:
//
//   c1:  A-a==g=======w           killed after its write
//   c2:               A---a==R    granted the key after c1's lease ended
//
// If c1's hold lasted to the end of the run, the history would show a double hold, although c1 was
// dead. So the hold ends with the last event of c1's session, at `w`. If a fault killed c1, the
// hold ends at the kill, because until then c1 was alive and had not released the key:
//
//   c1:     A-a==!=======         killed inside its section, after its lease ended
//   crash:               []
//   c2:            A-a==R         granted the key while c1 was in its section
//
//   c1:  A-a==     A-a==R-r       c1's section threw without a release; then c1 starts anew
//   c2:         A-a==R
//
// If c1 still believed that it held the lock, it would not need to acquire the key again. (A
// re-entry creates a second hold, which counts as well.) So the first hold ends with c1's last
// event before the second `A`, unless c1 uses the first hold afterwards.
//
// An acquire of unknown outcome is no hold: its client must not enter its section. A hold ends when
// its release is invoked, whatever the outcome of the release. From then on, the client no longer
// believes that it holds the lock.
//
// The live part of a hold is the time in which its lease is valid, as the client computes it. The
// first live span begins when the acquire returns, and ends at `valid_until`. An extension prolongs
// the span to its new `valid_until`. An extension that is answered after the expiry begins a new
// span. The time between the two spans is not live:
//
//   c1:  A-a===!....E--e====!=R   live: a===! and e====!
//   c2:          A-a=R-r          inside c1's core, but the two leases were never valid together
//
// An extension that is answered at the instant of the release's invocation extends nothing: the
// watchdog may have received the answer after the release.
//
// A watchdog may extend a lease before the grant is recorded, if the session stalls before it
// records the grant. The extension counts from the grant on:
//
//   c1:  A...E-e..a======!=R      live: a======!; `e` sets the end of the lease, not `a`
//
// A client that is killed, or leaves its section without a release, frees nothing. The client no
// longer uses the lock, but its lease continues: `promised` is the rest of that lease. A grant
// without an end belongs to its client's session, so it promises nothing after the client's death.
// A promise ends early when the session acquires the key again, or releases an acquire of unknown
// outcome. A promise also ends early when the abandoned hold is extended or released:
//
//   c1:  A-a===          !        killed; its lease runs until !
//   crash:    []
//   c2:           A-a==R-r        granted by a service that broke its promise to c1
//
// While an extension is under way, the earlier and the requested lease may each be in force, so the
// shorter one counts. An extension that fails changes nothing: the earlier lease remains valid.
struct Hold {
  int32_t client = 0;
  uint8_t thread = 0;
  uint64_t hold = 0;
  uint16_t key = 0;
  bool shared = false;  // may overlap other shared holds of the key
  Span core;
  // When its client had acquired all keys that it needs (entries.h), or 0 if that was at the grant.
  int64_t entered_ns = 0;
  int64_t asked_ns = 0;          // when its acquire was invoked, which starts the lease
  int64_t granted_until_ns = 0;  // end of the lease, as the client computed it at the grant
  int64_t valid_until_ns = 0;    // end of the lease, as the client computed it last
  bool released = false;
  // Not released, but its section ended, or its session acquired the key again.
  bool left = false;
  bool extended = false;  // an extension was invoked, whatever its outcome
  // [invoked, answered] of its last extension. A time is kForeverNs if its event did not occur.
  Span tried{kForeverNs, kForeverNs};
  EventType tried_outcome = EventType::kOk;  // outcome of the last extension, or kInfo if unknown
  // Its release freed no other owner's lock, because one of these is true:
  // - The release was refused, or checked the owner.
  // - The release is unanswered. The run has successful releases, and all of them checked the
  //   owner.
  bool harmless = false;
  bool unanswered = false;         // its release was invoked, and the outcome is unknown
  int64_t waited_ns = kForeverNs;  // end of the client's wait for the answer of the release
  bool perhaps = false;  // not a hold, but an entry of Holds::releases_of_unknown_acquires
  // The latest time at which its release may take effect: the time of its answer. If the release is
  // unanswered, the time is a lease after its last event, or later if a stall may delay it.
  int64_t done_ns = 0;
  // The time in which an expiry of the lease by stalls alone may have consequences. The span begins
  // at the expiry, or at kForeverNs if there is no such expiry. The span ends a lease after the
  // hold is live again, or at kForeverNs if the hold is not live again.
  Span expired_by_stall{kForeverNs, kForeverNs};
  // From this time on, a violation on the key may be a consequence of a lease that expired because
  // of a stall (checker/evidence/stall_propagation.h).
  int64_t tainted_from_ns = kForeverNs;
  std::vector<Span> live;  // inside the core, in order, disjoint
  // The valid spans of its lease after the core. Empty if the hold was released, or if records of
  // its client were lost.
  std::vector<Span> promised;

  [[nodiscard]] SessionId owner() const { return {client, thread}; }
  [[nodiscard]] bool LiveAt(int64_t at_ns) const;
  // Whether its last lease ended before `at_ns`.
  [[nodiscard]] bool ExpiredBefore(int64_t at_ns) const;
  // Whether `at_ns` lies in `live` or in `promised`.
  [[nodiscard]] bool PromisedAt(int64_t at_ns) const;
  // Whether a stall may have caused a violation that involves this hold at `at_ns`.
  [[nodiscard]] bool DoubtfulAt(int64_t at_ns) const {
    return tainted_from_ns <= at_ns ||
           (expired_by_stall.from_ns <= at_ns && at_ns <= expired_by_stall.to_ns);
  }
  // When the last lease before `at_ns` ended. Requires that the hold is not live at `at_ns`.
  [[nodiscard]] int64_t LeaseEndBefore(int64_t at_ns) const;
  [[nodiscard]] HoldRef Ref() const;
};

struct Holds {
  std::vector<Hold> all;                       // ordered by grant
  std::unordered_map<uint64_t, size_t> by_id;  // index into `all` by Hold::hold
  // Releases of acquires of unknown outcome. Each entry is a possible hold, whose core is the
  // instant of its first release event.
  std::vector<Hold> releases_of_unknown_acquires;
  bool is_ambiguous = false;          // the two readings of AsksAgain may yield different holds
  std::optional<std::string> broken;  // how events contradict each other; if set, judge nothing
  [[nodiscard]] const Hold* Find(uint64_t hold) const;  // null if there is no such grant
};

// How to interpret an acquire of a key by a session that was granted this key, and has neither
// released nor left it.
enum class AsksAgain : uint8_t {
  kStartsAnew,  // the session had abandoned its earlier hold
  kIsInside,    // the session re-enters
};

// Extracts the holds in one pass over the events.
Holds ExtractHolds(const History& history, AsksAgain reading = AsksAgain::kStartsAnew);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_HOLDS_H_
