// What went on around the holds of a run: the faults that were injected, and how the machine itself
// stalled its processes.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_DISTURBANCES_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_DISTURBANCES_H_

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checker/evidence/holds.h"
#include "checker/evidence/traits.h"
#include "lib/history/history.h"

namespace doublehold {

// One start-to-heal of a fault. `to_ns` is the end of the history when it was never healed.
struct FaultEpisode {
  int32_t fault = 0;
  int32_t client = -1;
  int32_t node = -1;
  int64_t from_ns = 0;
  int64_t to_ns = 0;
  int64_t asked_ns = 0;
  int64_t measured_ns = 0;
};

// Whether a fault event says that it ended without having met anything to act on. One that acted on
// fewer frames than it was to says `fail` as well, but has measured something.
bool DidNothing(const Event& fault);

// Of a session, what goes on side by side: it works, and its lease is extended.
enum class Side : uint8_t { kSession, kWatchdog };
// That it waited for an answer.
struct Wait {
  SessionId session;
  Side side = Side::kSession;
  Span when;
};

// A stretch in which the machine kept a process from running, though no fault had stopped it.
struct Stall {
  int32_t client = 0;  // or kReferee, kSupervisor, OfServer(node)
  Span when;
  std::vector<Wait> waiting{};  // of a server: by session, side and time, apart from each other
};
// Whether what is asked of a lock may stand in it: one of the supervisor, through which all
// messages go, or one of a server that keeps locks. Which of these was asked is not recorded, but
// that it was not the store.
bool IsOnTheWay(const Stall& stall);
// Whether it can have kept a client from asking for a lock: its own, or one on the way.
bool HoldsUp(const Stall& stall, int32_t client);
// For how long within `when` it can have kept a side of a session: of a server's only what that one
// waited for.
std::vector<Span> HeldUpBy(const Stall& stall, const SessionId& session, Side side,
                           const Span& when);

// Of one side of a session, what it waited for answers of: the store, or the servers that keep
// locks.
struct WaitsFor {
  SessionId session;
  Side side = Side::kSession;
  bool store = false;
  auto operator<=>(const WaitsFor&) const = default;
};

// Outlives nothing: refers to the history it was made of.
struct Scene {
  const RunFacts& facts;
  std::vector<FaultEpisode> episodes;  // in the order in which they started
  std::vector<Stall> stalls;           // unplanned, in the order in which they ended
  std::set<int32_t> threaded;          // clients that had several sessions
  // By time, apart from each other. Filled in only where there are stalls and faults.
  std::map<WaitsFor, std::vector<Span>> waits;
  int64_t longest_stall_ns = 0;
  int64_t longest_episode_ns = 0;

  // The stalls, and the episodes, that overlap a stretch, in that order.
  [[nodiscard]] std::vector<const Stall*> StallsWithin(const Span& when) const;
  [[nodiscard]] std::vector<const FaultEpisode*> EpisodesWithin(const Span& when) const;
  // The waits that overlap a stretch, whole.
  [[nodiscard]] std::vector<Span> WaitsWithin(const WaitsFor& what, const Span& when) const;
};
Scene Observe(const History& history);

// A fault that moves a clock: it lasts without stopping or holding up anything.
bool MovesAClock(const FaultFact& fault);

// Whether it acts on servers, alone or together with a client. One of links does not: its client
// and nodes name these.
bool ActsOnServers(const FaultEpisode& episode, const FaultFact& fault);

// Whether it acts on the store, or the links to it, alone.
bool ActsOnStore(const FaultEpisode& episode, const FaultFact& fault);

// One that loses messages: what is lost is waited for in vain, also when the fault is over.
bool LosesMessages(const FaultFact& fault);

// One that keeps messages back: what is sent may arrive when nobody waits for it any more, and
// after the same was sent again.
bool KeepsMessages(const FaultFact& fault);

// One of a single key, which is not that of the lock `key`. A library may keep other keys beside
// it.
bool IsOfAnotherLock(const RunFacts& facts, const FaultFact& fault, uint16_t key);

// One after which a server may answer from data older than it had, or from none.
bool LosesData(const FaultFact& fault);

// One of those, or one that takes keys away.
bool LosesKeys(const FaultFact& fault);

// One while which a server that it acts on answers nothing.
bool StopsServers(const FaultFact& fault);

// One that kills a client, or a node.
bool IsCrash(const FaultFact& fault);

// Whether a fault of which `kind` is true was active in some part of a stretch.
bool WasActive(const Scene& scene, const Span& when, bool (*kind)(const FaultFact&));
// The same of one that was not on another client alone.
bool WasActiveOn(const Scene& scene, int32_t client, const Span& when,
                 bool (*kind)(const FaultFact&));

// Who is to be explained: something seen at `at_ns` that clients did. A client is 0 when there is
// none.
struct Suspects {
  int64_t at_ns = 0;
  int32_t stale = 0;  // held the key with its lease over; 0: the leases of all were valid
  int32_t other = 0;
  int32_t second = 0;         // a further one
  int64_t lease_end_ns = -1;  // of the stale one's lease; -1: at_ns
};

// The faults to name for it: active at that time or within a lease before; of what a stale client
// lost, within the lease that was over, since it waits on when that is lost; of a stale client also
// what was active when its lease ended. Of a stale client rather one on it than on the other,
// rather on a node than on a bystander. Of valid leases rather one of the servers or a clock, then
// of anybody's messages; that a holder slept is the last that explains them. Of equals the latest,
// but all the clocks that were moved then. Empty: none.
std::vector<const FaultEpisode*> FaultsBehind(const Scene& scene, const Suspects& suspects);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_DISTURBANCES_H_
