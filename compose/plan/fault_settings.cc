#include "compose/plan/fault_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "compose/plan/key_slots.h"
#include "compose/plan/nemesis_settings.h"
#include "compose/plan/plan_builder.h"
#include "compose/plan/restart_rules.h"
#include "compose/plan/sent_frames.h"
#include "faults/fault.h"
#include "faults/plans/profiles.h"
#include "faults/plans/sides.h"
#include "lib/base/words.h"
#include "lib/plan/topology.h"

namespace doublehold {
namespace {

// Limit of `bytes` and `bytes-per-second`, higher than the rate of any network.
constexpr int64_t kMostBytes = int64_t{1} << 40;
constexpr std::string_view kHolds = "holds";

// Parses "client 2 after-read", "any after-read", "client 1 holds" or "client 2 after-read 5".
std::optional<Trigger> ReadTrigger(SettingReader& reader, const std::string& name) {
  const std::optional<std::string> text = reader.Word(name);
  if (!text) return std::nullopt;
  std::istringstream in(*text);
  std::string who;
  std::string step;
  Trigger trigger;
  in >> who;
  if (who == "client") in >> trigger.client;
  in >> step;
  const bool has_step = !in.fail();
  std::string nth = "1";
  std::string rest;
  in >> nth >> rest;
  trigger.nth = ReadNumber(nth).value_or(0);
  if ((who != "client" && who != "any") || !has_step || !rest.empty() || trigger.nth < 1 ||
      (who == "client" && trigger.client < 1)) {
    reader.Fail(name,
                fmt::format("'{}' is not of the form 'client 2 after-read' or 'any after-read'{}",
                            *text, name == "until" ? ", 'begin of FAULT' or 'end of FAULT'" : ""));
    return std::nullopt;
  }
  // A client holds the lock from this step on.
  const std::optional<Step> parsed = step == kHolds ? Step::kAfterAcquire : ParseStep(step);
  if (!parsed) {
    std::vector<std::string> steps(kStepNames.begin(), kStepNames.end());
    steps.emplace_back(kHolds);
    reader.Fail(name, UnknownWord("step", step, steps));
    return std::nullopt;
  }
  trigger.step = *parsed;
  return trigger;
}

// Parses "begin of NAME" or "end of NAME". Returns nothing for any other form.
std::optional<FaultMoment> ReadMoment(SettingReader& reader, const std::string& name) {
  const std::string text = reader.Word(name, "");
  for (const bool ended : {false, true}) {
    const std::string_view start = ended ? "end of " : "begin of ";
    if (text.starts_with(start))
      return FaultMoment{.fault = text.substr(start.size()), .ended = ended};
  }
  return std::nullopt;
}

std::vector<int> ReadNodes(SettingReader& reader, const Plan& plan) {
  std::vector<int> nodes;
  for (const std::string& word : reader.Words("nodes")) {
    if (word == "store") {
      nodes.push_back(kStoreNode);
    } else if (word == kLeader) {
      nodes.push_back(kLeaderNode);
    } else if (word == "all" || word == "majority") {
      const int last = word == "all" ? ServersOf(plan) : plan.nodes / 2 + 1;
      for (int node = 1; node <= last; ++node) nodes.push_back(node);
    } else {
      const int node = ReadNumber(word).value_or(0);
      if (node < 1) {
        reader.Fail("nodes", fmt::format("'{}' is not a node (1..{}, all, majority, leader, store)",
                                         word, ServersOf(plan)));
      }
      nodes.push_back(node);
    }
  }
  return nodes;
}

// Reads which frames of a link the fault acts on.
void ReadFrames(SettingReader& reader, FaultPlan& fault) {
  fault.command = reader.Word("command", "");
  std::ranges::transform(fault.command, fault.command.begin(),
                         [](unsigned char c) { return std::toupper(c); });
  fault.key = reader.Word("key", "");
  fault.nth = static_cast<int>(reader.Integer("nth", 1, 1, INT32_MAX));
  fault.chance = reader.Number("chance", 1.0, 0.0, 1.0);
}

// Parses "2-1" for client 2 and node 1, or "2-store".
std::vector<Link> ReadLinks(SettingReader& reader) {
  std::vector<Link> links;
  for (const std::string& word : reader.Words("links")) {
    const size_t dash = std::min(word.find('-'), word.size());
    const std::string node = word.substr(std::min(dash + 1, word.size()));
    const int from = ReadNumber(word.substr(0, dash)).value_or(0);
    const int to = node == "store" ? kStoreNode : ReadNumber(node).value_or(-1);
    if (from < 1 || to < 0) {
      reader.Fail(
          "links",
          fmt::format(
              "'{}' is not a link; write '2-1' for client 2 and node 1, or '2-store' for the store",
              word));
    }
    links.push_back({.client = from, .node = to});
  }
  return links;
}

// Replaces the name of a split by the links that it cuts, drawn from the seed.
void SplitSides(SettingReader& reader, const Plan& plan, int index, FaultPlan& fault) {
  if (!reader.settings().Has("sides")) return static_cast<void>(reader.Word("sides"));
  const std::string sides = reader.Known("sides", "split", "", SideNames());
  if (reader.error()) return;
  if (!fault.nodes.empty() || !fault.links.empty()) {
    return reader.Fail("sides", "chooses the links itself: remove 'nodes' and 'links'");
  }
  Prng random(plan.seed, "sides", static_cast<uint64_t>(index));
  Result<std::vector<Link>> cut = CutLinks(sides, fault.client.value_or(0), plan, random);
  if (!cut) return reader.Fail("sides", cut.error().message);
  fault.links = std::move(*cut);
  fault.client.reset();
}

// What a restarted node keeps if the experiment does not say it.
const char* UsualData(const Plan& plan, const FaultPlan& fault) {
  const bool is_store = std::ranges::find(fault.nodes, kStoreNode) != fault.nodes.end();
  return IsExternal(plan) && !is_store ? kOwnData : "empty";
}

FaultPlan ReadFault(SettingReader& reader, const Plan& plan, int index) {
  FaultPlan fault;
  if (!reader.settings().Has("kind")) {
    reader.Fail("kind", fmt::format("the kind is missing (one of: {})",
                                    fmt::join(ListNames(Faults()), ", ")));
    return fault;
  }
  fault.kind = reader.Known("kind", "fault", "", ListNames(Faults()));
  const FaultEntry* kind = FindFault(fault.kind);
  if (kind == nullptr) return fault;
  const auto has = [&](std::string_view key) {
    return std::ranges::find(kind->keys, key) != kind->keys.end();
  };
  fault.name = reader.Word("name", fmt::format("{}-{}", fault.kind, index + 1));
  fault.on = ReadTrigger(reader, "on");
  fault.until_fault = ReadMoment(reader, "until");
  if (!fault.until_fault) fault.until = ReadTrigger(reader, "until");
  fault.during = reader.Word("during", "");
  fault.from = reader.Span("from", "0s");
  fault.every = reader.Span("every", "0s");
  if (reader.settings().Has("every") && !reader.settings().Has("times"))
    reader.Fail("every", "needs 'times': how often it begins");
  fault.times = static_cast<int>(reader.Integer("times", 1, 1, kMostTimes));
  fault.length = reader.Span("for", "0s");
  // A node may be restarted without a pause.
  const bool may_be_nothing = kind->is_final || kind->ends_itself;
  if (reader.settings().Has("for") && fault.length == Duration{} && !may_be_nothing)
    reader.Fail("for", fmt::format("must be above 0, not {}", reader.Word("for", "")));
  if (has("client") && reader.Word("client")) {
    fault.client = static_cast<int>(reader.Integer("client", 0, 1, INT32_MAX));
  }
  if (has("nodes")) fault.nodes = ReadNodes(reader, plan);
  if (has("direction")) fault.direction = reader.Word("direction", "");
  if (has("between")) fault.between = reader.Word("between", "");
  if (has("command")) ReadFrames(reader, fault);
  if (has("count")) fault.count = static_cast<int>(reader.Integer("count", 0, 1, INT32_MAX));
  if (has("delay")) fault.delay = reader.Span("delay", "0s");
  if (has("jitter")) fault.jitter = reader.Span("jitter", "0s");
  if (has("spread")) fault.spread = reader.Word("spread", "");
  if (has("bytes")) fault.bytes = reader.Integer("bytes", 0, 0, kMostBytes);
  if (has("gap")) fault.gap = reader.Span("gap", "0s");
  if (has("bytes-per-second")) {
    fault.bytes_per_second = reader.Integer("bytes-per-second", 0, 0, kMostBytes);
  }
  if (has("how")) fault.how = reader.Word("how", "");
  if (has("by")) fault.by = reader.SignedSpan("by", "0s");
  if (has("period")) fault.period = reader.Span("period", "0s");
  if (has("links")) fault.links = ReadLinks(reader);
  if (has("sides")) SplitSides(reader, plan, index, fault);
  if (has("rate")) fault.rate = reader.Number("rate", 1.0, 0.0, 1000.0);
  if (has("data")) fault.data = reader.Word("data", UsualData(plan, fault));
  if (has("cut")) fault.cut = reader.Span("cut", "0s");
  if (has("key") && !has("command")) fault.key = reader.Word("key", ListLockKeys(plan).front());
  return fault;
}

// Returns the node that has the key of the first lock.
int MasterOfFirstLock(const Plan& plan) {
  if (FindTopology(plan.topology)->lead != Lead::kCluster) return 1;
  return MasterOfKey(ListLockKeys(plan).front(), plan.nodes);
}

}  // namespace

std::vector<std::string> ReadProfileNames(SettingReader& reader) {
  return reader.Words("faults", "none");
}

std::vector<FaultPlace> ReadFaults(SettingReader& reader, Plan& plan) {
  std::vector<FaultPlace> places;
  const std::vector<std::string> names = ReadProfileNames(reader);
  ProfileTurn turn{
      .index = 0, .count = static_cast<int>(names.size()), .master = MasterOfFirstLock(plan)};
  for (const std::string& name : names) {
    const auto profiles = Profiles();
    const auto found = std::ranges::find(profiles, name, &ProfileEntry::name);
    if (found == profiles.end()) {
      reader.Fail("faults",
                  UnknownWord("fault profile", name, ListNames(profiles)) +
                      (FindFault(name) == nullptr
                           ? ""
                           : "; for a single fault, write [[fault]] in an experiment file"));
      return places;
    }
    const std::string why = found->incompatibility == nullptr ? "" : found->incompatibility(plan);
    if (!why.empty()) {
      reader.Fail("faults", fmt::format("profile '{}': {}", name, why));
      return places;
    }
    for (FaultPlan& fault : found->make(plan, turn)) {
      if (fault.from >= plan.duration) {
        reader.Fail("faults",
                    fmt::format("profile '{}': with a lease of {} it begins at {}, after the run's "
                                "end at {}; use --duration {} or more",
                                name, FormatDuration(plan.lease), FormatDuration(fault.from),
                                FormatDuration(plan.duration),
                                FormatDuration(LeastDuration(plan.lease, turn.count))));
        return places;
      }
      plan.faults.push_back(std::move(fault));
      places.push_back({.fault = reader.settings().Where("faults")});
    }
    ++turn.index;
  }
  for (const std::string& name : reader.settings().Names()) {
    const bool is_alone = name.starts_with("fault.") && std::isdigit(name[6]) == 0;
    if (is_alone) reader.Fail(name, "faults are a list: [[fault]], not [fault]");
  }
  const int tables = reader.settings().CountTables("fault");
  for (int index = 0; index < tables && !reader.error(); ++index) {
    Settings table = reader.settings().TakeBelow(fmt::format("fault.{}", index));
    SettingReader inner(table, plan.lease);
    FaultPlan fault = ReadFault(inner, plan, index);
    if (inner.error()) {
      reader.FailPlainly(*inner.error());
    } else if (Result<void> ok = table.CheckAllTaken("setting of fault " + fault.kind); !ok) {
      reader.FailPlainly(ok.error());
    }
    FaultPlace& place = places.emplace_back(FaultPlace{.fault = table.Where("kind")});
    for (const std::string& name : table.Names()) place.settings[name] = table.Where(name);
    plan.faults.push_back(std::move(fault));
  }
  if (reader.error()) return places;
  for (FaultPlan& fault : ReadNemesis(reader, plan)) {
    plan.faults.push_back(std::move(fault));
    places.push_back({.fault = reader.settings().Where("nemesis.faults")});
  }
  NameNodesOfFrames(plan);
  return places;
}

}  // namespace doublehold
