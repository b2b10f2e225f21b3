#include "checker/evidence/second_copies.h"

#include <algorithm>

#include "checker/evidence/stall_attribution.h"
#include "checker/evidence/traits.h"

namespace doublehold {
namespace {

bool MakesSecondCopy(const FaultFact& fault, bool granted) {
  return TraitsOf(fault).HasAny({FaultTrait::kKeepsMessages, FaultTrait::kRepeats}) ||
         (LosesMessages(fault) && !granted);
}

}  // namespace

std::optional<int64_t> SecondCopyArrivalNs(const Disturbances& disturbances, int32_t client,
                                           const Span& when, bool granted) {
  std::optional<int64_t> arrival_ns;
  const auto note = [&](int64_t delayed_until_ns) {
    arrival_ns = std::max({arrival_ns.value_or(0), when.to_ns, delayed_until_ns});
  };
  const Stall* stall = LongestStall(disturbances, client, when);
  if (stall != nullptr &&
      stall->when.to_ns - stall->when.from_ns > ToNs(disturbances.facts.grace) / 2)
    note(stall->when.to_ns);
  for (const FaultEpisode* episode : disturbances.EpisodesWithin(when)) {
    const FaultFact& fault = FaultFor(disturbances.facts, *episode);
    if (ConcernsClient(*episode, fault, client) && MakesSecondCopy(fault, granted))
      note(episode->to_ns);
  }
  return arrival_ns;
}

}  // namespace doublehold
