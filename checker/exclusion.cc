#include "checker/exclusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "checker/decide.h"
#include "checker/holds.h"
#include "checker/overlaps.h"
#include "checker/scene.h"
#include "checker/story.h"

namespace doublehold {
namespace {

void Lower(std::optional<Margin>& least, Margin margin) {
  if (!least || margin.ns < least->ns) least = std::move(margin);
}

std::optional<Margin> ShortestGap(const Holds& holds) {
  std::optional<Margin> shortest;
  std::map<uint16_t, const Hold*> last_to_end;  // of each key, so far
  for (const Hold& hold : holds.all) {
    const Hold*& before = last_to_end[hold.key];
    if (before != nullptr && before->owner() != hold.owner() && !(before->shared && hold.shared)) {
      Lower(shortest, {.what = "shortest gap between two holds",
                       .ns = hold.core.from_ns - std::min(before->core.to_ns, hold.core.to_ns),
                       .missed = "longest overlap of two holds"});
    }
    if (before == nullptr || hold.core.to_ns >= before->core.to_ns) before = &hold;
  }
  return shortest;
}

std::optional<Margin> LeastLeaseLeft(const Holds& holds) {
  std::optional<Margin> least;
  for (const Hold& hold : holds.all) {
    if (!hold.released || hold.valid_until_ns >= kForeverNs) continue;
    Lower(least, {.what = "least lease left at release",
                  .ns = hold.valid_until_ns - hold.core.to_ns,
                  .missed = "latest release after its lease"});
  }
  return least;
}

// Why holds of these clients could not have overlapped, or nothing when they could.
std::string WhyNothingCouldOverlap(const Scene& scene, const Holds& holds) {
  if (holds.all.empty()) return "no client was granted the lock";
  const Hold& first = holds.all.front();
  const bool alone = std::ranges::all_of(
      holds.all, [&first](const Hold& hold) { return hold.owner() == first.owner(); });
  return alone ? fmt::format("only {} was granted the lock", OwnerName(scene, first.owner())) : "";
}

ClaimVerdict Check(const History& history, const Limits& limits, Part part) {
  ClaimVerdict verdict{.unit = "holds"};
  const Holds holds = ExtractHolds(history);
  verdict.opportunities = static_cast<int64_t>(holds.all.size());
  verdict.margin = part == Part::kCore ? ShortestGap(holds) : LeastLeaseLeft(holds);
  const Scene scene = Observe(history);
  if (holds.broken) return Undecided(std::move(verdict), *holds.broken);
  if (std::string why = WhyNothingCouldOverlap(scene, holds); !why.empty()) {
    return Undecided(std::move(verdict), std::move(why));
  }
  Stories stories(limits);
  for (const OverlapFound& overlap : FindOverlaps(holds, part)) {
    ++verdict.count;
    const uint64_t first = holds.all[overlap.first].hold;
    if (stories.Wanted(first)) {
      stories.Add(TellOverlap(scene, holds, overlap));
    } else {
      stories.CountUntold(first);
    }
  }
  const std::string_view what =
      part == Part::kCore ? "held the key" : "had a valid lease on the key";
  const std::string of = fmt::format("of {} began while another client {}",
                                     Counted(verdict.opportunities, "hold"), what);
  std::string some = fmt::format("{} {}", verdict.count, of);
  return Decided(std::move(verdict), std::move(stories), std::move(some), "none " + of);
}

}  // namespace

ClaimVerdict CheckExclusion(const History& history, const Limits& limits) {
  return Check(history, limits, Part::kCore);
}

ClaimVerdict CheckLeaseExclusion(const History& history, const Limits& limits) {
  return Check(history, limits, Part::kLive);
}

}  // namespace doublehold
