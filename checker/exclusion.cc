#include "checker/exclusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "checker/decide.h"
#include "checker/hold_margins.h"
#include "checker/holds.h"
#include "checker/overlaps.h"
#include "checker/scene.h"
#include "checker/story.h"

namespace doublehold {
namespace {

// Why holds of these clients could not have overlapped, or nothing when they could.
std::string WhyNothingCouldOverlap(const Scene& scene, const Holds& holds) {
  if (holds.all.empty()) return "no client was granted the lock";
  const Hold& first = holds.all.front();
  const bool alone = std::ranges::all_of(
      holds.all, [&first](const Hold& hold) { return hold.owner() == first.owner(); });
  return alone ? fmt::format("only {} was granted the lock", OwnerName(scene, first.owner())) : "";
}

ClaimVerdict Check(const Evidence& evidence, const Limits& limits, Part part) {
  ClaimVerdict verdict{.unit = "holds"};
  const Holds& holds = evidence.holds();
  verdict.opportunities = static_cast<int64_t>(holds.all.size());
  const Scene& scene = evidence.scene();
  if (limits.violations_told > 0)
    verdict.margins = part == Part::kCore ? GapMargins(scene, holds) : LeaseMargins(scene, holds);
  if (holds.broken) return Undecided(std::move(verdict), *holds.broken);
  if (std::string why = WhyNothingCouldOverlap(scene, holds); !why.empty()) {
    return Undecided(std::move(verdict), std::move(why));
  }
  Stories stories(limits);
  std::vector<int64_t> lengths_ns;
  for (const OverlapFound& overlap : FindOverlaps(holds, part)) {
    ++verdict.count;
    const auto [from_ns, to_ns] = overlap.where;
    lengths_ns.push_back(to_ns - from_ns);
    const uint64_t first = holds.all[overlap.first].hold;
    if (stories.Wanted(first)) {
      stories.Add(TellOverlap(scene, holds, overlap), from_ns);
    } else {
      stories.CountUntold(first, from_ns);
    }
  }
  if (!lengths_ns.empty()) verdict.overlap = PercentilesOf(std::move(lengths_ns));
  if (limits.violations_told == 0) return Decided(std::move(verdict), std::move(stories), "", "");
  const std::string_view what =
      part == Part::kCore ? "held the key" : "had a valid lease on the key";
  const std::string of = fmt::format("of {} began while another client {}",
                                     Counted(verdict.opportunities, "hold"), what);
  std::string some = fmt::format("{} {}", verdict.count, of);
  return Decided(std::move(verdict), std::move(stories), std::move(some), "none " + of);
}

}  // namespace

ClaimVerdict CheckExclusion(const Evidence& evidence, const Limits& limits) {
  return Check(evidence, limits, Part::kCore);
}

ClaimVerdict CheckLeaseExclusion(const Evidence& evidence, const Limits& limits) {
  if (!evidence.facts().library) return Check(evidence, limits, Part::kPromised);
  ClaimVerdict verdict = Check(evidence, limits, Part::kLive);
  if (verdict.outcome != Outcome3::kValid) return verdict;
  const Holds& holds = evidence.holds();
  const std::vector<OverlapFound> perhaps = FindOverlaps(holds, Part::kPromised);
  if (perhaps.empty()) return verdict;
  const Hold& gone = holds.all[perhaps.front().first];
  const Hold& next = holds.all[perhaps.front().second];
  return Undecided(
      std::move(verdict),
      fmt::format("{} was granted the key at {}, within the lease of {}, which never released it; "
                  "but its library may have, as it went",
                  OwnerName(evidence.scene(), next.owner()), At(next.core.from_ns),
                  OwnerName(evidence.scene(), gone.owner())));
}

}  // namespace doublehold
