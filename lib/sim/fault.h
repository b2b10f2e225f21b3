// What can go wrong in a simulated world, each by one answer of the choices at a point of an execution.
#ifndef DOUBLEHOLD_LIB_SIM_FAULT_H_
#define DOUBLEHOLD_LIB_SIM_FAULT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace doublehold::sim {

enum class SimFault : uint8_t {
  kPause,          // a client is stopped for longer than a lease, where it would go on
  kKill,           // a client is killed there
  kClientClock,    // a client's wall clock jumps ahead there, by more than a lease
  kHoldRequest,    // a request is on its way for longer than a lease
  kHoldReply,      // so is a reply
  kDropRequest,    // a request is lost
  kDropReply,      // so is a reply
  kReset,          // a connection breaks, with a request on its way
  kNodePause,      // a node stands still for longer than a lease, before it carries out a command
  kNodeClock,      // a node's wall clock jumps ahead there, by more than a lease
  kNodeClockBack,  // or back
  kRestartEmpty,   // a node restarts there, without its data
};
constexpr size_t kSimFaults = 12;

// Where the choices are asked: of which point a fault is.
enum class Point : uint8_t { kGoOn, kRequest, kCarryOut, kReply };
constexpr size_t kPoints = 4;

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
    {SimFault::kHoldRequest, "hold-request", "hold", "a request is held back", Point::kRequest},
    {SimFault::kHoldReply, "hold-reply", "hold", "a reply is held back", Point::kReply},
    {SimFault::kDropRequest, "drop-request", "drop", "a request is lost", Point::kRequest},
    {SimFault::kDropReply, "drop-reply", "drop", "a reply is lost", Point::kReply},
    {SimFault::kReset, "reset", "reset", "a connection breaks", Point::kRequest},
    {SimFault::kNodePause, "node-pause", "pause", "a node stands still", Point::kCarryOut},
    {SimFault::kNodeClock, "node-clock", "jump", "a node's clock jumps ahead", Point::kCarryOut},
    {SimFault::kNodeClockBack, "node-clock-back", "jump", "a node's clock jumps back",
     Point::kCarryOut},
    {SimFault::kRestartEmpty, "restart-empty", "restart", "a node restarts without its data",
     Point::kCarryOut},
}};

inline const SimFaultEntry& EntryOf(SimFault fault) {
  return kSimFaultEntries[static_cast<size_t>(fault)];
}
inline std::optional<SimFault> ParseSimFault(std::string_view name) {
  for (const SimFaultEntry& entry : kSimFaultEntries) {
    if (entry.name == name) return entry.fault;
  }
  return std::nullopt;
}

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_FAULT_H_
