#include "checker/evidence/overlaps.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

namespace doublehold {
namespace {

// The first span that two holds share, and the total length of all shared spans.
struct CommonTime {
  Span first;
  int64_t length_ns = 0;
};

std::optional<CommonTime> FindCommonTime(const std::vector<Span>& a, const std::vector<Span>& b) {
  std::optional<CommonTime> common;
  for (const Span& x : a) {
    for (const Span& y : b) {
      if (!Overlap(x, y)) continue;
      const Span both{std::max(x.from_ns, y.from_ns), std::min(x.to_ns, y.to_ns)};
      if (!common) common = CommonTime{.first = both};
      common->length_ns += both.to_ns - both.from_ns;
    }
  }
  return common;
}

std::vector<Span> MergePromisedSpans(const Hold& hold) {
  std::vector<Span> promises = hold.live;
  for (const Span& promised : hold.promised) {
    if (!promises.empty() && promises.back().to_ns == promised.from_ns) {
      promises.back().to_ns = promised.to_ns;
    } else {
      promises.push_back(promised);
    }
  }
  return promises;
}

// Returns the part of the core in which the client is in its section.
std::vector<Span> SectionSpans(const Hold& hold) {
  const Span section{std::max(hold.core.from_ns, hold.entered_ns), hold.core.to_ns};
  return section.from_ns <= section.to_ns ? std::vector{section} : std::vector<Span>{};
}

std::optional<CommonTime> FindCommonTime(const Hold& a, const Hold& b, Part part) {
  if (a.owner() == b.owner()) return std::nullopt;  // re-entry
  if (a.shared && b.shared) return std::nullopt;    // readers
  if (part == Part::kCore) return FindCommonTime(SectionSpans(a), SectionSpans(b));
  if (part == Part::kLive) return FindCommonTime(a.live, b.live);
  return FindCommonTime(MergePromisedSpans(a), MergePromisedSpans(b));
}

int64_t PartEndNs(const Hold& hold, Part part) {
  const bool ends_with_core = part != Part::kPromised || hold.promised.empty();
  return ends_with_core ? hold.core.to_ns : hold.promised.back().to_ns;
}

}  // namespace

bool PromisedAtOnce(const Hold& a, const Hold& b) {
  return FindCommonTime(a, b, Part::kPromised).has_value();
}

std::vector<OverlapFound> FindOverlaps(const Holds& holds, Part part) {
  std::vector<OverlapFound> found;
  std::unordered_map<uint16_t, std::vector<size_t>> open_of_key;
  for (size_t second = 0; second < holds.all.size(); ++second) {
    const Hold& hold = holds.all[second];
    std::vector<size_t>& open = open_of_key[hold.key];
    // A hold that ended before this grant overlaps neither this hold nor a later one.
    std::erase_if(open,
                  [&](size_t i) { return PartEndNs(holds.all[i], part) <= hold.core.from_ns; });
    std::optional<OverlapFound> worst;
    // The three criteria of OverlapFound.
    std::tuple<bool, bool, int64_t> worst_rank;
    std::set<SessionId> owners;
    for (const size_t first : open) {
      const std::optional<CommonTime> common = FindCommonTime(holds.all[first], hold, part);
      if (!common) continue;
      owners.insert(holds.all[first].owner());
      const int64_t at_ns = common->first.from_ns;
      const Hold& other = holds.all[first];
      const std::tuple rank{other.PromisedAt(at_ns) && hold.PromisedAt(at_ns),
                            !other.DoubtfulAt(at_ns) && !hold.DoubtfulAt(at_ns), common->length_ns};
      if (worst && rank <= worst_rank) continue;
      worst_rank = rank;
      worst = OverlapFound{.first = first, .second = second, .where = common->first};
    }
    if (worst) {
      worst->others = static_cast<int>(owners.size()) - 1;
      found.push_back(*worst);
    }
    open.push_back(second);
  }
  return found;
}

}  // namespace doublehold
