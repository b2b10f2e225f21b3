// Disturbances of a run: the faults that were injected, and the stalls that the machine caused.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_DISTURBANCES_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_DISTURBANCES_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "checker/evidence/holds.h"
#include "checker/evidence/traits.h"
#include "lib/history/history.h"

namespace doublehold {

// One episode: a fault from its start to its heal. `to_ns` is the end of the history if the fault
// was never healed.
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
// acted on fewer frames than planned reports `fail` too, but it measured something.
bool DidNothing(const Event& fault);

// A time during which the machine kept a process from running, although no fault had stopped it.
struct Stall {
  int32_t client = 0;  // or kReferee, kSupervisor, OfServer(node)
  Span when;
};
// Whether the stall may delay a client: the client's own, one of the supervisor, which forwards all
// messages, or one of a server. The history does not record which servers a client waited for.
bool CanDelay(const Stall& stall, int32_t client);

// Refers to the history that it was made of, which must outlive it.
struct Disturbances {
  const RunFacts& facts;
  std::vector<FaultEpisode> episodes;  // in the order in which they started
  std::vector<Stall> stalls;           // unplanned, in the order in which they ended
  std::set<int32_t> threaded;          // clients that had several sessions
  int64_t longest_stall_ns = 0;
  int64_t longest_episode_ns = 0;

  // The stalls, or the episodes, that overlap a span, in the order above.
  [[nodiscard]] std::vector<const Stall*> StallsWithin(const Span& when) const;
  [[nodiscard]] std::vector<const FaultEpisode*> EpisodesWithin(const Span& when) const;
};
Disturbances Observe(const History& history);

inline const FaultFact& FaultFor(const RunFacts& facts, const FaultEpisode& episode) {
  return facts.faults[static_cast<size_t>(episode.fault)];
}

// Whether the fault moves a clock: such a fault lasts without stopping or delaying anything.
bool MovesAClock(const FaultFact& fault);

// Whether the fault acts on servers, alone or together with a client. A fault of links does not:
// its client and nodes are the ends of the links.
bool ActsOnServers(const FaultEpisode& episode, const FaultFact& fault);

// Whether the fault acts on the store alone, or on the links to it alone.
bool ActsOnStore(const FaultEpisode& episode, const FaultFact& fault);

// Whether the fault loses messages. Clients wait in vain for a lost message, even after the fault
// has ended.
bool LosesMessages(const FaultFact& fault);

// Whether the fault delays messages. Such a message may arrive after its client's timeout, and
// after a retry of the same request.
bool KeepsMessages(const FaultFact& fault);

// Whether the fault acts on a single key that is not the key of the lock `key`. A library may keep
// further keys for a lock, so an unlisted key may be its own.
bool IsOfAnotherLock(const RunFacts& facts, const FaultFact& fault, uint16_t key);

// Whether a server may answer from older data, or from none, after the fault.
bool LosesData(const FaultFact& fault);

// Whether the fault loses data, or removes keys.
bool LosesKeys(const FaultFact& fault);

// Whether a server answers nothing while the fault acts on it.
bool StopsServers(const FaultFact& fault);

// Whether the fault kills a client or a node.
bool IsCrash(const FaultFact& fault);

// Whether a fault for which `kind` is true was active at some time in a span.
bool WasActive(const Disturbances& disturbances, const Span& when, bool (*kind)(const FaultFact&));
// As WasActive, but ignores faults that acted on other clients only.
bool WasActiveOn(const Disturbances& disturbances, int32_t client, const Span& when,
                 bool (*kind)(const FaultFact&));

// An observation at `at_ns` that faults may explain, and the clients involved. 0: no such client.
struct Suspects {
  int64_t at_ns = 0;
  int32_t stale = 0;  // client that held the key past its lease; 0: all leases were valid
  int32_t other = 0;
  int32_t second = 0;         // a further client
  int64_t lease_end_ns = -1;  // end of the stale client's lease; -1: at_ns
};

// Returns the faults to name as an explanation; empty: none. Candidates are faults that were active
// - at `at_ns`, or within a lease before it;
// - on the stale client when its lease ended;
// - on the stale client within a lease before its lease ended, if they lose messages: the client
//   waits for a lost message after the fault has ended.
//
// With a stale client, a fault on it comes first, then one on the other client, on a node, on a
// bystander. With valid leases, a fault on servers or clocks comes first, then one on messages,
// then a pause of a bystander, then a pause of a holder. Of equals, the latest is returned; of
// simultaneous clock faults, all.
std::vector<const FaultEpisode*> FaultsBehind(const Disturbances& disturbances,
                                              const Suspects& suspects);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_DISTURBANCES_H_
