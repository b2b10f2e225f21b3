#include "checker/explain/lock_nature.h"

#include <vector>

#include "checker/evidence/names.h"
#include "checker/sentences/violation_text.h"

namespace doublehold {
namespace {

// Finds the faults that stopped the holder, or acted on its messages to lock servers, since it
// asked for the lock.
std::vector<const FaultEpisode*> FindFaultsOnHolder(const ViolationContext& record,
                                                    const Hold& first, int64_t lost_ns) {
  constexpr FaultTraits kDelaying{FaultTrait::kStops, FaultTrait::kLosesMessages,
                                  FaultTrait::kKeepsMessages};
  std::vector<const FaultEpisode*> found;
  for (const FaultEpisode* episode :
       record.disturbances.EpisodesWithin({first.asked_ns, lost_ns})) {
    const FaultFact& fault = record.FaultOf(*episode);
    if (TraitsOf(fault).HasAny(kDelaying) && ConcernsClient(*episode, fault, first.client))
      found.push_back(episode);
  }
  return found;
}

}  // namespace

Explanation ExplainByNature(const ViolationContext& record, const Hold& first, const Hold& lost) {
  const RunFacts& facts = record.history.facts;
  std::vector<Explanation> found;
  // A lease cannot end much sooner than a lease after its acquire. It began before that only if its
  // client waited, and a waiting client keeps it alive in time.
  const int64_t lost_ns = lost.core.from_ns;
  const bool may_have_ended = lost_ns - first.asked_ns > ToNs(facts.lease) / 2;
  if (LockHas(facts, LockTrait::kIgnoresEnd) && may_have_ended) {
    const auto faults = FindFaultsOnHolder(record, first, lost_ns);
    if (!faults.empty()) {
      found.push_back({Cause::kEndIgnored, FaultsClause(record.disturbances, faults), faults});
    }
  }
  if (LockHas(facts, LockTrait::kLentSession)) {
    found.push_back({.cause = Cause::kSessionLent,
                     .because = "a session is lent for one transaction, and the lock stays in it"});
  }
  const bool of_two_servers = facts.nodes > 1 && (first.client - lost.client) % facts.nodes != 0;
  if (LockHas(facts, LockTrait::kEachServer) && of_two_servers) {
    found.push_back({.cause = Cause::kEachServer,
                     .because = "the two clients use different servers, and none knows of the "
                                "locks that another has granted"});
  }
  if (found.size() == 1) return found.front();
  if (found.empty())
    return {.because = "nothing is recorded that takes a lock away whose lease is valid"};
  Explanation all{.because = "each of these explains it: "};
  for (const Explanation& each : found) {
    all.because += (all.perhaps.empty() ? "" : ", and ") + each.because;
    all.perhaps.push_back(each.cause);
  }
  return all;
}

}  // namespace doublehold
