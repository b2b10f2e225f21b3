// Finds the times in which only one session can have the key. If the key was certainly taken at
// such a time, this session had the key.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LOCK_SOLE_HOLDERS_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LOCK_SOLE_HOLDERS_H_

#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "checker/claims/library/refusals.h"
#include "checker/evidence/calls.h"
#include "checker/evidence/evidence.h"

namespace doublehold {

// A session may have the key in these times:
// - From its grant to the answer of the release. If a disturbance may have delayed the answer of
//   the grant, from the start of the disturbance on.
// - From the invocation of an acquire of unknown outcome to the answer of its own release, if this
//   release can have freed nothing else, or was invoked on one node after the acquire had arrived.
// - While a second copy of its acquire may hold the key (evidence/second_copies.h).
// - From the invocation of a refused acquire of several keys to its answer.
//
// An exclusive grant to another session ends these times, except for acquires that may have arrived
// after the invocation of the grant. A grant to the same session ends the time of its earlier
// acquires of unknown outcome, but one of them may count as a further entry. A server that returns
// with older data may give the key to anybody, until the key is granted anew.
class SoleHolders {
 public:
  // `calls`: the acquires and releases of one key, in the order of their invocation. Not empty.
  SoleHolders(const std::vector<const Call*>& calls, const Evidence& evidence,
              const Refusals& refusals);

  // Whether, throughout `when`, no other session can have had the key.
  [[nodiscard]] bool IsSoleHolder(const SessionId& session, const Span& when) const;
  // Returns the only session that can have had the key throughout the refused call. Returns nullopt
  // if there is none. On several nodes, also returns nullopt if another session asked during
  // the call: that session may have had some of the nodes.
  [[nodiscard]] std::optional<SessionId> FindHolderDuring(const Call& refused) const;

 private:
  // In the order in which they count at the same instant.
  enum class What : uint8_t { kOlderData, kMayHold, kInvoked, kAnswered };
  struct Moment {
    int64_t at_ns = 0;
    What what = What::kInvoked;
    const Call* call = nullptr;
  };
  struct Sole {
    SessionId session;
    Span when;
  };

  [[nodiscard]] std::vector<Moment> ListMoments(const std::vector<const Call*>& calls) const;
  void Handle(const Moment& moment);
  void HandleInvocation(const Call& call);
  void HandleAnswer(const Call& call);
  void HandleRelease(const Call& release);
  void HandleExclusiveGrant(const Call& grant);
  void NoteSoleHolder(int64_t at_ns);
  [[nodiscard]] const Sole* FindSole(const Span& when) const;

  using CallsOfSessions = std::map<SessionId, std::set<const Call*>>;
  static void Erase(CallsOfSessions& calls, const Call& call);

  const Disturbances& disturbances_;
  const Refusals& refusals_;
  std::unordered_map<uint64_t, const Call*> acquires_;       // by hold
  std::unordered_map<const Call*, int64_t> latest_arrival_;  // of acquires of unknown outcome
  CallsOfSessions holding_;
  CallsOfSessions unknown_;
  std::set<const Call*> nested_;  // releases whose session had a granted hold when it invoked them
  std::set<SessionId> hidden_;    // sessions that may have entered once more than is known
  const KeyTimeline& copies_;     // second copies of acquires
  std::optional<int64_t> older_data_ns_;  // when a server returned with older data
  std::set<const Call*> asking_;          // on several nodes: acquires that are not answered yet
  std::set<const Call*> crowded_;         // acquires during which another session asked
  std::vector<Sole> found_;               // in order, disjoint
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LOCK_SOLE_HOLDERS_H_
