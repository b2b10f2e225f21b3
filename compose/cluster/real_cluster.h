// The cluster verbs done to real processes, sockets and clocks.
//
// Thread rule: the supervisor's. The verbs do not wait, but for ObservedSkew of a node that has not
// told its time yet since it was skewed: it is asked, for 20 ms at most.
// A process that is started again is forked within Restart's timer: some ms in which the loop
// stands still; as long as iptables takes, where links are cut by the kernel.
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
#include "compose/cluster/redis/node_clock.h"
#include "compose/cluster/redis/node_restarter.h"
#include "faults/cluster.h"
#include "faults/proxy/proxy.h"
#include "lib/clock/clock_page.h"
#include "lib/history/shared_run.h"

namespace doublehold {

class Replication;

class RealCluster final : public Cluster {
 public:
  // All outlive it. `changed` is called when a client that waits at a step may have become free.
  RealCluster(boost::asio::io_context& io, SharedRun& shared, Proxy& proxy,
              std::function<void(int client)> changed)
      : io_(io),
        client_tick_(io),
        shared_(shared),
        proxy_(proxy),
        changed_(std::move(changed)),
        revival_(io) {}

  // Tells of a client that is about to start. `clock_page` is its page in the shared memory, set to
  // the true time.
  void AddClient(int client, int clock_page);
  // The same of a node.
  void AddNode(int node, int clock_page, Revival::Place place);
  // Tells of a link over which servers reach each other.
  void AddPeerLink(LinkId link) { peer_links_.push_back(link); }
  // Who carries promotions out; null where there are no replicas. It outlives its use here.
  void UseReplication(Replication* replication) { replication_ = replication; }
  // Where links are cut as packets; null: in the proxy. It outlives its use here.
  void CutWith(PacketCuts* packets) { packets_ = packets; }
  // What clients sent and the network has not carried to the proxy yet never gets there: they have
  // ended.
  void DropStragglers();
  // Who starts nodes again.
  void ReviveBy(Revival::Hooks hooks) { revival_.SetHooks(std::move(hooks)); }
  // It was started; a node perhaps again.
  void SetPid(ProcessRef process, pid_t pid);
  // The kernel says that it stopped.
  void OnStopped(pid_t pid);
  // May the answer to a step be sent? Not while the client is detained, nor before a pause took
  // hold of it.
  [[nodiscard]] bool MayAnswer(int client) const;
  // By a fault, and not started again since.
  [[nodiscard]] bool WasKilled(ProcessRef process) const {
    const auto found = processes_.find(process);
    return found != processes_.end() && found->second.killed;
  }

  // Nodes that are to come back do so now. Settled: they are there, and every operator has had his
  // answer.
  void HurryNodes() { revival_.Hurry(); }
  [[nodiscard]] bool IsSettled() const { return revival_.IsDone() && unanswered_ == 0; }

  MonoTime Now() override;
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
    std::unique_ptr<NodeClock> told;  // a node's; made when it is first skewed
    std::filesystem::path socket;
    int pauses = 0;        // Pause calls without their Resume
    bool stopped = false;  // as the kernel said
    bool killed = false;
    int detained = 0;
  };

  Process& Find(ProcessRef process);
  void CommitSoon();
  void SetClock(Process& process);
  void LookAtClients();
  [[nodiscard]] Duration AheadOfClient(int client) const;

  boost::asio::io_context& io_;
  boost::asio::steady_timer client_tick_;
  bool looking_ = false;
  SharedRun& shared_;
  Proxy& proxy_;
  std::function<void(int client)> changed_;
  Revival revival_;
  int unanswered_ = 0;  // commands of operators
  std::map<ProcessRef, Process> processes_;
  std::vector<LinkId> peer_links_;
  Replication* replication_ = nullptr;
  PacketCuts* packets_ = nullptr;
  std::multimap<int, std::vector<RuleId>> cuts_;  // by node, the rules of one cut
  std::map<SkewId, ProcessRef> skewed_;
  SkewId last_skew_ = 0;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_REAL_CLUSTER_H_
