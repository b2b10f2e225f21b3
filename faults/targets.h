// Whom a fault acts on, and how that is said. Shared by the kinds of faults.
#ifndef DOUBLEHOLD_FAULTS_TARGETS_H_
#define DOUBLEHOLD_FAULTS_TARGETS_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "faults/cluster.h"
#include "faults/fault.h"

namespace doublehold {

// The links that the plan lists; else those of the client, or of every client when none is named,
// to the nodes, or to all and the store.
std::vector<LinkId> LinksOf(const Strike& strike);

// The plan's nodes, and its client when it names one; the client of the strike when it names
// neither. Client 0: every client.
std::vector<ProcessRef> ProcessesOf(const Strike& strike);
// Those of them that a fault can act on now.
std::vector<ProcessRef> AliveOf(Cluster& cluster, const Strike& strike);

// Of "request", "reply", "both", or `fallback` when the plan says nothing.
std::vector<Direction> DirectionsOf(const FaultPlan& plan, std::string_view fallback);

// Sets `rule`, for the frames that the plan means (command, key, nth, chance), on every link of the
// strike in every direction. The healer removes them and answers the longest delay measured: 0 when
// no frame came by, else at least 1. When each has spent its limit, the strike's on_spent is
// called.
Healer StartOnLinks(Cluster& cluster, const Strike& strike,
                    const std::vector<Direction>& directions, const LinkRule& rule);

// As StartOnLinks, for rules that delay nothing: the healer answers how long the fault lasted, 0
// when no frame came by.
Healer StartTimedOnLinks(Cluster& cluster, const Strike& strike,
                         const std::vector<Direction>& directions, const LinkRule& rule);

// "fault 'x' (pause): `problem`"; `setting` is to blame for it.
tl::unexpected<Error> BadFault(const FaultPlan& plan, std::string_view problem,
                               std::string setting = {});
// Which frames it means: a direction that is one, a count, an ordinal and a chance in their ranges.
Result<void> ValidateLinkFault(const FaultPlan& plan);
// A client or nodes to act on, or a step that says which client.
Result<void> ValidateProcessFault(const FaultPlan& plan);

// "client 1", "the client", "every client"
std::string NameClient(const FaultPlan& plan);
// "client 1", "node 2", "nodes 1, 2 and the store", "client 1 and node 2"
std::string NameProcesses(const FaultPlan& plan);
// "requests from client 1 to node 2", "2 replies to SET from the store to every client"
std::string NameTraffic(const FaultPlan& plan, std::string_view fallback_direction, int count = 0);
// "ahead by 3s", "back by 500ms"
std::string NameShift(Duration by);
// "node 2", "nodes 1, 2 and the store", "every node and the store"
std::string NameNodes(const FaultPlan& plan);

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_TARGETS_H_
