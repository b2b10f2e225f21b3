#include "compose/explore/certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "compose/explore/replay_string.h"
#include "compose/explore/scenario_settings.h"
#include "compose/os/run_folder.h"
#include "lib/base/file_kind.h"
#include "lib/base/json_fields.h"
#include "lib/base/prng.h"
#include "lib/locks/sources.h"

namespace doublehold {
namespace {

constexpr int kFormat = 4;
constexpr std::string_view kOfNone =
    "0000000000000000";  // the digest of a block without executions

struct ClaimCounts {
  std::string claim{};
  int64_t violated = 0;
  int64_t unknown = 0;
  bool operator==(const ClaimCounts&) const = default;
};
void ForEachField(ConstOrNot<ClaimCounts> auto& counts, auto&& visit) {
  visit("claim", counts.claim);
  visit("violated", counts.violated);
  visit("unknown", counts.unknown);
}

struct CertifiedLevel {
  int64_t executions = 0;
  int64_t run = 0;
  std::vector<std::string> digests{};
  std::vector<std::vector<int64_t>> counts{};  // Level::counts
  bool operator==(const CertifiedLevel&) const = default;
};
void ForEachField(ConstOrNot<CertifiedLevel> auto& level, auto&& visit) {
  visit("executions", level.executions);
  visit("run", level.run);
  visit("digests", level.digests);
  visit("counts", level.counts);
}

// The file.
struct Certificate {
  int format = kFormat;
  std::string version = DOUBLEHOLD_VERSION;
  std::string lock_sources = DigestOfLockSources();
  std::string search{};  // a ReplayString without choices
  int depth = 0;
  int delays = 0;
  std::map<std::string, int> most{};  // by fault
  bool reduction = true;
  bool clocks_read = false;  // Explored::clocks_were_read
  int64_t executions = 0;
  int64_t run = 0;
  std::vector<ClaimCounts> claims{};
  std::vector<CertifiedLevel> levels{};
};
void ForEachField(ConstOrNot<Certificate> auto& certificate, auto&& visit) {
  visit("certificate", certificate.format, {.least = kFormat, .most = kFormat});
  visit("doublehold", certificate.version);
  visit("lock_sources", certificate.lock_sources);
  visit("search", certificate.search);
  visit("depth", certificate.depth, {.least = 0});
  visit("delays", certificate.delays, {.least = 0});
  visit("most", certificate.most, {.least = 0});
  visit("reduction", certificate.reduction);
  visit("clocks_read", certificate.clocks_read);
  visit("executions", certificate.executions);
  visit("run", certificate.run);
  visit("claims", certificate.claims);
  visit("levels", certificate.levels);
}

std::vector<CertifiedLevel> LevelsOf(const Explored& explored) {
  std::vector<CertifiedLevel> levels;
  for (const Level& level : explored.levels) {
    levels.push_back({.executions = level.executions, .run = level.run});
    for (const uint64_t digest : level.digests)
      levels.back().digests.push_back(fmt::format("{:016x}", digest));
    levels.back().counts.assign(level.counts.begin(), level.counts.end());
  }
  return levels;
}

std::vector<ClaimCounts> CountsOf(const Explored& explored) {
  std::vector<ClaimCounts> counts;
  for (const Found& found : explored.claims)
    counts.push_back({found.claim, found.violated, found.unknown});
  return counts;
}

Result<SearchAsked> SearchOf(const Certificate& certificate) {
  const auto is_whole = [](const CertifiedLevel& level) {
    return level.digests.size() == kLevelBlocks && level.counts.size() == kLevelBlocks;
  };
  if (certificate.levels.empty() || !std::ranges::all_of(certificate.levels, is_whole))
    return BadInput(
        fmt::format("each of its levels must have {} digests and counts", kLevelBlocks));
  const ReplayString replay = TRY(ParseReplayString(certificate.search));
  const Plan plan = TRY(SimulatedPlan(replay.settings));
  SearchAsked asked{.settings = replay.settings,
                    .scenario = ScenarioOf(plan, replay),
                    .bounds = {.depth = certificate.depth,
                               .delays = certificate.delays,
                               .reduce = certificate.reduction,
                               .tries_without_clocks = !certificate.clocks_read}};
  for (const auto& [name, most] : certificate.most) {
    const FaultsAsked fault = TRY(ParseFaults(name, "most"));
    for (const FaultForm form : fault.faults) asked.bounds.most[form] = most;
  }
  return asked;
}

// Whether the counts of the blocks add up to those of the levels and of the whole search.
bool AddsUp(const Certificate& certificate) {
  std::vector<int64_t> said{certificate.executions, certificate.run};
  for (const ClaimCounts& claim : certificate.claims) {
    said.push_back(claim.violated);
    said.push_back(claim.unknown);
  }
  std::vector<int64_t> all(said.size());
  for (const CertifiedLevel& level : certificate.levels) {
    std::vector<int64_t> of_level(said.size());
    for (size_t i = 0; i < kLevelBlocks; ++i) {
      const std::vector<int64_t>& block = level.counts[i];
      if (block.size() != (level.digests[i] == kOfNone ? 0 : said.size())) return false;
      for (size_t j = 0; j < block.size(); ++j) of_level[j] += block[j];
    }
    if (level.executions != of_level[0] || level.run != of_level[1]) return false;
    for (size_t i = 0; i < all.size(); ++i) all[i] += of_level[i];
  }
  return all == said;
}

// The first difference between what a certificate says and what was run again; empty if none.
std::string Compare(const std::vector<CertifiedLevel>& said,
                    const std::vector<CertifiedLevel>& found, const std::vector<bool>& sample) {
  if (said.size() != found.size())
    return fmt::format("it has {} levels, and now there are {}", said.size(), found.size());
  for (size_t level = 0; level < said.size(); ++level) {
    const bool is_last = level + 1 == said.size();
    for (size_t block = 0; block < kLevelBlocks; ++block) {
      if (is_last && !sample[block]) continue;
      if (said[level].digests[block] != found[level].digests[block])
        return fmt::format("executions with {} faults and delays differ, in block {} of {}", level,
                           block + 1, kLevelBlocks);
      if (said[level].counts[block] != found[level].counts[block])
        return fmt::format(
            "executions with {} faults and delays are equal, but the counts of block {} of {} "
            "differ",
            level, block + 1, kLevelBlocks);
    }
    if (!is_last && said[level] != found[level])
      return fmt::format("there are not as many executions with {} faults and delays", level);
  }
  return {};
}

// Draws `count` of the last level's blocks that have executions, the same at each call. Returns all
// blocks if no more than `count` have any.
std::vector<bool> DrawBlocks(int count, const CertifiedLevel& last) {
  std::vector<size_t> filled;
  for (size_t block = 0; block < last.digests.size(); ++block) {
    if (last.digests[block] != kOfNone) filled.push_back(block);
  }
  std::vector<bool> drawn(kLevelBlocks, count >= std::ssize(filled));
  Prng prng(1, "certificate");
  while (std::ranges::count(drawn, true) < count) drawn[filled[prng.Below(filled.size())]] = true;
  return drawn;
}

}  // namespace

std::string CertificateOf(const Explored& explored, const SearchAsked& asked) {
  Certificate certificate{.search = ToText(ReplayString{.settings = asked.settings,
                                                        .cycles = asked.scenario.cycles,
                                                        .faults = asked.scenario.terms.faults,
                                                        .reorders = asked.bounds.delays > 0,
                                                        .choices = {}}),
                          .depth = asked.bounds.depth,
                          .delays = asked.bounds.delays,
                          .reduction = asked.bounds.reduce,
                          .clocks_read = explored.clocks_were_read,
                          .executions = explored.executions,
                          .run = explored.run,
                          .claims = CountsOf(explored),
                          .levels = LevelsOf(explored)};
  for (const auto& [fault, most] : asked.bounds.most)
    certificate.most[std::string(EntryOf(fault).name)] = most;
  return WriteField(certificate).dump(1) + "\n";
}

Result<CertificateCheck> CheckCertificate(const std::filesystem::path& file, int sampled,
                                          int jobs) {
  if (const std::string why = WhyNotReadable(file); !why.empty())
    return BadInput(file.string() + ": " + why);
  const auto at = [&](Error error) {
    error.message = file.string() + ": is no certificate of a search: " + error.message;
    return tl::unexpected(std::move(error));
  };
  const nlohmann::json json = ReadJsonFile(file);
  JsonDocument document(json);
  JsonObject object(document);
  Certificate certificate;
  ForEachField(certificate, FieldReader{object});
  object.RejectUnknown();
  if (!document.ok()) return at({.message = document.error()});
  Result<SearchAsked> asked = SearchOf(certificate);
  if (!asked) return at(asked.error());
  Bounds& bounds = asked->bounds;
  bounds.jobs = jobs;
  bounds.sample = DrawBlocks(sampled, certificate.levels.back());
  const Explored found = Explore(asked->scenario, bounds, [](const Explored&) {});
  std::string difference = Compare(certificate.levels, LevelsOf(found), bounds.sample);
  if (difference.empty() && !AddsUp(certificate))
    difference = "the executions are equal, but the counts of the blocks do not add up";
  if (difference.empty() && !std::ranges::equal(certificate.claims, CountsOf(found), {},
                                                &ClaimCounts::claim, &ClaimCounts::claim))
    difference = "the certificate names other claims";
  std::string text = fmt::format(
      "{}: {} executions of {}, explored by doublehold {}; {} of them run again: ", file.string(),
      certificate.executions, asked->scenario.plan.lock, certificate.version, found.run);
  text += difference.empty() ? "all equal" : difference;
  if (certificate.lock_sources != DigestOfLockSources())
    text += "; the sources of the locks have changed since";
  return CertificateCheck{.is_equal = difference.empty(), .text = std::move(text)};
}

}  // namespace doublehold
