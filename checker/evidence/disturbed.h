// What the faults and stalls of a run may have done to a lock: the one place that decides whether a
// disturbance excuses an observation.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_DISTURBED_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_DISTURBED_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tl/expected.hpp>
#include <vector>

#include "checker/evidence/calls.h"
#include "checker/evidence/disturbances.h"
#include "checker/evidence/why.h"

namespace doublehold {

class Evidence;

// A client that asks for a key.
struct Asker {
  int32_t client = 0;
  uint16_t key = 0;
};

// Answers three questions, and a few that follow from them. A fault of a kind that the history does
// not describe may do everything, but counts as no kill. Faults and stalls of the store alone do
// nothing to a lock, nor do faults on single keys of other locks, where a function knows the key.
//
//   flush:   [-]                 1. Keys may be gone, or a lease may end at another time than its
//   c1:  A-a======   A-x            client computed.
//
//   hold c1:  [-------]          2. A message may arrive late or twice.
//   c1:     A---?       R-r
//
//   pause c1:   [---]            3. A call may be answered late, or without asking the lock. And a
//   c1:       A-------x             free lock may be refused.
//
// The evidence must outlive it. Not thread-safe.
class Disturbed {
 public:
  explicit Disturbed(const Evidence& evidence);

  // Whether, and why, the key may have been gone at some time in `when`, its ends included: a fault
  // removed keys, lost data, moved the clock of a lock server, or has killed one.
  [[nodiscard]] std::optional<Why> MayLoseKey(uint16_t key, const Span& when) const;
  // Whether, and why, a lock server may have returned with older data in `when`, its ends included.
  // Then anybody may have the key until it is granted anew.
  [[nodiscard]] std::optional<Why> MayReturnKeys(const Span& when) const;

  // Whether, and why, a clock may have been moved in `when`, its ends included.
  [[nodiscard]] std::optional<Why> MayMoveClocks(const Span& when) const;

  // Whether, and why, a request that the client sent in `when`, its ends included, may arrive late
  // or twice, because of a fault or since the client sent it again in a long stall.
  [[nodiscard]] std::optional<Why> MayDelayMessages(int32_t client, const Span& when) const;
  // The same, if the client may have sent it again in a long stall.
  [[nodiscard]] std::optional<Why> MayResendInStall(int32_t client, const Span& when) const;

  // Returns a fault that was active in `when`, its ends included; nullopt if there is none.
  [[nodiscard]] std::optional<Why> FindFault(const Span& when) const;
  // Returns the first fault in `when`, its ends included, on the client, its links or lock servers,
  // else a stall that may delay the client; nullopt if there is none.
  [[nodiscard]] std::optional<Why> FindDisturbanceOf(int32_t client, const Span& when) const;
  // Returns a stall of any process but the store in `when` that lasted for more than `longer_ns`.
  [[nodiscard]] std::optional<Why> FindStall(const Span& when, int64_t longer_ns) const;
  // Returns a fault on lock servers in `when` that may have made them refuse the key or not answer;
  // nullopt if there is none. Its ends do not count. Kills, moved clocks and cut replication count
  // only if they begin within `when`.
  [[nodiscard]] std::optional<Why> MayRefuseKey(uint16_t key, const Span& when) const;

  // Returns a fault that killed a client or a lock server by `at_ns`; nullopt if there is none.
  [[nodiscard]] std::optional<Why> FindKill(int64_t at_ns) const;
  // Returns the first fault that killed a lock server, if it began by `at_ns`.
  [[nodiscard]] std::optional<Why> FindServerKill(int64_t at_ns) const;
  // Whether a fault killed the client in `when`. Its ends do not count.
  [[nodiscard]] bool WasClientKilled(int32_t client, const Span& when) const;
  // Returns the spans in which faults or stalls may keep all requests of the client from the lock
  // servers, in order. A kill of a server lasts until a replica takes over, one of the client for
  // ever.
  [[nodiscard]] std::vector<Span> FindSpansWithoutRequests(int32_t client) const;

  // Returns what may first have cost the client its place in a queue; nullopt if nothing may have.
  // A fault from the invocation on of the acquire that took the place may have delayed the client,
  // or made a second copy of this acquire. So may stalls that together last longer than half a
  // lease without a gap. `when`: from that invocation to the last time at which the client asked.
  [[nodiscard]] std::optional<Why> MayCostPlace(int32_t client, const Span& when) const;

  // Returns one span that covers all faults and long stalls within `when` that may have stopped or
  // delayed the client, its requests for the key, or their replies; nullopt if there were none.
  [[nodiscard]] std::optional<Span> DelayOf(const Asker& asker, const Span& when) const;

  // Whether a driver may not have asked the lock for this call, because an earlier call of the same
  // session is unanswered. A grant or a retry hint shows that the driver asks the lock again.
  [[nodiscard]] bool IsUnsent(const Call& call) const { return unsent_.contains(&call); }
  // Whether the client of the call certainly asked the lock within `when`, and received the
  // answers. A library may answer by itself in two more cases:
  // - until lease + grace after a disturbance, because its connection may still be broken;
  // - at any time after a fault killed a lock server.
  [[nodiscard]] bool AskedTheLock(const Call& call, const Span& when) const;
  // Whether somebody certainly had the key at some time during the refused call.
  [[nodiscard]] bool ShowsTakenKey(const Call& refused) const;

  // Returns the latest end of the stalls and faults within `when` that may keep the asker from a
  // free lock. A stop, slowdown or stall of another client counts only if that client may then hold
  // some of several nodes, or may be ahead in a queue. Returns the start of `when` if there was no
  // such disturbance. Returns kForeverNs if too many servers were killed for a majority.
  //
  // kHinders: without faults that lose or repeat single messages. They do not hinder clients all
  // the time, though they may wait for the next such message until the end of the run.
  enum class Which : uint8_t { kAll, kHinders };
  [[nodiscard]] int64_t Until(const Span& when, const Asker& asker, Which which) const;
  // Returns Until of all faults, or the last fault or stall before or within `when` that may block
  // the key long after its end.
  [[nodiscard]] tl::expected<int64_t, Why> UndisturbedSince(const Span& when,
                                                            const Asker& asker) const;

 private:
  // Returns the first fault in `when`, its ends included, that concerns the client and for which
  // `counts` is true.
  template <typename Counts>
  [[nodiscard]] std::optional<Why> FirstFault(int32_t client, const Span& when,
                                              const Counts& counts) const;
  [[nodiscard]] bool MayBeAhead(int32_t stopped, const Span& when, const Asker& asker) const;

  const Evidence& evidence_;
  const RunFacts& facts_;
  const Disturbances& all_;
  std::set<const Call*> unsent_;
  std::map<int32_t, EpisodeTimes> key_losses_;   // by fault
  std::map<int, int64_t> killed_ns_;             // when each lock server was first killed
  const FaultEpisode* server_killed_ = nullptr;  // the first fault that killed a lock server
  std::vector<Why> lingering_;  // the faults and stalls that may block a key long after their ends
};

// Whether the refusal has a retry hint: the server said for how long the key is taken.
inline bool HasRetryHint(const Call& refused) { return refused.answer[0] > 0; }

// Whether the answer alone shows that the key was taken. On several nodes it does not: another
// attempt may have had a minority of the nodes.
inline bool ReportsThatKeyIsTaken(const RunFacts& facts, const Call& refused) {
  return IsOnOneNode(facts) && HasRetryHint(refused);
}

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_DISTURBED_H_
