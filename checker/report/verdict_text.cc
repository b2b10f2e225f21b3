// Writes a verdict for a terminal in full: its table, the sentences of its violations, and the
// injected faults.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "checker/evidence/names.h"
#include "checker/explain/ascii_timeline.h"
#include "checker/explain/cause.h"
#include "checker/judge.h"
#include "checker/report/verdict_table.h"

namespace doublehold {
namespace {

constexpr size_t kMostSentences = 5;  // violations of each claim; verdict.json has more

// Formats the steps of a violation, and its picture.
std::string FormatSteps(const Violation& violation) {
  std::string text;
  for (size_t i = 0; i < violation.steps.size(); ++i) text += StepLine(violation, i);
  std::istringstream picture(ToAscii(violation.drawing));
  for (std::string line; std::getline(picture, line);) text += "   " + line + '\n';
  return text;
}

// Formats the violations of a claim. Of violations of the same hold, gives the sentence of the
// first and the number of the others. Gives the steps of the first violation, unless an earlier
// claim already gave them. verdict.json has all steps.
std::string FormatClaim(const ClaimVerdict& claim, std::set<std::string>& described_in_full) {
  std::string text = fmt::format("{}: {}\n", claim.claim, claim.reason);
  // For each first hold: its first violation, and the number of the others.
  std::vector<std::pair<const Violation*, int64_t>> stories;
  for (const Violation& violation : claim.violations) {
    const auto same = std::ranges::find_if(stories, [&](const auto& story) {
      const Violation& other = *story.first;
      return violation.first && other.first && violation.first->hold == other.first->hold &&
             violation.key == other.key;
    });
    if (same != stories.end()) {
      same->second += 1 + violation.undescribed;
    } else {
      stories.emplace_back(&violation, violation.undescribed);
    }
  }
  int64_t stand_for = 0;
  for (const Violation& violation : claim.violations)
    stand_for += violation.count + violation.undescribed;
  const size_t described = std::min(kMostSentences, stories.size());
  for (size_t i = 0; i < described; ++i) {
    const auto& [violation, more] = stories[i];
    text += fmt::format("  {}. {}: {}{}\n     cause: {}: {}\n", i + 1, violation->key,
                        violation->sentence,
                        more == 0 ? "" : fmt::format(" ({} more of the same hold)", more),
                        Name(violation->cause), violation->because);
    if (i == 0 && described_in_full.insert(violation->sentence).second)
      text += FormatSteps(*violation);
  }
  if (stories.size() > described || stand_for < claim.count) {
    text += fmt::format("  further violations are only counted; verdict.json has {}\n",
                        Counted(static_cast<int64_t>(claim.violations.size()), "violation"));
  }
  return text;
}

// Formats how close each claim came to a violation, and the nearest miss.
std::string FormatMargins(const RunVerdict& verdict) {
  std::string text;
  for (const ClaimVerdict& claim : verdict.claims) {
    for (const Margin& margin : claim.margins) {
      text += fmt::format("  {}: {}\n", claim.claim, MarginText(margin));
      if (margin.value < 0 || margin.nearest.empty()) continue;
      text += fmt::format("    {}\n", margin.nearest.front().sentence);
    }
  }
  return text.empty() ? text : "margins:\n" + text;
}

// Formats the lengths of overlaps.
std::string FormatOverlaps(const RunVerdict& verdict) {
  std::string text;
  for (const ClaimVerdict& claim : verdict.claims) {
    if (!claim.overlap) continue;
    text += fmt::format("overlaps ({}): {}, half of them up to {}, 95 % up to {}, the longest {}\n",
                        claim.claim, claim.overlap->count, ShortTime(claim.overlap->p50_ns),
                        ShortTime(claim.overlap->p95_ns), ShortTime(claim.overlap->max_ns));
  }
  return text;
}

// Lists the unknown operations, how many of them may hide a violation, and the longest stall.
std::string FormatUnknownOperations(const RunVerdict& verdict) {
  if (!verdict.blind_spots) return "operations of unknown outcome were not examined\n";
  const BlindSpots& spots = *verdict.blind_spots;
  std::string text;
  if (spots.Unknown() > 0) {
    text += fmt::format("of unknown outcome: {}, {}, {}, {}; {} of them may hide a violation\n",
                        Counted(spots.acquires.unknown, "acquire"),
                        Counted(spots.extends.unknown, "extend"),
                        Counted(spots.releases.unknown, "release"),
                        Counted(spots.writes.unknown, "write"), spots.CouldHide());
    for (const BlindSpot& spot : spots.first) text += "  " + spot.sentence + '\n';
  }
  int64_t holds = 0;
  for (const auto& [client, of] : spots.without_lease) holds += of;
  if (holds > 0) {
    text += fmt::format("no lease was reported: {} of {}\n", Counted(holds, "hold"),
                        Counted(static_cast<int64_t>(spots.without_lease.size()), "client"));
  }
  if (!spots.stalls.empty()) {
    const Stall& longest = spots.stalls.front();
    text += fmt::format("the machine stalled a process {}; the longest stall: {} for {} ({})\n",
                        Counted(verdict.stalls, "time"), ProcessName(longest.client),
                        ShortTime(longest.when.to_ns - longest.when.from_ns), During(longest.when));
  }
  return text;
}

// One line of the list of faults: a fault, or all faults of one kind that the nemesis drew.
struct FaultLine {
  std::string name;
  std::string what;
  int64_t planned = 0, started = 0;
  std::optional<int64_t> asked_ns;  // empty for faults that the nemesis drew
  std::vector<int64_t> measured_ns{};
};

std::string FormatFaults(const RunVerdict& verdict) {
  const std::vector<FaultFact>& faults = verdict.facts.faults;
  std::vector<FaultLine> lines;
  std::map<std::string, size_t> of_kind;
  std::vector<size_t> line_of(faults.size());
  for (size_t i = 0; i < faults.size(); ++i) {
    const FaultFact& fault = faults[i];
    line_of[i] = !fault.drawn_for.empty() ? of_kind.emplace(fault.kind, lines.size()).first->second
                                          : lines.size();
    if (line_of[i] == lines.size()) {
      lines.push_back({.name = fault.drawn_for.empty() ? fault.name : fault.kind,
                       .what = fault.drawn_for.empty() ? fault.what : "drawn",
                       .planned = 0});
    }
    lines[line_of[i]].planned += fault.planned;
  }
  for (const FaultEpisode& episode : verdict.episodes) {
    const auto fault = static_cast<size_t>(episode.fault);
    FaultLine& line = lines[line_of[fault]];
    ++line.started;
    if (faults[fault].drawn_for.empty()) line.asked_ns = episode.asked_ns;
    // The history records 1 ns for a fault that took effect but has no duration.
    if (episode.measured_ns != 0 && episode.measured_ns != 1)
      line.measured_ns.push_back(episode.measured_ns);
  }
  std::string text;
  for (const FaultLine& line : lines) {
    text +=
        fmt::format("  {}: {}; {}", line.name, line.what, TookEffect(line.started, line.planned));
    if (!line.measured_ns.empty()) {
      const auto [least, most] = std::ranges::minmax(line.measured_ns);
      text += line.asked_ns.value_or(0) != 0
                  ? fmt::format("; asked {}, ", ShortTime(*line.asked_ns))
                  : "; ";
      text += "measured " + ShortTime(least);
      if (most != least) text += " to " + ShortTime(most);
    }
    text += '\n';
  }
  return text.empty() ? text : "faults:\n" + text;
}

}  // namespace

std::string ToText(const RunVerdict& verdict) {
  std::string text = HeadText(verdict) + '\n';
  std::set<std::string> described_in_full;
  for (const ClaimVerdict& claim : verdict.claims) text += FormatClaim(claim, described_in_full);
  text += '\n' + FormatOverlaps(verdict) + LostUpdatesText(verdict) + FormatMargins(verdict) +
          FormatFaults(verdict) + FormatUnknownOperations(verdict);
  for (const std::string& warning : verdict.warnings) text += "warning: " + warning + '\n';
  return text;
}

}  // namespace doublehold
