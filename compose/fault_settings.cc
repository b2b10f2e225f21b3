#include "compose/fault_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>

#include "compose/fault_conditions.h"
#include "compose/plan_builder.h"
#include "compose/restart_rules.h"
#include "faults/fault.h"
#include "faults/sides.h"
#include "lib/base/words.h"
#include "lib/plan/topology.h"

namespace doublehold {
namespace {

constexpr int kMostTimes = 100'000;
constexpr int64_t kMostBytes = int64_t{1}
                               << 40;  // at once, or a second: no network of today's carries more
constexpr std::string_view kHolds = "holds";

// "client 2 after-read", "any after-read", "client 1 holds".
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
  std::string rest;
  if ((who != "client" && who != "any") || !in || (in >> rest) ||
      (who == "client" && trigger.client < 1)) {
    reader.Fail(name,
                fmt::format("'{}' is not of the form 'client 2 after-read' or 'any after-read'{}",
                            *text, name == "until" ? ", 'begin of FAULT' or 'end of FAULT'" : ""));
    return std::nullopt;
  }
  // "when client 1 holds": from there on it does.
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

// "begin of NAME" or "end of NAME"; nothing when it is of another form.
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
    } else if (word == "all" || word == "majority") {
      const int last = word == "all" ? ServersOf(plan) : plan.nodes / 2 + 1;
      for (int node = 1; node <= last; ++node) nodes.push_back(node);
    } else {
      int node = 0;
      const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), node);
      if (status != std::errc{} || end != word.data() + word.size() || node < 1) {
        reader.Fail("nodes", fmt::format("'{}' is no node (1..{}, all, majority, store)", word,
                                         ServersOf(plan)));
      }
      nodes.push_back(node);
    }
  }
  return nodes;
}

// Which frames of a link it acts on.
void ReadFrames(SettingReader& reader, FaultPlan& fault) {
  fault.command = reader.Word("command", "");
  std::ranges::transform(fault.command, fault.command.begin(),
                         [](unsigned char c) { return std::toupper(c); });
  fault.key = reader.Word("key", "");
  fault.nth = static_cast<int>(reader.Integer("nth", 1, 1, INT32_MAX));
  fault.chance = reader.Number("chance", 1.0, 0.0, 1.0);
}

std::optional<int> ReadNumber(std::string_view word) {
  int number = 0;
  const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (status != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return number;
}

// "2-1" for client 2 and node 1, "2-store".
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
          fmt::format("'{}' is no link: '2-1' is client 2 and node 1, '2-store' the store", word));
    }
    links.push_back({.client = from, .node = to});
  }
  return links;
}

// A split by name becomes the links that it cuts, drawn from the seed.
void SplitSides(SettingReader& reader, const Plan& plan, int index, FaultPlan& fault) {
  if (!reader.settings().Has("sides")) return static_cast<void>(reader.Word("sides"));
  const std::string sides = reader.Known("sides", "split", "", SideNames());
  if (reader.error()) return;
  if (!fault.nodes.empty() || !fault.links.empty()) {
    return reader.Fail("sides", "it says which nodes: leave nodes and links out");
  }
  Prng random(plan.seed, "sides", static_cast<uint64_t>(index));
  Result<std::vector<Link>> cut = CutLinks(sides, fault.client.value_or(0), plan, random);
  if (!cut) return reader.Fail("sides", cut.error().message);
  fault.links = std::move(*cut);
  fault.client.reset();
}

Result<void> CheckTarget(const Plan& plan, const FaultPlan& fault) {
  const auto check_client = [&](int client, int least) -> Result<void> {
    if (client >= least && client <= plan.clients) return {};
    return BadInput(
        fmt::format("client {} does not exist: the run has clients 1..{}", client, plan.clients));
  };
  if (fault.client) {
    if (Result<void> ok = check_client(*fault.client, /*least=*/1); !ok) return ok;
  }
  for (const auto& trigger : {fault.on, fault.until}) {
    if (!trigger) continue;
    if (Result<void> ok = check_client(trigger->client, /*least=*/0); !ok) return ok;
  }
  for (const Link& link : fault.links) {
    if (Result<void> ok = check_client(link.client, /*least=*/1); !ok) return ok;
  }
  std::vector<int> nodes = fault.nodes;
  for (const Link& link : fault.links) nodes.push_back(link.node);
  for (const int node : nodes) {
    if (node >= 0 && node <= ServersOf(plan)) continue;
    return BadInput(
        fmt::format("node {} does not exist: the run has nodes 1..{}", node, ServersOf(plan)));
  }
  return {};
}

// Such a fault needs no end: it acts on some frames and is over.
bool EndsWhenSpent(const FaultEntry& kind) {
  return kind.is_final || kind.ends_itself ||
         std::ranges::find(kind.keys, "count") != kind.keys.end();
}

// What a plan's file could hold and the reader of settings would not have let through.
bool NumbersAreInRange(const FaultPlan& fault) {
  for (const Duration span : {fault.from, fault.every, fault.length, fault.delay, fault.jitter,
                              fault.gap, fault.period, fault.cut}) {
    if (span < Duration::zero()) return false;
  }
  return fault.times >= 1 && fault.times <= kMostTimes;
}

