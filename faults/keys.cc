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

// Returns "`a`, `b` or `c`".
std::string Either(const std::vector<std::string_view>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += fmt::format("`{}`", words[i]);
  }
  return text;
}

// Returns the kinds that have this key: "hold, drop".
std::string KindsWith(std::string_view key) {
  std::vector<std::string_view> kinds;
  for (const FaultEntry& fault : Faults()) {
    if (std::ranges::find(fault.keys, key) != fault.keys.end()) kinds.push_back(fault.name);
  }
  return fmt::format("{}", fmt::join(kinds, ", "));
}

// Returns the default direction of each kind: "; default: request of hold, stall; reply of drop".
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
  return fmt::format("; default: {}", fmt::join(usual, "; "));
}

}  // namespace

std::span<const FaultKey> FaultKeys() {
  static const std::array keys{
      FaultKey{"kind", "a word", {}, "the kind of fault (doublehold list faults)", kOfAll},
      FaultKey{
          "name", "a text on one line", {}, "its name in other faults and in verdicts", kOfAll},
      FaultKey{
          "on",
          "\"client 2 after-read\", \"any after-read\", \"client 1 holds\"",
          {},
          "begins when that step is reached; with a number at its end (\"client 2 after-read 5\"), "
          "the fifth time; with `from`, counted from that time on",
          kOfAll},
      FaultKey{"from", kDuration, {}, "begins at that time of the run; default: 0s", kOfAll},
      FaultKey{"every", kDuration, {}, "repeats at that interval; needs `times`", kOfAll},
      FaultKey{
          "times", "a number, 1 to 100000", {}, "how many times it begins; default: 1", kOfAll},
      FaultKey{"for",
               kDuration,
               {},
               "how long it lasts (hold: for each frame; restart: how long the nodes are down); "
               "with `until`, the earlier of the two ends it",
               kOfAll},
      FaultKey{"until",
               "a step, as for `on`; \"begin of NAME\", \"end of NAME\" of another fault",
               {},
               "ends at that step or moment; at once if the moment of NAME has passed",
               kOfAll},
      FaultKey{"during",
               "the name of another fault",
               {},
               "begins only while that fault is active; needs `on`",
               kOfAll},
      FaultKey{"client",
               "a number",
               {},
               "the client; default: the client that reached the step of `on`; for faults on links "
               "without `on`, every client"},
      FaultKey{"nodes",
               "a list of numbers, \"store\", \"all\", \"majority\"; or \"leader\"",
               {},
               "the servers, each named once; leader: the one that leads when the fault begins; "
               "default for faults on links: every server that may receive the frames"},
      FaultKey{"links",
               "a list: \"2-1\" is client 2 and node 1, \"2-store\"",
               {},
               "the links to cut, instead of `client` and `nodes`"},
      FaultKey{"sides",
               "",
               {"minority", "majority", "ring"},
               "the links to cut, instead of `nodes`; minority, majority: of every client to that "
               "many random nodes; ring: client c keeps only the majority that begins at node c"},
      FaultKey{"between",
               "",
               {"clients", "servers", "all"},
               "the links of `nodes` to cut: to clients, to the other servers of an ensemble, or "
               "to both; servers, all: need `topology.net = \"namespaces\"`; default: clients"},
      FaultKey{"direction", "", {"request", "reply", "both"}, "the frames to act on"},
      FaultKey{
          "command",
          "a command (\"SET\")",
          {},
          "only frames of this command and their replies; the lock or the workload must send it"},
      FaultKey{"key",
               "a key in Redis",
               {},
               "on links: only frames of commands with this first key; otherwise the key to "
               "remove, by default the first lock's"},
      FaultKey{"nth", kCount, {}, "from the nth such frame of each link on; default: 1"},
      FaultKey{"chance",
               "a number above 0, at most 1",
               {},
               "probability that such a frame is affected, drawn from the seed; default: 1"},
      FaultKey{"count", kCount, {}, "ends after so many frames of each link; default: 1"},
      FaultKey{"delay", kDuration, {}, "delay of each frame"},
      FaultKey{"jitter", kDuration, {}, "deviation of the delays from `delay`"},
      FaultKey{"spread",
               "",
               {"uniform", "normal", "pareto"},
               "distribution of the delays; default: uniform"},
      FaultKey{"bytes", kCount, {}, "bytes that pass at a time"},
      FaultKey{"gap", "a duration, 100us to 60s", {}, "pause between them"},
      FaultKey{"bytes-per-second", kCount, {}, "capacity of each connection, in each direction"},
      FaultKey{"by", "a duration; \"-2 lease\" jumps back", {}, "how far the clock jumps"},
      FaultKey{"period", kDuration, {}, "how long the clock stays ahead, and then back, each time"},
      FaultKey{"rate",
               "a number above 0, at most 100, other than 1",
               {},
               "speed of the clock, as a multiple of real time"},
      FaultKey{
          "data",
          "",
          {"empty", "rdb", "aof", "aof-cut", "own"},
          "data of the restarted nodes: none, the last snapshot, their log, the log without "
          "its tail, or what the server's own settings keep; default: empty, or own in containers"},
      FaultKey{
          "cut", kDuration, {}, "length of the lost tail of the log, with `data = \"aof-cut\"`"},
      FaultKey{"how",
               "",
               {"by-hand", "planned", "awaited"},
               "who promotes the replica: an operator at once, an operator once it has all data, "
               "or the sentinels or the cluster by themselves; default: by-hand"},
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
