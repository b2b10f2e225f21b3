// The fault forms: the names by which `sweep`, `explore` and `replay` call a fault at one place,
// real or simulated. A form is a kind of the fault registry (faults/fault.h) with fixed keys of its
// [[fault]] table.
#ifndef DOUBLEHOLD_LIB_BASE_FAULT_FORMS_H_
#define DOUBLEHOLD_LIB_BASE_FAULT_FORMS_H_

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace doublehold {

// Ordered from common to unusual. `explore` prefers to show the violation with the most common
// form.
enum class FaultForm : uint8_t {
  kPause,
  kCrash,
  kClientClock,
  kClientClockBack,
  kHoldRequest,
  kHoldReply,
  kDropRequest,
  kDropReply,
  kResetRequest,
  kResetReply,
  kNodePause,
  kNodeClock,
  kNodeClockBack,
  kRestartEmpty,
  kRestartWithData,
  kNodeCrash,
  kForgetScripts,
  kClientFast,
  kNodeFast,
  kCutReplication,
  kFailover,
  kLateFailover,
  kHandover,
  kSplitBrain,
  kHoldNews,
  kDropNews,
  kDuplicateRequest,
  kPartition,
};
constexpr size_t kFaultFormCount = 28;

// Where a fault of a form begins.
enum class FaultSite : uint8_t {
  kClient,   // a step of a client
  kRequest,  // a client's command on its way to a node
  kReply,
  kNode,     // a node that is about to execute a command
  kMasters,  // a node with replicas that is about to execute a command
  kChannel,  // a channel message on its way to a client
};

struct FaultFormEntry {
  FaultForm form;
  std::string_view name;  // for example "hold-request"
  std::string_view kind;  // kind in the fault registry and in histories: "hold"
  FaultSite site;
  std::string_view summary;
  std::string_view data{};      // data of a restarted node: "empty", "aof"
  int by_sign = 0;              // for a clock jump: 1 is ahead, -1 back
  bool lasts = false;           // has a duration; otherwise it is instantaneous or permanent
  bool runs_fast = false;       // the clock runs at kFastRate
  bool keeps_data = false;      // a server goes on with all the data that it had
  bool only_simulated = false;  // no [[fault]] of a real run is like it
  // Whether the registry's kind starts it in the simulated world (faults/sim/sim_faults.h). If not,
  // lib/sim implements the form. `explore` uses a form with this flag only if `--faults` names it.
  bool runs_kind = false;
};

// Rate of a fast clock.
constexpr int kFastRate = 3;
// What the replica of a late failover lacks: all commands of the last 10 ms.
constexpr std::chrono::milliseconds kLateBy{10};

constexpr std::array<FaultFormEntry, kFaultFormCount> kFaultForms{{
    {.form = FaultForm::kPause,
     .name = "pause",
     .kind = "pause",
     .site = FaultSite::kClient,
     .summary = "a client is stopped",
     .lasts = true},
    {.form = FaultForm::kCrash,
     .name = "crash",
     .kind = "crash",
     .site = FaultSite::kClient,
     .summary = "a client is killed"},
    {.form = FaultForm::kClientClock,
     .name = "client-clock",
     .kind = "jump",
     .site = FaultSite::kClient,
     .summary = "a client's clock jumps ahead",
     .by_sign = 1},
    {.form = FaultForm::kClientClockBack,
     .name = "client-clock-back",
     .kind = "jump",
     .site = FaultSite::kClient,
     .summary = "a client's clock jumps back",
     .by_sign = -1},
    {.form = FaultForm::kHoldRequest,
     .name = "hold-request",
     .kind = "hold",
     .site = FaultSite::kRequest,
     .summary = "a request is late",
     .lasts = true},
    {.form = FaultForm::kHoldReply,
     .name = "hold-reply",
     .kind = "hold",
     .site = FaultSite::kReply,
     .summary = "a reply is late",
     .lasts = true},
    {.form = FaultForm::kDropRequest,
     .name = "drop-request",
     .kind = "drop",
     .site = FaultSite::kRequest,
     .summary = "a request is lost"},
    {.form = FaultForm::kDropReply,
     .name = "drop-reply",
     .kind = "drop",
     .site = FaultSite::kReply,
     .summary = "a reply is lost; the command was carried out"},
    {.form = FaultForm::kResetRequest,
     .name = "reset-request",
     .kind = "reset",
     .site = FaultSite::kRequest,
     .summary = "a connection breaks, and a request is lost"},
    {.form = FaultForm::kResetReply,
     .name = "reset-reply",
     .kind = "reset",
     .site = FaultSite::kReply,
     .summary = "a connection breaks, and a reply is lost; the command was carried out"},
    {.form = FaultForm::kNodePause,
     .name = "node-pause",
     .kind = "pause",
     .site = FaultSite::kNode,
     .summary = "a node is stopped",
     .lasts = true},
    {.form = FaultForm::kNodeClock,
     .name = "node-clock",
     .kind = "jump",
     .site = FaultSite::kNode,
     .summary = "a node's clock jumps ahead",
     .by_sign = 1},
    {.form = FaultForm::kNodeClockBack,
     .name = "node-clock-back",
     .kind = "jump",
     .site = FaultSite::kNode,
     .summary = "a node's clock jumps back",
     .by_sign = -1},
    {.form = FaultForm::kRestartEmpty,
     .name = "restart-empty",
     .kind = "restart",
     .site = FaultSite::kNode,
     .summary = "a node restarts without its data",
     .data = "empty"},
    {.form = FaultForm::kRestartWithData,
     .name = "restart-with-data",
     .kind = "restart",
     .site = FaultSite::kNode,
     .summary = "a node restarts with its data, but without its scripts",
     .data = "aof",
     .keeps_data = true},
    {.form = FaultForm::kNodeCrash,
     .name = "node-crash",
     .kind = "crash",
     .site = FaultSite::kNode,
     .summary = "a node is killed permanently"},
    {.form = FaultForm::kForgetScripts,
     .name = "forget-scripts",
     .kind = "forget-scripts",
     .site = FaultSite::kNode,
     .summary = "a node forgets its scripts"},
    {.form = FaultForm::kClientFast,
     .name = "client-fast",
     .kind = "drift",
     .site = FaultSite::kClient,
     .summary = "a client's clock runs fast",
     .runs_fast = true},
    {.form = FaultForm::kNodeFast,
     .name = "node-fast",
     .kind = "drift",
     .site = FaultSite::kNode,
     .summary = "a node's clock runs fast",
     .runs_fast = true},
    {.form = FaultForm::kCutReplication,
     .name = "cut-replication",
     .kind = "cut-replication",
     .site = FaultSite::kMasters,
     .summary = "a node's replicas receive nothing"},
    {.form = FaultForm::kFailover,
     .name = "failover",
     .kind = "promote",
     .site = FaultSite::kMasters,
     .summary = "a node is killed, and a replica takes its place"},
    {.form = FaultForm::kLateFailover,
     .name = "late-failover",
     .kind = "promote",
     .site = FaultSite::kMasters,
     .summary = "a node is killed, and a replica that lacks the node's last 10 ms takes its place",
     .only_simulated = true},
    {.form = FaultForm::kHandover,
     .name = "handover",
     .kind = "promote",
     .site = FaultSite::kMasters,
     .summary = "a node hands over to a replica, and refers clients to that replica (MOVED)",
     .keeps_data = true,
     .only_simulated = true},
    {.form = FaultForm::kSplitBrain,
     .name = "split-brain",
     .kind = "promote",
     .site = FaultSite::kMasters,
     .summary = "a node is cut off with one client, and a replica takes its place for the others",
     .lasts = true,
     .only_simulated = true},
    {.form = FaultForm::kHoldNews,
     .name = "hold-news",
     .kind = "hold",
     .site = FaultSite::kChannel,
     .summary = "a channel's message is late",
     .only_simulated = true},
    {.form = FaultForm::kDropNews,
     .name = "drop-news",
     .kind = "drop",
     .site = FaultSite::kChannel,
     .summary = "a channel's message is lost",
     .only_simulated = true},
    {.form = FaultForm::kDuplicateRequest,
     .name = "duplicate-request",
     .kind = "duplicate",
     .site = FaultSite::kRequest,
     .summary = "a request is sent twice",
     .runs_kind = true},
    {.form = FaultForm::kPartition,
     .name = "partition",
     .kind = "partition",
     .site = FaultSite::kNode,
     .summary = "a node is cut off from every client",
     .lasts = true,
     .runs_kind = true},
}};

constexpr const FaultFormEntry& EntryOf(FaultForm form) {
  return kFaultForms[static_cast<size_t>(form)];
}
// Finds a form by its name.
constexpr std::optional<FaultForm> ParseFaultForm(std::string_view name) {
  for (const FaultFormEntry& entry : kFaultForms) {
    if (entry.name == name) return entry.form;
  }
  return std::nullopt;
}

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_FAULT_FORMS_H_
