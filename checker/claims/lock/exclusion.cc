#include "checker/claims/lock/exclusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checker/evidence/disturbances.h"
#include "checker/evidence/entries.h"
#include "checker/evidence/holds.h"
#include "checker/evidence/names.h"
#include "checker/evidence/overlaps.h"
#include "checker/measures/hold_margins.h"
#include "checker/sentences/violation_text.h"
#include "checker/verdict/decide.h"

namespace doublehold {
namespace {

// The holders of one key, and whether two of its holds could exclude each other.
struct HoldersOfKey {
  int64_t holds = 0;
  std::set<SessionId> owners;
  bool readers_only = true;

  [[nodiscard]] bool CouldOverlap() const { return owners.size() > 1 && !readers_only; }
};

// Returns why the absence of overlaps proves nothing: too few holds could overlap another. Returns
// nullopt if enough holds could overlap another.
std::optional<std::string> WhyNoneCouldOverlap(const Disturbances& disturbances,
                                               const Holds& holds) {
  if (holds.all.empty()) return "no client was granted the lock";
  std::map<uint16_t, HoldersOfKey> keys;
  for (const Hold& hold : holds.all) {
    HoldersOfKey& key = keys[hold.key];
    ++key.holds;
    key.owners.insert(hold.owner());
    key.readers_only = key.readers_only && hold.shared;
  }
  const SessionId first = holds.all.front().owner();
  if (std::ranges::all_of(holds.all, [&](const Hold& hold) { return hold.owner() == first; }))
    return fmt::format("only {} was granted the lock", OwnerName(disturbances, first));
  int64_t judged = 0;
  for (const auto& [key, holders] : keys) judged += holders.CouldOverlap() ? holders.holds : 0;
  if (judged == 0) return "no key was held by two that exclude each other";
  return WhyTooLittle(judged, static_cast<int64_t>(holds.all.size()) - judged, "holds");
}

// Returns why the absence of overlaps proves nothing: a client that acquired the key again without
// a release may still have been in its section. Returns nullopt if no hold would overlap another in
// that case either.
std::optional<std::string> WhyMayBeInside(const Evidence& evidence, Part part) {
  if (!evidence.holds().is_ambiguous) return std::nullopt;
  Holds inside = ExtractHolds(evidence.history(), AsksAgain::kIsInside);
  MarkEntries(evidence.history(), inside);
  const std::vector<OverlapFound> overlaps = FindOverlaps(inside, part);
  if (overlaps.empty()) return std::nullopt;
  const Hold& held = inside.all[overlaps.front().first];
  const Hold& next = inside.all[overlaps.front().second];
  return fmt::format(
      "{} was granted the key at {}, and {}, which had been granted it at {}, asked for it again "
      "without a release: whether it was still inside is not recorded",
      OwnerName(evidence.disturbances(), next.owner()), At(next.core.from_ns),
      OwnerName(evidence.disturbances(), held.owner()), At(held.core.from_ns));
}

ClaimVerdict CheckPart(const Evidence& evidence, const Limits& limits, Part part) {
  ClaimFindings found("holds", limits);
  const Holds& holds = evidence.holds();
  found.Judged(static_cast<int64_t>(holds.all.size()));
  const Disturbances& disturbances = evidence.disturbances();
  if (found.describes())
    found.AddMargins(part == Part::kCore ? GapMargins(disturbances, holds)
                                         : LeaseMargins(disturbances, holds));
  if (holds.broken) return std::move(found).Undecided(*holds.broken);
  std::vector<int64_t> lengths_ns;
  for (const OverlapFound& overlap : FindOverlaps(holds, part)) {
    if (found.describes()) lengths_ns.push_back(overlap.where.to_ns - overlap.where.from_ns);
    const auto describe = [&] { return TellOverlap(disturbances, holds, overlap); };
    found.Violated(overlap.where.from_ns, describe, holds.all[overlap.first].hold);
  }
  if (found.IsClean()) found.Doubt(WhyNoneCouldOverlap(disturbances, holds));
  if (found.IsClean()) found.Doubt(WhyMayBeInside(evidence, part));
  Reasons reasons;
  if (found.describes()) {
    reasons.judged = Counted(found.judged(), "hold");
    reasons.violated = part == Part::kCore
                           ? "began while another client held the key"
                           : "began while another client had a valid lease on the key";
    reasons.valid = "none of {} " + reasons.violated;
  }
  ClaimVerdict verdict = std::move(found).Conclude(std::move(reasons));
  if (!lengths_ns.empty()) verdict.overlap = PercentilesOf(std::move(lengths_ns));
  return verdict;
}

}  // namespace

ClaimVerdict CheckExclusion(const Evidence& evidence, const Limits& limits) {
  return CheckPart(evidence, limits, Part::kCore);
}

ClaimVerdict CheckLeaseExclusion(const Evidence& evidence, const Limits& limits) {
  if (!evidence.facts().library) return CheckPart(evidence, limits, Part::kPromised);
  ClaimVerdict verdict = CheckPart(evidence, limits, Part::kLive);
  if (verdict.outcome != Outcome::kValid) return verdict;
  const Holds& holds = evidence.holds();
  const std::vector<OverlapFound> promised_overlaps = FindOverlaps(holds, Part::kPromised);
  if (promised_overlaps.empty()) return verdict;
  const Hold& gone = holds.all[promised_overlaps.front().first];
  const Hold& next = holds.all[promised_overlaps.front().second];
  return Undecided(
      std::move(verdict),
      fmt::format("{} was granted the key at {}, within the lease of {}, which never released it; "
                  "but its library may have, as it went",
                  OwnerName(evidence.disturbances(), next.owner()), At(next.core.from_ns),
                  OwnerName(evidence.disturbances(), gone.owner())));
}

}  // namespace doublehold
