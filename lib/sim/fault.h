// What can go wrong in a simulated world, each by one answer of the choices at a point of an
// execution.
#ifndef DOUBLEHOLD_LIB_SIM_FAULT_H_
#define DOUBLEHOLD_LIB_SIM_FAULT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace doublehold::sim {

enum class SimFault : uint8_t {
  kPause,            // a client is stopped for longer than a lease, where it would go on
  kKill,             // a client is killed there
  kClientClock,      // a client's wall clock jumps ahead there, by more than a lease
  kClientClockBack,  // or back
  kHoldRequest,      // a request is on its way for longer than a lease
  kHoldReply,        // so is a reply
  kDropRequest,      // a request is lost
  kDropReply,        // so is a reply
  kReset,            // a connection breaks, with a request on its way
  kResetReply,       // a connection breaks, with a reply on its way
  kNodePause,        // a node stands still for longer than a lease, before it carries out a command
  kNodeClock,        // a node's wall clock jumps ahead there, by more than a lease
  kNodeClockBack,    // or back
  kRestartEmpty,     // a node restarts there, without its data
  kRestart,          // or with its data, but for the scripts that it knew
  kNodeKill,         // a node is killed there, for good
  kForgetScripts,    // a node no longer knows any script
  kClientFast,       // a client's wall clock runs fast from there on
  kNodeFast,         // so does a node's
  kCutReplicas,      // a node's replicas receive nothing from there on
  kPromote,          // a node is killed there, and a replica takes its place
  kHoldNews,         // a message of a channel is on its way for longer than a lease
  kDropNews,         // or is lost
};
constexpr size_t kSimFaults = 23;

// Where the choices are asked: of which point a fault is.
enum class Point : uint8_t { kGoOn, kBegin, kRequest, kCarryOut, kReply, kNews };
constexpr size_t kPoints = 6;

struct SimFaultEntry {
  SimFault fault;
  std::string_view name;  // "hold-request"
  std::string_view kind;  // of the fault registry, and so of histories: "hold"
  std::string_view summary;
  Point at;
};
constexpr std::array<SimFaultEntry, kSimFaults> kSimFaultEntries{{
    {SimFault::kPause, "pause", "pause", "a client is stopped", Point::kGoOn},
    {SimFault::kKill, "kill", "crash", "a client is killed", Point::kGoOn},
    {SimFault::kClientClock, "client-clock", "jump", "a client's clock jumps ahead", Point::kGoOn},
    {SimFault::kClientClockBack, "client-clock-back", "jump", "a client's clock jumps back",
     Point::kGoOn},
    {SimFault::kHoldRequest, "hold-request", "hold", "a request is held back", Point::kRequest},
    {SimFault::kHoldReply, "hold-reply", "hold", "a reply is held back", Point::kReply},
    {SimFault::kDropRequest, "drop-request", "drop", "a request is lost", Point::kRequest},
    {SimFault::kDropReply, "drop-reply", "drop", "a reply is lost", Point::kReply},
    {SimFault::kReset, "reset", "reset", "a connection breaks", Point::kRequest},
    {SimFault::kResetReply, "reset-reply", "reset", "a connection breaks, the command was done",
     Point::kReply},
    {SimFault::kNodePause, "node-pause", "pause", "a node stands still", Point::kCarryOut},
    {SimFault::kNodeClock, "node-clock", "jump", "a node's clock jumps ahead", Point::kCarryOut},
    {SimFault::kNodeClockBack, "node-clock-back", "jump", "a node's clock jumps back",
     Point::kCarryOut},
    {SimFault::kRestartEmpty, "restart-empty", "restart", "a node restarts without its data",
     Point::kCarryOut},
    {SimFault::kRestart, "restart", "restart", "a node restarts with its data", Point::kCarryOut},
    {SimFault::kNodeKill, "node-kill", "crash", "a node is killed for good", Point::kCarryOut},
    {SimFault::kForgetScripts, "forget-scripts", "forget-scripts", "a node forgets all scripts",
     Point::kCarryOut},
    {SimFault::kClientFast, "client-fast", "drift", "a client's clock runs fast", Point::kGoOn},
    {SimFault::kNodeFast, "node-fast", "drift", "a node's clock runs fast", Point::kCarryOut},
    {SimFault::kCutReplicas, "cut-replicas", "cut-replication", "a node's replicas are cut off",
     Point::kCarryOut},
    {SimFault::kPromote, "promote", "promote", "a node is killed and a replica promoted",
     Point::kCarryOut},
    {SimFault::kHoldNews, "hold-news", "hold", "a message of a channel is held back", Point::kNews},
    {SimFault::kDropNews, "drop-news", "drop", "a message of a channel is lost", Point::kNews},
}};

inline const SimFaultEntry& EntryOf(SimFault fault) {
  return kSimFaultEntries[static_cast<size_t>(fault)];
}
// Of a client's wall clock, which may be wrong before the client begins. One that stops then, or is
// killed, is as good as one that begins later, or isn't there.
inline bool StrikesAtBegin(SimFault fault) {
  return fault == SimFault::kClientClock || fault == SimFault::kClientClockBack ||
         fault == SimFault::kClientFast;
}
// Of a wall clock.
inline bool JumpsBack(SimFault fault) {
  return fault == SimFault::kClientClockBack || fault == SimFault::kNodeClockBack;
}
// Of nodes that have replicas.
inline bool NeedsReplicas(SimFault fault) {
  return fault == SimFault::kCutReplicas || fault == SimFault::kPromote;
}
inline std::optional<SimFault> ParseSimFault(std::string_view name) {
  for (const SimFaultEntry& entry : kSimFaultEntries) {
    if (entry.name == name) return entry.fault;
  }
  return std::nullopt;
}

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_FAULT_H_
