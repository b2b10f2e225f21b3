// The targets of a fault, and how to name them. Shared by the kinds of faults.
#ifndef DOUBLEHOLD_FAULTS_TARGETS_H_
#define DOUBLEHOLD_FAULTS_TARGETS_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "faults/cluster.h"
#include "faults/fault.h"

namespace doublehold {

// Returns the links that the plan lists. If it lists none, returns the links from the client of the
// start (0: every client) to the plan's nodes. If the plan names no nodes, the links lead to all
// nodes and the store. With `between`, returns the links from the other servers to the plan's
// nodes, and with "all" also the links from every client.
std::vector<LinkId> LinksOf(const FaultStart& start);

// Returns the plan's nodes and client. If the plan names neither, returns the client of the start.
// Client 0 means every client.
std::vector<ProcessRef> ProcessesOf(const FaultStart& start);
// Returns the processes of ProcessesOf that are alive.
std::vector<ProcessRef> AliveOf(Cluster& cluster, const FaultStart& start);

// Converts the plan's direction: "request", "reply" or "both". Uses `fallback` if the plan has
// none.
std::vector<Direction> DirectionsOf(const FaultPlan& plan, std::string_view fallback);

// Sets `rule` on every link of the start in each direction, for the plan's frames (command, key,
// nth, chance). The healer removes the rules and returns the longest measured delay, at least 1. It
// returns 0 if the rules acted on no frame. Calls the start's on_limit_reached when every rule has
// reached its limit.
Healer StartOnLinks(Cluster& cluster, const FaultStart& start,
                    const std::vector<Direction>& directions, const LinkRule& rule);

// Like StartOnLinks, for rules whose measurement is the length of the fault. The healer returns
// that length, at least 1. It returns 0 if the rules acted on no frame.
Healer StartTimedOnLinks(Cluster& cluster, const FaultStart& start,
                         const std::vector<Direction>& directions, const LinkRule& rule);

// Returns the error "fault 'x' (pause): `problem`". `setting` is the key at fault.
tl::unexpected<Error> BadFault(const FaultPlan& plan, std::string_view problem,
                               std::string setting = {});
// Checks the keys that select frames: direction, count, nth and chance.
Result<void> ValidateLinkFault(const FaultPlan& plan);
// Requires a client, nodes, or a step that determines the client.
Result<void> ValidateProcessFault(const FaultPlan& plan);

// For example "client 1", "the client", "every client".
std::string NameClient(const FaultPlan& plan);
// For example "client 1", "node 2", "nodes 1, 2 and the store", "client 1 and node 2".
std::string NameProcesses(const FaultPlan& plan);
// For example "requests from client 1 to node 2", "2 replies to SET from the store to every
// client".
std::string NameTraffic(const FaultPlan& plan, std::string_view fallback_direction, int count = 0);
// For example "ahead by 3s", "back by 500ms".
std::string NameShift(Duration by);
// For example "node 2", "nodes 1, 2 and the store", "every node and the store".
std::string NameNodes(const FaultPlan& plan);

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_TARGETS_H_
