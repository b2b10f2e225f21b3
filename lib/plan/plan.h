// A plan: one experiment with every choice made. Plain data. `plan.json` is the file form of a
// plan; a run can be repeated from this file. A plan does not change after its run has begun.
#ifndef DOUBLEHOLD_LIB_PLAN_PLAN_H_
#define DOUBLEHOLD_LIB_PLAN_PLAN_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/step.h"
#include "lib/base/time.h"

namespace doublehold {

constexpr int kStoreNode = 0;  // number of the store in lists of nodes
// Stands for the node that leads when the fault begins. It is the only node of its fault.
constexpr int kLeaderNode = -1;
constexpr std::string_view kLeader = "leader";          // its name in files
constexpr std::string_view kNamespaces = "namespaces";  // value of Plan::net

// "client 2 after-read": the moment when a client reaches a step. Client 0: any client.
// "client 2 after-read 5": the fifth such moment since the fault waits for it.
struct Trigger {
  int client = 0;
  Step step = Step::kAfterAcquire;
  int nth = 1;
  bool operator==(const Trigger&) const = default;
};

// "begin of NAME", "end of NAME": the moment when another fault of the plan starts or is healed.
struct FaultMoment {
  std::string fault;
  bool ended = false;
  bool operator==(const FaultMoment&) const = default;
};

// A connection between a client and a node (kStoreNode: the store).
struct Link {
  int client = 0;
  int node = 0;
  bool operator==(const Link&) const = default;
};

// An entry of the timeline. The fault starts at `from`, or when `on` is reached for the first time
// after `from`. It repeats every `every`, `times` times in all. Each time it lasts for `length`, or
// until `until`.
struct FaultPlan {
  std::string name;
  std::string kind;  // a row of the fault registry: "pause"
  Duration from{};
  std::optional<Trigger> on;
  Duration every{};
  int times = 1;
  Duration length{};
  std::optional<Trigger> until;
  // Ends at the first such moment of the run. Ends at once if that moment has passed.
  std::optional<FaultMoment> until_fault;
  std::string during;         // acts only while the fault with this name is active
  std::optional<int> client;  // target client; if empty, the client that reached `on`, if any
  std::vector<int> nodes;     // target nodes; kStoreNode is the store, kLeaderNode the leader
  std::string direction;      // "request", "reply", "both"
  std::string between;        // links that a partition cuts: "clients" (default), "servers", "all"
  std::string command;        // in upper case, or empty for every command
  // A command's first key (empty: any key). For a fault that deletes a key: the deleted key.
  std::string key;
  int count = 0;               // number of frames on which the fault acts, or 0 for all frames
  int nth = 1;                 // first frame on which the fault acts, counted on each link
  double chance = 1.0;         // probability of acting on a frame
  Duration delay{}, jitter{};  // delay of a frame, and its random part
  std::string spread;  // distribution of the jitter: "uniform" (default), "normal", "pareto"
  int64_t bytes = 0;   // number of bytes that pass every `gap`
  Duration gap{};
  int64_t bytes_per_second = 0;
  Duration by{};            // a clock jumps ahead by this (negative: back)
  Duration period{};        // half a cycle of a strobe
  std::vector<Link> links;  // if not empty: exactly these links, whatever `client` and `nodes` are
  double rate = 1.0;        // rate of a clock
  std::string how;          // how a replica is promoted: "by-hand", "planned", "awaited"
  std::string data;         // the data of a restarted node: "empty", "rdb", "aof", "aof-cut"
  Duration cut{};           // for "aof-cut": how much of the log's end is lost
  // The nemesis member for which this fault was drawn ("clock"). A drawn fault may find nothing to
  // act on.
  std::string drawn_for;
  bool operator==(const FaultPlan&) const = default;
};

// Whether the fault acts on the node that leads.
inline bool NamesLeader(const FaultPlan& fault) {
  return std::ranges::find(fault.nodes, kLeaderNode) != fault.nodes.end();
}

// Whether the fault cuts its nodes off from the other servers.
inline bool CutsServers(const FaultPlan& fault) {
  return fault.between == "servers" || fault.between == "all";
}

struct RetryPlan {
  Duration interval{};   // between two tries
  double growth = 1;     // factor between consecutive intervals
  Duration longest{};    // limit of the growing interval
  double jitter = 0;     // random share of the interval, 0..1
  int64_t retries = -1;  // limit of tries after the first, or -1 for no limit
  Duration timeout{};    // gives up after this time, or after one try if 0
  bool operator==(const RetryPlan&) const = default;
};

// The program that serves lock "driver", with its self-description from before the run
// (docs/driver-protocol.md).
struct DriverPlan {
  std::string command;                         // run by /bin/sh -c
  std::map<std::string, std::string> options;  // options of the driver
  std::string name, version;
  std::vector<std::string> can;
  // The service in which the library keeps its locks. Empty: not known, in a suite that was only
  // read.
  std::string service = "redis";
  // Asks the kernel itself for the time, as a program of Go does, so no fault moves its clock.
  bool own_clock = false;
  bool operator==(const DriverPlan&) const = default;
};

struct Plan {
  std::string experiment = "run";
  uint64_t seed = 1;
  int speed = 0;  // how many times as fast as real time all clocks run; 0: in real time

  std::string lock;
  std::map<std::string, std::string> lock_options;  // complete, and checked against the registry
  std::optional<DriverPlan> driver;                 // only with lock "driver"
  Lease lease{};
  Duration call_timeout{};  // for one command to one node
  RetryPlan retry;

  std::string topology;  // a row of Topologies()
  std::string server;    // the servers' program: "redis@6.2"; empty: the installed one
  // Where the servers of topology "external" are: "redis://user@10.0.0.5:6379". No password is kept
  // in a plan.
  std::vector<std::string> endpoints;
  std::vector<std::string> containers;  // in which the endpoints run; empty: not known
  bool owns_servers = false;  // the run may delete keys of these servers that have its keys' names
  int nodes = 1;              // without replicas
  int replicas = 0;           // for each node
  // A silent server is considered down after this time, by sentinels and in a cluster.
  Duration down_after{};
  int clients = 4;
  int threads = 1;      // sessions of each client, each with its own holds
  bool direct = false;  // clients connect directly to the servers, without network faults
  // How links are cut: by the proxy, or by the kernel between namespaces.
  std::string net = "proxy";
  // With namespaces: delay of every packet from or to a client, by netem.
  Duration packet_delay{};

  std::string workload = "inventory";
  std::map<std::string, std::string> workload_options;
  Duration duration{};
  int64_t sections = 0;  // limit of sections for each session, or 0 for no limit
  Duration grace{};

  std::vector<FaultPlan> faults;
  std::vector<std::string> claims;
  std::map<std::string, std::string> limits;  // claim -> its limit: "5s", "100"
  std::map<std::string, std::string> expect;
  std::map<std::string, std::vector<std::string>> expect_cause;  // claim -> names of causes
  bool operator==(const Plan&) const = default;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_PLAN_PLAN_H_
