#include "checker/explain/lock_nature.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "checker/evidence/names.h"
#include "checker/sentences/violation_text.h"

namespace doublehold {
namespace {

// Finds the faults that acted on the holder, or on its connections to lock servers, since it asked
// for the lock.
std::vector<const FaultEpisode*> FindFaultsOnHolder(const ViolationContext& record,
                                                    const Hold& first, int64_t lost_ns,
                                                    FaultTraits traits) {
  std::vector<const FaultEpisode*> found;
  for (const FaultEpisode* episode :
       record.disturbances.EpisodesWithin({first.asked_ns, lost_ns})) {
    const FaultFact& fault = record.FaultOf(*episode);
    const bool on_it = episode->client < 0 || episode->client == first.client;
    if (on_it && TraitsOf(fault).HasAny(traits) && !ActsOnStore(*episode, fault))
      found.push_back(episode);
  }
  return found;
}

}  // namespace

Explanation ExplainByNature(const ViolationContext& record, const Hold& first, int64_t lost_ns) {
  const RunFacts& facts = record.history.facts;
  std::vector<Explanation> found;
  const auto add_faults = [&](Cause cause, FaultTraits traits) {
    const auto faults = FindFaultsOnHolder(record, first, lost_ns, traits);
    if (!faults.empty())
      found.push_back({cause, FaultsClause(record.disturbances, faults), faults});
  };
  if (LockHas(facts, LockTrait::kSession)) {
    add_faults(Cause::kConnectionLost, {FaultTrait::kLosesMessages});
    // The connection outlives the loss of single messages.
    std::erase_if(found, [&](const Explanation& each) {
      return std::ranges::all_of(each.episodes, [&](const FaultEpisode* episode) {
        return Does(record.FaultOf(*episode), FaultTrait::kDrops);
      });
    });
  }
  // A lease cannot end much sooner than a lease after its acquire. It began before that only if its
  // client waited, and a waiting client keeps it alive in time.
  const bool may_have_ended = lost_ns - first.asked_ns > ToNs(facts.lease) / 2;
  if (LockHas(facts, LockTrait::kIgnoresEnd) && may_have_ended) {
    add_faults(Cause::kEndIgnored,
               {FaultTrait::kStops, FaultTrait::kLosesMessages, FaultTrait::kKeepsMessages});
  }
  if (LockHas(facts, LockTrait::kLentSession)) {
    found.push_back({.cause = Cause::kSessionLent,
                     .because = "a session is lent for one transaction, and the lock stays in it"});
  }
  if (LockHas(facts, LockTrait::kEachServer) && facts.nodes > 1) {
    found.push_back({.cause = Cause::kEachServer,
                     .because = fmt::format("no server knows of the locks that the other{} granted",
                                            facts.nodes > 2 ? "s have" : "")});
  }
  if (found.size() == 1) return found.front();
  Explanation none{.because = "nothing is recorded that takes a lock away whose lease is valid"};
  for (const Explanation& each : found) none.perhaps.push_back(each.cause);
  return none;
}

}  // namespace doublehold
