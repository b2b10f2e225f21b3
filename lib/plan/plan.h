// A plan: one experiment with every choice made. Plain data; `plan.json` is its file form and runs
// it again. Read by everything, changed by nobody once a run has begun.
#ifndef DOUBLEHOLD_LIB_PLAN_PLAN_H_
#define DOUBLEHOLD_LIB_PLAN_PLAN_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/step.h"
#include "lib/base/time.h"

namespace doublehold {

constexpr int kStoreNode = 0;                           // in lists of nodes: the store
constexpr std::string_view kNamespaces = "namespaces";  // Plan::net

// "client 2 after-read": a client reaching a step. client 0: any client.
struct Trigger {
  int client = 0;
  Step step = Step::kAfterAcquire;
  bool operator==(const Trigger&) const = default;
};

// "begin of NAME", "end of NAME": another fault of the same timeline starting, or being healed.
struct FaultMoment {
  std::string fault;
  bool ended = false;
  bool operator==(const FaultMoment&) const = default;
};

// Between a client and a node (kStoreNode: the store).
struct Link {
  int client = 0;
  int node = 0;
  bool operator==(const Link&) const = default;
};

// One entry of the timeline. It starts at `from`, or at the first time after it that `on` is
// reached, and again every `every`, `times` in all; each time it lasts `length`, or until `until`
// is reached.
struct FaultPlan {
  std::string name;
  std::string kind;  // a row of the fault registry: "pause"
  Duration from{};
  std::optional<Trigger> on;
  Duration every{};
  int times = 1;
  Duration length{};
  std::optional<Trigger> until;
  std::optional<FaultMoment>
      until_fault;            // the first such moment of the run; at once when it has been
  std::string during;         // only while the fault of that name is active
  std::optional<int> client;  // its target; absent: the client that reached `on`, or no client
  std::vector<int> nodes;     // its target nodes; kStoreNode is the store
  std::string direction;      // "request", "reply", "both"
  std::string command;        // upper case; empty: every command
  std::string key;      // the first key of a command, empty: every key; or one that a node loses
  int count = 0;        // frames it acts on; 0: all
  int nth = 1;          // the first frame it acts on, counted on each link
  double chance = 1.0;  // that it acts on a frame
  Duration delay{}, jitter{};  // of a frame
  std::string spread;          // of the jitter: "uniform", "normal", "pareto"; empty: uniform
  int64_t bytes = 0;           // that pass every `gap`
  Duration gap{};
  int64_t bytes_per_second = 0;
  Duration by{};            // a clock jumps ahead by this; below 0: back
  Duration period{};        // and there and back again, staying so long each time
  std::vector<Link> links;  // instead of client and nodes: exactly these
  double rate = 1.0;        // a clock runs at this rate
  std::string how;          // a replica is promoted: "by-hand", "planned", "awaited"
  std::string data;  // "empty", "rdb", "aof", "aof-cut": what a restarted node comes back with
  Duration cut{};    // aof-cut: so much of the end of its log is lost
  std::string
      drawn_for;  // by a nemesis, for what it was asked to do ("clock"): that it meets nothing to act on is nobody's mistake
  bool operator==(const FaultPlan&) const = default;
};

struct RetryPlan {
  Duration interval{};   // between two tries
  double growth = 1;     // each interval is so many times the one before it
  Duration longest{};    // that growing leads to
  double jitter = 0;     // share of the interval that is drawn at random, 0..1
  int64_t retries = -1;  // further tries after the first; -1: no limit
  Duration timeout{};    // gives up after this; 0: the first try is the only one
  bool operator==(const RetryPlan&) const = default;
};

// The program that serves lock "driver", and what it said of itself before the run
// (docs/driver-protocol.md).
struct DriverPlan {
  std::string command;                         // for /bin/sh -c
  std::map<std::string, std::string> options;  // the driver's own
  std::string name, version;
  std::vector<std::string> can;
  bool operator==(const DriverPlan&) const = default;
};

struct Plan {
  std::string experiment = "run";
  uint64_t seed = 1;

  std::string lock;
  std::map<std::string, std::string> lock_options;  // checked against the registry; all present
  std::optional<DriverPlan> driver;                 // of lock "driver"
  Lease lease{};
  Duration call_timeout{};  // of one command to one node
  RetryPlan retry;

  std::string topology;   // a row of Topologies()
  int nodes = 1;          // that are no replicas
  int replicas = 0;       // of each of them
  Duration down_after{};  // a server that is silent for so long is down, to sentinels and a cluster
  int clients = 4;
  int threads = 1;            // of each client: sessions that take locks of their own
  bool direct = false;        // clients connect to the servers themselves: no network faults
  std::string net = "proxy";  // what cuts links: the proxy, or the kernel between namespaces
  Duration packet_delay{};    // there: of every packet from or to a client, by netem

  std::string workload = "inventory";
  std::map<std::string, std::string> workload_options;
  Duration duration{};
  int64_t sections = 0;  // of each session, which then ends; 0: as many as there is time for
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
