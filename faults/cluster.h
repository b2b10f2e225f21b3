// The operations with which faults act on processes, links and clocks: of a real run
// (compose/cluster/real_cluster.h), or of the simulated world (faults/sim/sim_cluster.h).
//
// Thread rule: one thread, the supervisor's or the world's. No call blocks.
#ifndef DOUBLEHOLD_FAULTS_CLUSTER_H_
#define DOUBLEHOLD_FAULTS_CLUSTER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "faults/link.h"
#include "faults/node_restart.h"
#include "faults/process_ref.h"
#include "lib/base/time.h"
#include "lib/clients/redis.h"

namespace doublehold {

// How a replica becomes the master.
enum class Promotion : uint8_t {
  kByHand,   // at once, as after a crash; writes that the replica has not received are lost
  kPlanned,  // once the replica has all writes of the old master, which accepts none meanwhile
  kAwaited,  // by a vote of the sentinels or the cluster; the Cluster only observes the vote
};

// A wall clock that is ahead by `offset` (negative: behind) and runs at `rate`. In every second
// interval of length `period` it is ahead by a further `swing`.
struct ClockSkew {
  Duration offset{};
  double rate = 1.0;
  Duration swing{};
  Duration period{};
};

using SkewId = uint64_t;

class Cluster {
 public:
  virtual ~Cluster() = default;

  [[nodiscard]] virtual MonoTime Now() = 0;
  [[nodiscard]] virtual std::optional<int> FindLeader() = 0;  // by the servers' last answers

  // Rules of a link are tried in the order in which they were set. The first rule that matches a
  // frame decides about the frame; later rules still count it. ClearLink releases the frames that
  // the rule holds, at once and in order; on_limit_reached is not called afterwards.
  virtual RuleId SetLink(LinkId link, LinkRule rule) = 0;
  virtual RuleReport ClearLink(RuleId rule) = 0;

  // Stops a process (SIGSTOP) with all its threads and its driver. Each Pause needs one Resume.
  virtual void Pause(ProcessRef process) = 0;
  virtual void Resume(ProcessRef process) = 0;

  // Whether the process has been started and has not ended. A stopped process is alive.
  [[nodiscard]] virtual bool IsAlive(ProcessRef process) = 0;

  // SIGKILL. Later operations on the process have no effect, except Restart of a node.
  virtual void Kill(ProcessRef process) = 0;
  // Kills a node unless it is dead, and starts it again on the same socket with the same clock.
  // Needs no healing. If the node is killed again before its start, it stays dead. If it is
  // restarted again, it starts once, at the later time, with the data of the later call.
  virtual void Restart(int node, NodeRestart how) = 0;
  // Sends a command to a node, bypassing the links, as an operator does. `answer` is called once
  // from the loop, after a timeout at the latest, and never after the cluster is destroyed.
  virtual void Operate(int node, std::vector<std::string> command,
                       std::function<void(CallResult)> answer) = 0;

  // Moves the process's wall clock from now on. Skews of one process add up, but a later strobe
  // replaces an earlier one. Without skews, the process reads the machine's time.
  virtual SkewId Skew(ProcessRef process, const ClockSkew& skew) = 0;
  // Returns how far ahead this skew moved the clock by the last observation. For a strobe, returns
  // the maximum of all observations. Returns nothing when the process certainly read no moved time,
  // for example because it was stopped.
  [[nodiscard]] virtual std::optional<Duration> ObservedSkew(SkewId skew) = 0;
  virtual void Unskew(SkewId skew) = 0;

  // Drops all replication traffic of a server, as master and as replica, until MendReplication.
  // Dropped traffic is lost, and its connections end. Under sentinels and in a cluster, drops only
  // the traffic with the server's replicas. Calls for the same node nest.
  virtual void CutReplication(int node) = 0;
  virtual int64_t MendReplication(int node) = 0;  // returns how many chunks were dropped

  // Makes a replica the master, and redirects the clients to it. Calls `done` once, after Promote
  // has returned, with whether the promotion succeeded.
  virtual void Promote(int node, Promotion how, std::function<void(bool)> done) = 0;

  // Keeps a client's session at the step that it announces. The rest of the client, such as a
  // watchdog, continues.
  virtual void Detain(int client) = 0;
  virtual void LetGo(int client) = 0;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_CLUSTER_H_
