#include "checker/sentences/violation_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "checker/evidence/names.h"
#include "checker/evidence/stall_attribution.h"
#include "checker/evidence/stall_propagation.h"

namespace doublehold {
namespace {

enum class TimeStyle : uint8_t { kInterval, kInstant };  // how the time of a fault is written

// The wording of a fault's effect. {0} is the target of the fault, {1} the target with 's, {2} how
// far a clock moved.
struct Wording {
  std::string_view kind;
  TimeStyle time;
  std::string_view client;
  std::string_view node;
  std::string_view everyone;  // if the fault has neither a client nor a node
};

constexpr std::string_view kHeldClient = "{1} messages were held on the wire";
constexpr std::string_view kHeldNode = "messages to and from {0} were held on the wire";
constexpr std::string_view kHeldAll = "messages were held on the wire";
constexpr std::string_view kCutOff = "{0} was cut off";
constexpr std::string_view kCut = "links were cut";
// Wordings of faults that act on nodes only.
constexpr std::string_view kSavedNode = "{0} had been told to save";
constexpr std::string_view kTookOver = "another server had taken over from {0}";
constexpr std::string_view kEmptied = "{0} had been emptied";
constexpr std::string_view kDeleted = "the key had been deleted on {0}";
constexpr std::string_view kEvicted = "the key had been evicted from {0}";
constexpr std::string_view kForgot = "{0} had forgotten its scripts";

constexpr std::array kWordings{
    Wording{"pause", TimeStyle::kInterval, "{0} was stopped", "{0} was stopped",
            "processes were stopped"},
    Wording{"slow", TimeStyle::kInterval, "{1} section was still at work", "{0} was slow",
            "sections were still at work"},
    Wording{"stall", TimeStyle::kInterval, kHeldClient, kHeldNode, kHeldAll},
    Wording{"hold", TimeStyle::kInterval, kHeldClient, kHeldNode, kHeldAll},
    Wording{"delay", TimeStyle::kInterval, kHeldClient, kHeldNode, kHeldAll},
    Wording{"drip", TimeStyle::kInterval, "{1} messages came in drips",
            "messages to and from {0} came in drips", "messages came in drips"},
    Wording{"bandwidth", TimeStyle::kInterval, "the network of {0} was narrow",
            "the network of {0} was narrow", "the network was narrow"},
    Wording{"duplicate", TimeStyle::kInterval, "{1} commands were sent twice",
            "commands to {0} were sent twice", "commands were sent twice"},
    Wording{"drop", TimeStyle::kInterval, "{1} messages were being lost",
            "messages to and from {0} were being lost", "messages were being lost"},
    Wording{"black-hole", TimeStyle::kInterval, kCutOff, kCutOff, kCut},
    Wording{"partition", TimeStyle::kInterval, kCutOff, kCutOff, kCut},
    Wording{"reset", TimeStyle::kInstant, "{1} connections had been reset",
            "connections to {0} had been reset", "connections had been reset"},
    Wording{"jump", TimeStyle::kInstant, "{1} clock was {2}", "the clock of {0} had been moved {2}",
            "clocks had been moved {2}"},
    Wording{"drift", TimeStyle::kInstant, "{1} clock had been drifting",
            "the clock of {0} had been drifting", "clocks had been drifting"},
    Wording{"strobe", TimeStyle::kInstant, "{1} clock had been swinging to and fro",
            "the clock of {0} had been swinging to and fro", "clocks had been swinging to and fro"},
    Wording{"crash", TimeStyle::kInstant, "{0} had been killed", "{0} had been killed",
            "processes had been killed"},
    Wording{"cut-replication", TimeStyle::kInterval, "{0} was cut off from its replicas",
            "{0} was cut off from its replicas", "replication was cut"},
    Wording{"promote", TimeStyle::kInterval, "{0} was made the master", "{0} was made the master",
            "a replica was made the master"},
    Wording{"failover", TimeStyle::kInstant, kTookOver, kTookOver, "a replica had taken over"},
    Wording{"restart", TimeStyle::kInstant, "{0} had been restarted", "{0} had been restarted",
            "nodes had been restarted"},
    Wording{"snapshot", TimeStyle::kInstant, kSavedNode, kSavedNode, kSavedNode},
    Wording{"flush", TimeStyle::kInstant, kEmptied, kEmptied, kEmptied},
    Wording{"delete-key", TimeStyle::kInstant, kDeleted, kDeleted, kDeleted},
    Wording{"evict", TimeStyle::kInstant, kEvicted, kEvicted, kEvicted},
    Wording{"forget-scripts", TimeStyle::kInstant, kForgot, kForgot, kForgot},
};

// Formats how far a clock moved, to the millisecond: the precision of the measurement.
std::string FormatClockMove(int64_t by_ns) {
  const auto by = std::chrono::round<std::chrono::milliseconds>(Duration(std::abs(by_ns)));
  return (by_ns < 0 ? "back by " : "ahead by ") + FormatDuration(by);
}

bool UsesInterval(const RunFacts& facts, const FaultEpisode& episode) {
  const std::string& kind = facts.faults[static_cast<size_t>(episode.fault)].kind;
  const auto* wording = std::ranges::find(kWordings, kind, &Wording::kind);
  return wording == kWordings.end() || wording->time == TimeStyle::kInterval;
}

// Says until when the first hold lasted: "; client 3 held it until 3.106 s".
std::string EndClause(const Hold& hold, std::string_view name) {
  return hold.released
             ? fmt::format("; {} held it until {}", name, At(hold.core.to_ns))
             : fmt::format("; {} never released it (last seen at {})", name, At(hold.core.to_ns));
}

std::string OthersClause(int others) {
  return others == 0 ? "" : fmt::format("; {} held it too", Counted(others, "further owner"));
}

// "the store", "node 2", "nodes 1, 2 and 3"; "a server" if the history does not say which
std::string NodesName(const FaultFact& fault, int32_t node) {
  if (fault.nodes.size() < 2) return node < 0 ? "a server" : ServerName(node);
  const std::vector<int> but_last(fault.nodes.begin(), fault.nodes.end() - 1);
  return fmt::format("nodes {} and {}", fmt::join(but_last, ", "), fault.nodes.back());
}

Violation DescribeLiveOverlap(const Disturbances& disturbances, const Hold& first,
                              const Hold& second, const OverlapFound& overlap) {
  const std::string a = OwnerName(disturbances, first.owner());
  const std::string b = OwnerName(disturbances, second.owner());
  const int64_t at_ns = overlap.where.from_ns;
  std::string text = fmt::format("{} was granted the key at {}", b, At(second.core.from_ns));
  if (at_ns > second.core.from_ns) {
    const bool of_second =
        second.entered_ns == at_ns ||
        std::ranges::find(second.live, at_ns, &Span::from_ns) != second.live.end();
    const bool entered = first.entered_ns == at_ns || second.entered_ns == at_ns;
    text += fmt::format(" and {}{} at {}", of_second ? b : a,
                        entered ? " entered its section" : "'s lease was extended", At(at_ns));
  } else if (first.valid_until_ns >= kForeverNs) {
    text += fmt::format(" while {} held it, whose grant never ends", a);
  } else {
    text += fmt::format(" while {}'s lease was valid until {}", a, At(first.valid_until_ns));
  }
  text += EndClause(first, a) + OthersClause(overlap.others) + "; ";
  const std::string by_machine = AftermathClause(disturbances, &first, &second, at_ns);
  if (!by_machine.empty()) return {.explained_by_stall = true, .sentence = text + by_machine};
  const auto faults = FaultsBehind(disturbances, {.at_ns = at_ns,
                                                  .other = first.client,
                                                  .second = second.client,
                                                  .key = first.key,
                                                  .of_lock = true});
  return {.fault = faults.empty() ? -1 : faults.front()->fault,
          .sentence = text + FaultsClause(disturbances, faults),
          .before_faults = text};
}

Violation DescribeStaleOverlap(const Disturbances& disturbances, const Hold& first,
                               const Hold& second, const OverlapFound& overlap) {
  const int64_t at_ns = overlap.where.from_ns;
  const bool first_is_stale = !first.LiveAt(at_ns);
  const Hold& stale = first_is_stale ? first : second;
  const Hold& other = first_is_stale ? second : first;
  StaleStory story = TellStale(disturbances, stale, other.client, at_ns, stale.core.to_ns);
  // No delay excuses a grant within another lease, if that lease was valid since the acquire was
  // invoked.
  const bool within = std::ranges::any_of(other.live, [&](const Span& live) {
    return live.from_ns <= stale.asked_ns && at_ns < live.to_ns;
  });
  story.explained_by_stall = story.explained_by_stall && !within;
  // But a stall may have made the first holder lose the key before.
  const std::string lost =
      first_is_stale ? "" : AftermathClause(disturbances, &first, nullptr, at_ns);
  if (!lost.empty())
    story = {.text = story.text, .suffix = "; " + lost, .explained_by_stall = true};
  std::string text = story.text;
  if (first_is_stale) {
    text += fmt::format("; {} was granted the key at {}", OwnerName(disturbances, second.owner()),
                        At(second.core.from_ns));
    text += EndClause(first, OwnerName(disturbances, first.owner()));
  } else {
    text += fmt::format("; it was granted the key at {}, while {} held it until {}",
                        At(second.core.from_ns), OwnerName(disturbances, first.owner()),
                        At(first.core.to_ns));
  }
  return {.stale = true,
          .fault = story.fault,
          .explained_by_stall = story.explained_by_stall,
          .sentence = text + OthersClause(overlap.others) + story.suffix};
}

}  // namespace

std::string FaultClause(const Disturbances& disturbances, const FaultEpisode& episode, int32_t it) {
  const FaultFact& fault = disturbances.facts.faults[static_cast<size_t>(episode.fault)];
  const bool is_seen_to_last = At(episode.from_ns) != At(episode.to_ns);
  const std::string time = is_seen_to_last && UsesInterval(disturbances.facts, episode)
                               ? fmt::format(" ({})", During({episode.from_ns, episode.to_ns}))
                               : fmt::format(" at {}", At(episode.from_ns));
  const auto* wording = std::ranges::find(kWordings, fault.kind, &Wording::kind);
  if (wording == kWordings.end()) {
    return fmt::format("fault '{}' was active: {}{}", fault.name, fault.what, time);
  }
  const bool is_it = episode.client > 0 && episode.client == it;
  const std::string by =
      FormatClockMove(episode.measured_ns != 0 ? episode.measured_ns : episode.asked_ns);
  const auto fill = [&by](std::string_view text, const std::string& target,
                          const std::string& whose) {
    return fmt::format(fmt::runtime(text), target, whose, by);
  };
  const int32_t node =
      episode.node < 0 && fault.nodes.size() == 1 ? fault.nodes.front() : episode.node;
  const std::string nodes = NodesName(fault, node);
  if (episode.client <= 0) {
    return fill(node >= 0 ? wording->node : wording->everyone, nodes, nodes + "'s") + time;
  }
  const std::string client = is_it ? "it" : ProcessName(episode.client);
  std::string text = fill(wording->client, client, is_it ? "its" : client + "'s");
  if (ActsOnServers(episode, fault)) text += " and " + fill(wording->node, nodes, nodes + "'s");
  return text + time;
}

std::string FaultsClause(const Disturbances& disturbances,
                         const std::vector<const FaultEpisode*>& episodes) {
  std::string text;
  for (const FaultEpisode* episode : episodes) {
    text += (text.empty() ? "" : " and ") + FaultClause(disturbances, *episode);
  }
  if (!text.empty()) return text;
  const bool on_store = std::ranges::any_of(disturbances.episodes, [&](const FaultEpisode& each) {
    return ActsOnStoreAlone(each, FaultFor(disturbances.facts, each));
  });
  return on_store ? "no fault was acting on the lock" : "no fault was active";
}

std::string WhyClause(const Disturbances& disturbances, const Why& why) {
  const std::string call =
      why.call == nullptr ? ""
                          : fmt::format("{}'s {} at {}", OwnerName(disturbances, why.call->session),
                                        Name(why.call->op), At(why.call->from_ns));
  switch (why.what) {
    case Why::What::kUnanswered:
      return call + " was not answered, and may have taken effect later";
    case Why::What::kUnchecked:
      return call + " did not check the owner, and may have freed it";
    case Why::What::kTwice:
      return call + " may have been carried out twice";
    case Why::What::kGranted:
      if (why.hold != nullptr)
        return fmt::format("{} was granted it at {}", OwnerName(disturbances, why.hold->owner()),
                           At(why.hold->core.from_ns));
      return call + (why.call->Ok() ? " was granted" : " may have been granted");
    case Why::What::kReentry:
      return call + " may have been a re-entry, which need not ask a server";
    case Why::What::kFault:
      return FaultClause(disturbances, *why.fault);
    case Why::What::kStall:
      return fmt::format("the machine stalled ({}), and messages may have been late or sent again",
                         During(why.stall->when));
    case Why::What::kReader:
      return "another reader may have extended the shared lock";
    case Why::What::kShared:
      return "the lock was shared, and its loss cannot be judged";
    case Why::What::kEntries:
      return "the session may have entered the lock more than once";
    case Why::What::kLease:
      if (why.hold == nullptr)
        return "the record does not prove that the session still had the lock";
      return OwnerName(disturbances, why.hold->owner()) + " may have lost the key by then";
    case Why::What::kNodes:
      return "of several nodes, only some may have freed it";
  }
  return "";
}

std::string KeyName(const RunFacts& facts, uint16_t key) {
  return key < facts.keys.size() ? facts.keys[key] : fmt::format("key {}", key);
}

StaleStory TellStale(const Disturbances& disturbances, const Hold& stale, int32_t other,
                     int64_t at_ns, int64_t until_ns) {
  const int64_t end_ns = stale.LeaseEndBefore(at_ns);
  StaleStory story{.text = fmt::format("{}'s lease ended at {}",
                                       OwnerName(disturbances, stale.owner()), At(end_ns))};
  const Stall* stall = LongestStall(disturbances, stale.client, {stale.asked_ns, until_ns});
  if (stall != nullptr && StallExplainsExpiry(disturbances, stale, end_ns, until_ns)) {
    const bool itself = stall->client == stale.client;
    const bool then = stall->when.from_ns <= end_ns && end_ns <= stall->when.to_ns;
    story.text += fmt::format("{} the machine stalled {} ({})", then ? " while" : ", and",
                              itself ? "it" : ProcessName(stall->client), During(stall->when));
    story.explained_by_stall = true;
    return story;
  }
  const auto faults = FaultsBehind(disturbances, {.at_ns = at_ns,
                                                  .stale = stale.client,
                                                  .other = other,
                                                  .lease_end_ns = end_ns,
                                                  .key = stale.key});
  // Without the aftermath of a stall, the watchdog would have renewed the lease again.
  const auto on_it = [&stale](const FaultEpisode* episode) {
    return episode->client == stale.client;
  };
  if (stale.extended && stale.tainted_from_ns < end_ns && std::ranges::none_of(faults, on_it)) {
    story.suffix = "; " + AftermathClause(disturbances, &stale, nullptr, at_ns);
    story.explained_by_stall = true;
    return story;
  }
  story.suffix = "; " + FaultsClause(disturbances, faults);
  if (faults.empty()) return story;
  const FaultEpisode& fault = *faults.front();
  story.fault = fault.fault;
  if (UsesInterval(disturbances.facts, fault) && fault.from_ns <= end_ns && end_ns <= fault.to_ns) {
    story.text += " while " + FaultClause(disturbances, fault, stale.client);
    story.suffix.clear();
  }
  return story;
}

Violation TellOverlap(const Disturbances& disturbances, const Holds& holds,
                      const OverlapFound& overlap) {
  const Hold& first = holds.all[overlap.first];
  const Hold& second = holds.all[overlap.second];
  const bool live =
      first.PromisedAt(overlap.where.from_ns) && second.PromisedAt(overlap.where.from_ns);
  Violation violation = live ? DescribeLiveOverlap(disturbances, first, second, overlap)
                             : DescribeStaleOverlap(disturbances, first, second, overlap);
  violation.key = KeyName(disturbances.facts, second.key);
  violation.first = first.Ref();
  violation.second = second.Ref();
  violation.from_ns = overlap.where.from_ns;
  violation.to_ns = overlap.where.to_ns;
  return violation;
}

Violation DescribeWrongOperation(const Disturbances& disturbances,
                                 const WrongOperation& operation) {
  Violation violation{.key = KeyName(disturbances.facts, operation.key),
                      .from_ns = operation.when.from_ns,
                      .to_ns = operation.when.to_ns};
  if (operation.under != nullptr) violation.first = operation.under->Ref();
  if (operation.harmed != nullptr) violation.second = operation.harmed->Ref();
  const int64_t at_ns = operation.when.from_ns;
  const int32_t other = operation.harmed == nullptr ? 0 : operation.harmed->client;
  violation.stale = operation.under != nullptr && operation.under->ExpiredBefore(at_ns);
  if (violation.stale) {
    const StaleStory story = TellStale(disturbances, *operation.under, other, at_ns, at_ns);
    violation.fault = story.fault;
    violation.explained_by_stall = story.explained_by_stall && !operation.of_service;
    violation.sentence = fmt::format("{}; it {}{}", story.text, operation.what, story.suffix);
    return violation;
  }
  std::string by_machine;
  if (!operation.of_service) {
    by_machine =
        AftermathClause(disturbances, operation.under, operation.harmed, operation.when.to_ns);
    if (by_machine.empty())
      by_machine = AftermathClause(disturbances, operation.beside, nullptr, operation.when.to_ns);
  }
  const auto faults = FaultsBehind(disturbances, {.at_ns = at_ns,
                                                  .other = other,
                                                  .second = operation.by.client,
                                                  .key = operation.key,
                                                  .of_lock = !operation.on_store});
  violation.explained_by_stall = !by_machine.empty();
  if (by_machine.empty() && !faults.empty()) violation.fault = faults.front()->fault;
  violation.before_faults =
      fmt::format("{} {}; ", OwnerName(disturbances, operation.by), operation.what);
  violation.sentence = *violation.before_faults +
                       (by_machine.empty() ? FaultsClause(disturbances, faults) : by_machine);
  return violation;
}

void NameEarlierFault(const Disturbances& disturbances, Violation& violation,
                      bool (*kind)(const FaultFact&)) {
  if (violation.fault >= 0 || violation.explained_by_stall) return;
  const FaultEpisode* last = nullptr;
  for (const FaultEpisode& episode : disturbances.episodes) {
    if (episode.from_ns > violation.from_ns) break;
    const FaultFact& fault = FaultFor(disturbances.facts, episode);
    if (kind(fault) && !ActsOnStoreAlone(episode, fault)) last = &episode;
  }
  if (last == nullptr) return;
  violation.fault = last->fault;
  violation.sentence += "; before that, " + FaultClause(disturbances, *last);
}

}  // namespace doublehold
