// Disturbances of a run: its injected faults, and the unplanned stalls of its processes.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_DISTURBANCES_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_DISTURBANCES_H_

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "checker/evidence/holds.h"
#include "checker/evidence/traits.h"
#include "lib/history/history.h"

namespace doublehold {

// One activation of a fault, from its start to its heal. `to_ns` is the end of the history if the
// fault was never healed.
struct FaultEpisode {
  int32_t fault = 0;
  int32_t client = -1;
  int32_t node = -1;
  int64_t from_ns = 0;
  int64_t to_ns = 0;
  int64_t asked_ns = 0;
  int64_t measured_ns = 0;
};

// Whether a fault event reports that the fault ended without having acted on anything. A fault that
// acted on fewer frames than planned reports `fail` too, but its measured value is not 0.
bool DidNothing(const Event& fault);

// A span in which the machine kept a process from running while no fault stopped the process.
struct Stall {
  int32_t client = 0;  // number of a client, or kReferee, kSupervisor, OfServer(node)
  Span when;
};
// Whether the stall may delay a client. True for a stall of
// - the client itself;
// - the supervisor, which forwards all messages;
// - any server: the history does not record which servers a client waited for.
bool CanDelay(const Stall& stall, int32_t client);
inline bool IsOfStore(const Stall& stall) { return stall.client == OfServer(0); }
// Whether the stall may delay the client's calls of the lock: CanDelay, but no stall of the store.
inline bool CanDelayLock(const Stall& stall, int32_t client) {
  return CanDelay(stall, client) && !IsOfStore(stall);
}
// Whether the stall lasted for more than half the grace.
bool IsLong(const RunFacts& facts, const Stall& stall);

// Episodes of one fault, in the order of their starts.
class EpisodeTimes {
 public:
  void Add(const Span& active);
  // Whether one was active at some time in `when`. Includes the ends of both.
  [[nodiscard]] bool Meet(const Span& when) const;

 private:
  std::vector<Span> times_;  // each with the latest end so far
};

// The history must outlive its Disturbances.
struct Disturbances {
  const RunFacts& facts;
  std::vector<FaultEpisode> episodes;  // ordered by start
  std::vector<Stall> stalls;           // unplanned only, ordered by end
  std::set<int32_t> threaded;          // clients with several sessions
  std::vector<EpisodeTimes> active{};  // for each fault, those that act on more than the store
  int64_t longest_stall_ns = 0;
  int64_t longest_episode_ns = 0;

