#include "faults/keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "faults/fault.h"

namespace doublehold {
namespace {

constexpr std::string_view kDuration = "a duration (\"300ms\", \"1.6 lease\")";
constexpr std::string_view kCount = "a number, 1 or more";
constexpr bool kOfAll = true;

// "`a`, `b` or `c`"
std::string Either(const std::vector<std::string_view>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += fmt::format("`{}`", words[i]);
  }
  return text;
}

// "hold, drop"
std::string KindsWith(std::string_view key) {
  std::vector<std::string_view> kinds;
  for (const FaultEntry& fault : Faults()) {
    if (std::ranges::find(fault.keys, key) != fault.keys.end()) kinds.push_back(fault.name);
  }
  return fmt::format("{}", fmt::join(kinds, ", "));
}

// "; not said: request of hold, stall; reply of drop": which is each kind's own.
std::string UsualDirections() {
  std::vector<std::string> usual;
  for (const std::string_view direction : {"request", "reply", "both"}) {
    std::vector<std::string_view> kinds;
    for (const FaultEntry& fault : Faults()) {
      const bool has = std::ranges::find(fault.keys, "direction") != fault.keys.end();
      if (has && fault.direction == direction) kinds.push_back(fault.name);
    }
    usual.push_back(fmt::format("{} of {}", direction, fmt::join(kinds, ", ")));
  }
  return fmt::format("; not said: {}", fmt::join(usual, "; "));
}

}  // namespace

std::span<const FaultKey> FaultKeys() {
  static const std::array keys{
      FaultKey{"kind", "a fault", {}, "what is done", kOfAll},
      FaultKey{
          "name", "a text on one line", {}, "by which other faults, and verdicts, name it", kOfAll},
      FaultKey{"on",
               "\"client 2 after-read\", \"any after-read\", \"client 1 holds\"",
               {},
               "it begins when that step is reached; with `from` too: the first time after that "
               "instant",
               kOfAll},
      FaultKey{"from", kDuration, {}, "since the run began; not said: 0s", kOfAll},
      FaultKey{"every", kDuration, {}, "it comes again, so far apart; needs `times`", kOfAll},
      FaultKey{"times", "a number, 1 to 100000", {}, "how often it comes; not said: once", kOfAll},
      FaultKey{"for",
               kDuration,
               {},
               "how long it lasts (hold: each frame; restart: how long the nodes are down); with "
               "`until` too it ends with whatever comes first",
               kOfAll},
      FaultKey{"until",
               "a step, as of `on`; \"begin of NAME\", \"end of NAME\" of another fault",
               {},
               "it ends then; at once when NAME has been through that already",
               kOfAll},
      FaultKey{"during",
               "the name of another fault",
               {},
               "it begins only while that one is under way; needs `on`",
               kOfAll},
      FaultKey{"client",
               "a number",
               {},
               "to whom it is done; not said: to whoever reached the step of `on`; without `on`, "
               "of faults on "
               "links, to every client"},
      FaultKey{"nodes",
               "a list of numbers, \"store\", \"all\", \"majority\"",
               {},
               "to which servers, each named once; not said: of faults on links every one"},
      FaultKey{"links",
               "a list: \"2-1\" is client 2 and node 1, \"2-store\"",
               {},
               "which links are cut, instead of `client` and `nodes`"},
      FaultKey{
          "sides",
          "",
          {"minority", "majority", "ring"},
          "how the links are split, instead of `nodes`: every client is cut off from nodes that "
          "are drawn, or client c is left the majority that begins at node c"},
      FaultKey{"direction", "", {"request", "reply", "both"}, "of which frames"},
      FaultKey{"command",
               "a command (\"SET\")",
               {},
               "only its frames, and the replies to it; one that the lock or the workload sends"},
      FaultKey{"key",
               "a key in Redis",
               {},
               "on links: only frames of commands with that first key; else the key that is taken "
               "away, not said: the first lock"},
      FaultKey{"nth", kCount, {}, "from the nth such frame of each link on; not said: the first"},
      FaultKey{"chance",
               "a number above 0, at most 1",
               {},
               "of each such frame to be acted on, drawn from the seed; not said: 1"},
      FaultKey{"count", kCount, {}, "it ends after so many frames of each link; not said: one"},
      FaultKey{"delay", kDuration, {}, "by how much each frame is late"},
      FaultKey{"jitter", kDuration, {}, "how far delays are from that"},
      FaultKey{
          "spread", "", {"uniform", "normal", "pareto"}, "how they are spread; not said: uniform"},
      FaultKey{"bytes", kCount, {}, "that leave at a time"},
      FaultKey{"gap", "a duration, 100us to 60s", {}, "between them"},
      FaultKey{"bytes-per-second", kCount, {}, "that a connection can carry, each way"},
      FaultKey{"by", "a duration; \"-2 lease\" is back", {}, "how far the clock is moved"},
      FaultKey{"period", kDuration, {}, "after which the clock swings to and fro again"},
      FaultKey{"rate",
               "a number above 0, at most 100, but 1",
               {},
               "how many times as fast the clock runs"},
      FaultKey{"data",
               "",
               {"empty", "rdb", "aof", "aof-cut"},
               "what the nodes come back with: nothing, the last snapshot, their log, the log "
               "without its tail; not said: empty"},
      FaultKey{"cut", kDuration, {}, "how much of the log is lost, with `data = \"aof-cut\"`"},
      FaultKey{"how",
               "",
               {"by-hand", "planned", "awaited"},
               "who makes it the master: an operator at once, or when it has all that the old one "
               "had; or the sentinels or the cluster by themselves; not said: by-hand"},
  };
  return keys;
}

std::string Describe(const FaultKey& key) {
  std::string text = key.choices.empty() ? std::string(key.value) : Either(key.choices);
  text += fmt::format(": {}", key.meaning);
  if (key.name == "direction") text += UsualDirections();
  if (!key.of_all) text += fmt::format(" ({})", KindsWith(key.name));
  return text;
}

}  // namespace doublehold