Result<void> CheckTiming(const Plan& plan, const FaultPlan& fault, const FaultEntry& kind) {
  if (fault.from >= plan.duration) {
    return BadInput(fmt::format("it begins at {}, after the run's end at {}",
                                FormatDuration(fault.from), FormatDuration(plan.duration)));
  }
  if (fault.times > 1 && fault.every <= Duration::zero()) {
    return BadInput("'times' is more than one, but 'every' does not say how far apart");
  }
  if (const Duration last = fault.from + fault.every * (fault.times - 1); last >= plan.duration) {
    return BadInput(fmt::format("the last of its {} times is at {}, after the run's end at {}",
                                fault.times, FormatDuration(last), FormatDuration(plan.duration)));
  }
  if (!EndsWhenSpent(kind) && fault.length <= Duration::zero() && !fault.until &&
      !fault.until_fault) {
    return BadInput("it never heals: 'for' (a duration) or 'until' (a step) is missing");
  }
  if (kind.ends_itself && (fault.until || fault.until_fault)) {
    return BadInput("it ends by itself: no 'until'");
  }
  if (fault.delay > plan.duration) {
    return BadInput(fmt::format("it delays by {}, longer than the run ({})",
                                FormatDuration(fault.delay), FormatDuration(plan.duration)));
  }
  if (fault.length > plan.duration) {
    return BadInput(fmt::format("it lasts {}, longer than the run ({})",
                                FormatDuration(fault.length), FormatDuration(plan.duration)));
  }
  return {};
}

Result<void> CheckReplicas(const Plan& plan, const FaultPlan& fault, const FaultEntry& kind) {
  const TopologyEntry& topology = *FindTopology(plan.topology);
  if (!kind.needs_replicas) return {};
  if (!topology.HasReplicas()) {
    return BadInput(
        fmt::format("'{}' needs replicas, which '{}' does not have (replicated, sentinel, "
                    "cluster?)",
                    fault.kind, plan.topology));
  }
  if (fault.how == "awaited" && !topology.FailsOver()) {
    return BadInput(fmt::format("nobody in '{}' promotes a replica by itself (sentinel, cluster?)",
                                plan.topology));
  }
  if (fault.kind == "promote" && fault.how != "awaited" && fault.how != "planned" &&
      topology.lead == Lead::kSentinel) {
    return BadInput("under sentinels nobody promotes by hand: how = 'planned' or 'awaited'");
  }
  return {};
}

Result<void> CheckFault(const Plan& plan, const FaultPlan& fault) {
  const FaultEntry* kind = FindFault(fault.kind);
  if (kind == nullptr) return BadInput(UnknownWord("fault", fault.kind, NamesOf(Faults())));
  if (kind->needs_network && plan.direct) {
    return BadInput(fmt::format("'{}' acts on the network, which 'direct' goes round", fault.kind));
  }
  if (Result<void> ok = CheckReplicas(plan, fault, *kind); !ok) return ok;
  if (!NumbersAreInRange(fault)) return BadInput("a number is out of its range");
  if (Result<void> ok = CheckTarget(plan, fault); !ok) return ok;
  if (Result<void> ok = CheckKey(plan, fault); !ok) return ok;
  if (Result<void> ok = CheckSteps(plan, fault); !ok) return ok;
  return CheckTiming(plan, fault, *kind);
}

}  // namespace

FaultPlan ReadFault(SettingReader& reader, const Plan& plan, int index) {
  FaultPlan fault;
  if (!reader.settings().Has("kind")) {
    reader.Fail("kind",
                fmt::format("which fault? (one of: {})", fmt::join(NamesOf(Faults()), ", ")));
    return fault;
  }
  fault.kind = reader.Known("kind", "fault", "", NamesOf(Faults()));
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
  fault.times = static_cast<int>(reader.Integer("times", 1, 1, kMostTimes));
  fault.length = reader.Span("for", "0s");
  if (has("client") && reader.Word("client")) {
    fault.client = static_cast<int>(reader.Integer("client", 0, 1, INT32_MAX));
  }
  if (has("nodes")) fault.nodes = ReadNodes(reader, plan);
  if (has("direction")) fault.direction = reader.Word("direction", "");
  if (has("command")) ReadFrames(reader, fault);
  if (has("count")) fault.count = static_cast<int>(reader.Integer("count", 0, 0, INT32_MAX));
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
  if (has("data")) fault.data = reader.Word("data", "empty");
  if (has("cut")) fault.cut = reader.Span("cut", "0s");
  if (has("key") && !has("command")) fault.key = reader.Word("key", LockKeysOf(plan).front());
  return fault;
}

Result<void> CheckFaults(const Plan& plan, const std::vector<std::string>& places) {
  std::set<std::string> names;
  for (size_t i = 0; i < plan.faults.size(); ++i) {
    const FaultPlan& fault = plan.faults[i];
    const auto bad = [&](const std::string& message) {
      return BadInput(fmt::format("{}: fault '{}': {}", places.at(i), fault.name, message));
    };
    if (!names.insert(fault.name).second) return bad("another fault has the same name");
    if (Result<void> ok = CheckFault(plan, fault); !ok) return bad(ok.error().message);
    // This one names the fault itself.
    if (Result<void> ok = FindFault(fault.kind)->validate(fault); !ok) {
      return BadInput(fmt::format("{}: {}", places.at(i), ok.error().message));
    }
    if (!fault.during.empty() && !fault.on)
      return bad("'during' needs 'on': a step at which it starts");
  }
  if (const std::optional<FaultRefusal> refused = FindImpossibleWait(plan)) {
    return BadInput(fmt::format("{}: fault '{}': {}", places.at(refused->index),
                                plan.faults[refused->index].name, refused->message));
  }
  if (Result<void> ok = CheckRestarts(plan); !ok) {
    return BadInput(
        fmt::format("{}: {}", places.empty() ? "the plan" : places.front(), ok.error().message));
  }
  return {};
}

}  // namespace doublehold
