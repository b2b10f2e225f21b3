// The operations of Cluster, carried out on real processes, sockets and clocks.
//
// Thread rule: runs on the supervisor's thread. The operations do not wait, with one exception:
// ObservedSkew waits for at most 20 ms for a node that has not reported its time since it was
// skewed. The event loop is also blocked for some milliseconds while a process is forked for a
// restart, while the descendants of a killed process end, and while iptables runs.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_REAL_CLUSTER_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_REAL_CLUSTER_H_

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compose/cluster/combined_skew.h"
#include "compose/cluster/iptables_partition.h"
#include "compose/cluster/leader_watch.h"
#include "compose/cluster/node_clock.h"
#include "compose/cluster/node_restarter.h"
#include "compose/cluster/service.h"
#include "faults/cluster.h"
#include "faults/proxy/proxy.h"
#include "lib/clock/clock_page.h"
#include "lib/history/shared_run.h"

namespace doublehold {

class RealCluster final : public Cluster {
 public:
  // The arguments must outlive the cluster. Calls `changed` when MayAnswer may have become true for
  // a client.
  RealCluster(boost::asio::io_context& io, SharedRun& shared, Proxy& proxy,
              std::function<void(int client)> changed)
      : io_(io),
        client_tick_(io),
        shared_(shared),
        proxy_(proxy),
        changed_(std::move(changed)),
        revival_(io) {}

  // Registers a client before it starts. `clock_page` is its page in the shared memory, set to the
  // true time. `own_clock`: DriverPlan::own_clock; faults on its clock have no effect.
  void AddClient(int client, int clock_page, bool own_clock = false);
  // Registers a node before it starts.
  void AddNode(int node, int clock_page, Revival::Place place);
  // Sets the services of the store and of the lock nodes. They must live as long as faults start
  // and heal.
  void Serve(Service& store, Service& locks) {
    store_ = &store;
    locks_ = &locks;
  }
  // Sets the object that cuts links in the kernel. Null if the proxy cuts links. The object must
  // live as long as faults start and heal.
  void CutWith(PacketCuts* packets) { packets_ = packets; }
  // Drops data of ended clients that has not yet reached the proxy.
  void DropStragglers();
  // Sets the hooks that start killed nodes again.
  void ReviveBy(Revival::Hooks hooks) { revival_.SetHooks(std::move(hooks)); }
  // Records the pid of a process that was started, or of a node that was started again.
  void SetPid(ProcessRef process, pid_t pid);
  // Call when the kernel has reported that the process stopped.
  void OnStopped(pid_t pid);
  // Whether the client's step may be answered. The answer must wait while the client is detained,
  // and until a pause has stopped the client.
  [[nodiscard]] bool MayAnswer(int client) const;
  // Whether a fault killed the process and it was not started again.
  [[nodiscard]] bool WasKilled(ProcessRef process) const {
    const auto found = processes_.find(process);
    return found != processes_.end() && found->second.killed;
  }

  // Starts at once the nodes whose restart is planned for later. IsSettled: no node is being
  // restarted, and every operator's command was answered.
  void HurryNodes() { revival_.Hurry(); }
  [[nodiscard]] bool IsSettled() const { return revival_.IsDone() && unanswered_ == 0; }

  // Asks the lock's servers from now on who leads, if the service does not know it.
  void WatchLeader();

  MonoTime Now() override;
  std::optional<int> FindLeader() override;
  RuleId SetLink(LinkId link, LinkRule rule) override;
  RuleReport ClearLink(RuleId rule) override;
  void Pause(ProcessRef process) override;
  void Resume(ProcessRef process) override;
  bool IsAlive(ProcessRef process) override;
  void Kill(ProcessRef process) override;
  void Restart(int node, NodeRestart how) override;
  void Operate(int node, std::vector<std::string> command,
               std::function<void(CallResult)> answer) override;
  SkewId Skew(ProcessRef process, const ClockSkew& skew) override;
  std::optional<Duration> ObservedSkew(SkewId skew) override;
  void Unskew(SkewId skew) override;
  void CutReplication(int node) override;
  int64_t MendReplication(int node) override;
  void Promote(int node, Promotion how, std::function<void(bool)> done) override;
  void Detain(int client) override;
  void LetGo(int client) override;

 private:
  struct Process {
    pid_t pid = 0;
    std::unique_ptr<ClockPage> clock;
    ClockSum skews;
    std::unique_ptr<NodeClock>
        node_clock;  // for a node only; created when the node is first skewed
    NodeAddress address;
    int pauses = 0;        // Pause calls without their Resume
    bool stopped = false;  // whether the kernel has reported it as stopped
    bool killed = false;
    int detained = 0;
    bool own_clock = false;  // of a client: its driver asks the kernel itself for the time
  };

  Process& Find(ProcessRef process) { return processes_.at(process); }
  [[nodiscard]] Service& ServiceOf(int node) { return node == kStoreNode ? *store_ : *locks_; }
  // Null: the process is a child of the supervisor.
  [[nodiscard]] Containers* ContainersOf(ProcessRef process);
  void CommitSoon();
  void SetClock(Process& process);
  void ObserveClientClocks();
  [[nodiscard]] Duration AheadOfClient(int client) const;

  boost::asio::io_context& io_;
  boost::asio::steady_timer client_tick_;
  bool looking_ = false;
  SharedRun& shared_;
  Proxy& proxy_;
  std::function<void(int client)> changed_;
  Revival revival_;
  int unanswered_ = 0;  // operators' commands without an answer
  std::map<ProcessRef, Process> processes_;
  Service* store_ = nullptr;
  Service* locks_ = nullptr;
  std::unique_ptr<LeaderWatch> leader_watch_;  // null: not asked, or the service knows
  PacketCuts* packets_ = nullptr;
  std::multimap<int, std::vector<RuleId>> cuts_;  // the rules of one cut, by node
  std::map<SkewId, ProcessRef> skewed_;
  SkewId last_skew_ = 0;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_REAL_CLUSTER_H_
