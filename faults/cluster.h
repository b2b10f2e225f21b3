// The verbs with which faults act on a run: the real cluster does them to processes, sockets and
// clocks. The simulated world carries out the forms of lib/base/fault_forms.h by itself.
//
// Thread rule: one thread (the supervisor's). No verb waits.
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
#include "lib/base/connection.h"
#include "lib/base/time.h"

namespace doublehold {

// How a replica becomes the master.
enum class Promotion : uint8_t {
  kByHand,   // at once, as an operator does after a crash: what it has not received is lost
  kPlanned,  // once it has all that the old master had, which takes no writes meanwhile
  kAwaited,  // by those who watch the servers; the cluster only looks on
};

// Ahead by `offset` (behind, below 0), running `rate` times as fast; and further ahead by `swing`
// in every other stretch of `period`.
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

  // Rules of a link are asked in the order they were set; the first that acts on a frame decides,
  // when it arrives; the others count it all the same. Removing a rule lets go at once, in order,
  // what it still keeps; its on_spent is not called any more.
  virtual RuleId SetLink(LinkId link, LinkRule rule) = 0;
  virtual RuleReport ClearLink(RuleId rule) = 0;

  // Stops a whole process (SIGSTOP): threads, watchdogs, drivers. Nests: as many Resume as Pause.
  virtual void Pause(ProcessRef process) = 0;
  virtual void Resume(ProcessRef process) = 0;

  // Neither killed nor ended by itself, since it was started last. One that is stopped is alive.
  [[nodiscard]] virtual bool IsAlive(ProcessRef process) = 0;

  // SIGKILL. Later verbs on the process do nothing, but for Restart of a node.
  virtual void Kill(ProcessRef process) = 0;
  // Kills a node, unless it is dead already, and starts it again: on the same socket, by the same
  // clock. Nothing need heal that. Killed again meanwhile it stays dead; restarted again it comes
  // back once, at the later of the two times, with what the later call leaves it.
  virtual void Restart(int node, NodeRestart how) = 0;
  // Sends a command to a node as its operator would: past the links. `answer` is called once, from
  // the loop, after a while even when there was none; never after the cluster is gone.
  virtual void Operate(int node, std::vector<std::string> command,
                       std::function<void(CallResult)> answer) = 0;

  // Moves the process's wall clock from now on. Skews of one process add up: what each does to the
  // clock is the same whatever the others do, but that a later strobe replaces an earlier one.
  // Where nothing is skewed any more, the process reads the machine's time.
  virtual SkewId Skew(ProcessRef process, const ClockSkew& skew) = 0;
  // By how much this skew was last seen to move its process's clock ahead; a strobe: at most. Seen
  // by asking the process, not the cluster. Nothing: the process certainly read no time that was
  // moved, because it was stopped all the while, say.
  [[nodiscard]] virtual std::optional<Duration> ObservedSkew(SkewId skew) = 0;
  virtual void Unskew(SkewId skew) = 0;

  // From now on nothing that a server sends to its replicas gets there, nor what it is sent as one,
  // until it is mended; what was lost meanwhile stays lost on these connections, which then end.
  // Under sentinels and in a cluster a server loses its replicas only. Calls nest by node.
  virtual void CutReplication(int node) = 0;
  // Answers how many chunks of replication were lost.
  virtual int64_t MendReplication(int node) = 0;

  // Makes a server the master in the place of the one that it was a replica of, and leads the
  // clients to it. `done` is called once, later, with whether it came so.
  virtual void Promote(int node, Promotion how, std::function<void(bool)> done) = 0;

  // Keeps a client's session at the step it announces; the rest of it (a watchdog) runs on.
  virtual void Detain(int client) = 0;
  virtual void LetGo(int client) = 0;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_CLUSTER_H_
