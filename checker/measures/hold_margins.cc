#include "checker/measures/hold_margins.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "checker/evidence/names.h"

namespace doublehold {
namespace {

std::vector<Margin> TakeMargin(MarginFinder&& finder) {
  std::optional<Margin> margin = std::move(finder).Take();
  return margin ? std::vector{std::move(*margin)} : std::vector<Margin>{};
}

// A client that needs several keys enters its section when it has all of them.
int64_t SectionStart(const Hold& hold) { return std::max(hold.core.from_ns, hold.entered_ns); }

// Returns the holds whose section began, in the order of these beginnings.
std::vector<const Hold*> SortSections(const Holds& holds) {
  std::vector<const Hold*> sorted;
  sorted.reserve(holds.all.size());
  for (const Hold& hold : holds.all) {
    if (SectionStart(hold) <= hold.core.to_ns) sorted.push_back(&hold);
  }
  std::ranges::stable_sort(sorted, {}, [](const Hold* hold) { return SectionStart(*hold); });
  return sorted;
}

}  // namespace

std::vector<Margin> GapMargins(const Disturbances& disturbances, const Holds& holds) {
  MarginFinder gaps(
      {.what = "shortest gap between two holds", .missed = "longest overlap of two holds"});
  std::map<uint16_t, const Hold*> last_to_end;  // by key: the hold so far that ended last
  for (const Hold* hold : SortSections(holds)) {
    const Hold*& before = last_to_end[hold->key];
    if (before != nullptr && before->owner() != hold->owner() &&
        !(before->shared && hold->shared)) {
      const int64_t from_ns = SectionStart(*hold);
      const int64_t gap_ns = from_ns - std::min(before->core.to_ns, hold->core.to_ns);
      gaps.Add(gap_ns, from_ns, [&] {
        return fmt::format(
            "{} {} {} at {}, {} after {} {}", OwnerName(disturbances, hold->owner()),
            from_ns > hold->core.from_ns ? "entered its section with" : "was granted",
            KeyName(disturbances.facts, hold->key), At(from_ns), ShortTime(gap_ns),
            OwnerName(disturbances, before->owner()),
            before->released ? "released it" : "had it last");
      });
    }
    if (before == nullptr || hold->core.to_ns >= before->core.to_ns) before = hold;
  }
  return TakeMargin(std::move(gaps));
}

std::vector<Margin> LeaseMargins(const Disturbances& disturbances, const Holds& holds) {
  MarginFinder at_release(
      {.what = "least lease left at release", .missed = "latest release after its lease"});
  MarginFinder at_grant(
      {.what = "smallest validity at grant", .missed = "latest grant after its lease"});
  const auto note = [&disturbances](MarginFinder& finder, const Hold& hold, int64_t left_ns,
                                    int64_t at_ns, std::string_view did) {
    finder.Add(left_ns, at_ns, [&] {
      return fmt::format("{} {} {} at {} with {} of its lease left",
                         OwnerName(disturbances, hold.owner()), did,
                         KeyName(disturbances.facts, hold.key), At(at_ns), ShortTime(left_ns));
    });
  };
  for (const Hold& hold : holds.all) {
    if (hold.granted_until_ns < kForeverNs) {
      note(at_grant, hold, hold.granted_until_ns - hold.core.from_ns, hold.core.from_ns,
           "was granted");
    }
    if (hold.released && hold.valid_until_ns < kForeverNs) {
      note(at_release, hold, hold.valid_until_ns - hold.core.to_ns, hold.core.to_ns, "released");
    }
  }
  std::vector<Margin> margins = TakeMargin(std::move(at_release));
  for (Margin& margin : TakeMargin(std::move(at_grant))) margins.push_back(std::move(margin));
  return margins;
}

}  // namespace doublehold