  // The stalls or episodes that overlap a span, in the order of `stalls` or `episodes`.
  [[nodiscard]] std::vector<const Stall*> StallsWithin(const Span& when) const;
  [[nodiscard]] std::vector<const FaultEpisode*> EpisodesWithin(const Span& when) const;
  // Returns an episode of the fault that acted on more than the store in `when`, its ends included;
  // null if there is none.
  [[nodiscard]] const FaultEpisode* EpisodeOf(int32_t fault, const Span& when) const;
};
Disturbances Observe(const History& history);

// Returns the stalls that overlap `when`, may delay the client's calls of the lock, and are long:
// they took more than half of some time that is as long as the grace. A client may then have sent
// its call again (MayResend).
std::vector<const Stall*> LongLockStalls(const Disturbances& disturbances, int32_t client,
                                         const Span& when);

inline const FaultFact& FaultFor(const RunFacts& facts, const FaultEpisode& episode) {
  return facts.faults[static_cast<size_t>(episode.fault)];
}

// Whether the fault moves a clock. Such a fault stops and delays nothing while it is active.
inline bool MovesAClock(const FaultFact& fault) { return Does(fault, FaultTrait::kMovesClock); }

// Whether the fault acts on servers, alone or together with a client. A fault on the links between
// a client and nodes does not act on servers.
bool ActsOnServers(const FaultEpisode& episode, const FaultFact& fault);
// Whether one of these servers keeps locks.
bool ActsOnLockServers(const FaultEpisode& episode, const FaultFact& fault);

// Whether the fault acts on nothing but the store and the links to the store. Such a fault excuses
// nothing that a lock does.
bool ActsOnStoreAlone(const FaultEpisode& episode, const FaultFact& fault);

// Whether the fault may stop or delay the client's requests to lock servers, or their replies. It
// acts on the client, on its links to lock servers, or on lock servers.
bool ConcernsClient(const FaultEpisode& episode, const FaultFact& fault, int32_t client);

// Whether the fault may stop or delay a call of the client on the lock `key`. A moved clock does
// not, and no fault on another lock.
bool MayDelayCall(const RunFacts& facts, const FaultEpisode& episode, int32_t client, uint16_t key);

// Whether the store may have lost data by the fault, or have returned with older data.
bool LosesStoreData(const FaultEpisode& episode, const FaultFact& fault);

// Whether the fault loses messages. A client may wait for a lost message after the fault has ended.
inline bool LosesMessages(const FaultFact& fault) {
  return Does(fault, FaultTrait::kLosesMessages);
}

// Whether the fault delays messages. A delayed message may arrive after its client's timeout, and
// after a retry of the same request.
inline bool KeepsMessages(const FaultFact& fault) {
  return Does(fault, FaultTrait::kKeepsMessages);
}

// Whether the fault acts on a single key that is not the key of the lock `key`. A library may store
// further keys for a lock, so a key that the run does not list may belong to the lock.
bool IsOfAnotherLock(const RunFacts& facts, const FaultFact& fault, uint16_t key);

// Whether a server may answer from older data, or from none, after the fault.
inline bool LosesData(const FaultFact& fault) { return Does(fault, FaultTrait::kLosesData); }

// Whether the fault loses data, or removes keys.
bool LosesKeys(const FaultFact& fault);

// Whether a server answers nothing while the fault acts on it.
bool StopsServers(const FaultFact& fault);

// Whether the fault kills a client or a node.
inline bool IsCrash(const FaultFact& fault) { return Does(fault, FaultTrait::kKills); }

inline bool IsAny(const FaultFact& /*fault*/) { return true; }

// Returns an episode of a fault for which `kind` is true that was active at some time in a span;
// null if there is none. Includes the ends of the span and of the fault. Ignores faults on the
// store alone: it keeps no locks.
const FaultEpisode* FindActive(const Disturbances& disturbances, const Span& when,
                               const std::function<bool(const FaultFact&)>& kind = IsAny);

// The time and the clients of an observation that faults may explain. A client of 0 means that
// there is no such client.
struct Suspects {
  int64_t at_ns = 0;
  int32_t stale = 0;  // the client that held the key past its lease, or 0 if all leases were valid
  int32_t other = 0;
  int32_t second = 0;  // a further client
  // End of the stale client's lease. If this is -1, the end is unknown and `at_ns` is used instead.
  int64_t lease_end_ns = -1;
  std::optional<uint16_t> key{};  // the lock's key, if known: a fault on another lock is no suspect
  bool of_lock = false;           // the lock went wrong: a fault on the store alone is no suspect
};

// Returns the faults to name as an explanation. The list may be empty. A fault on another lock than
// `key` is no candidate, nor is a fault on the store alone if the lock went wrong (`of_lock`). A
// candidate must have started by `at_ns`, and must satisfy one of these conditions:
// - The fault was active at `at_ns`, or within a lease before `at_ns`.
// - The fault was active on the stale client when the lease of that client ended.
// - The fault lost messages of the stale client within a lease before that client's lease ended, or
//   later. Reason: a client waits for a lost message even after the fault has ended.
//
// If there is a stale client, the order of preference is:
// 1. a fault on the stale client
// 2. a fault on the other client
// 3. a fault on a node
// 4. a fault on a bystander
//
// If all leases were valid, the order of preference is:
// 1. a fault on servers or clocks
// 2. any other fault on a client, except a pause or slowdown
// 3. a pause or slowdown of a bystander
// 4. a pause or slowdown of a holder
//
// Among candidates of equal preference, returns the latest one. If they are simultaneous clock
// faults, returns all of them.
std::vector<const FaultEpisode*> FaultsBehind(const Disturbances& disturbances,
                                              const Suspects& suspects);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_DISTURBANCES_H_
