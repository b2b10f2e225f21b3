// The cluster verbs done to real processes, sockets and clocks.
//
// Thread rule: the supervisor's. The verbs do not wait, but for ObservedSkew of a node, which asks it for its time.
#ifndef DOUBLEHOLD_COMPOSE_REAL_CLUSTER_H_
#define DOUBLEHOLD_COMPOSE_REAL_CLUSTER_H_

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "faults/clock_page.h"
#include "faults/cluster.h"
#include "faults/proxy/proxy.h"
#include "lib/history/shared_run.h"

namespace doublehold {

class Replication;

class RealCluster final : public Cluster {
 public:
  // `shared` and `proxy` outlive it. `changed` is called when a client that waits at a step may have become free.
  RealCluster(SharedRun& shared, Proxy& proxy, std::function<void(int client)> changed)
      : shared_(shared), proxy_(proxy), changed_(std::move(changed)) {}

  // Tells of a process that is about to start. `clock_page` is its page in the shared memory, set to the true time;
  // `socket` is a node's.
  void Add(ProcessRef process, int clock_page, std::filesystem::path socket = {});
  // Tells of a link over which servers reach each other.
  void AddPeerLink(LinkId link) { peer_links_.push_back(link); }
  // Who carries promotions out; null where there are no replicas. It outlives its use here.
  void UseReplication(Replication* replication) { replication_ = replication; }
  void SetPid(ProcessRef process, pid_t pid) { Find(process).pid = pid; }
  // The kernel says that it stopped.
  void OnStopped(pid_t pid);
  // May the answer to a step be sent? Not while the client is detained, nor before a pause took hold of it.
  [[nodiscard]] bool MayAnswer(int client) const;

  MonoTime Now() override;
  RuleId SetLink(LinkId link, LinkRule rule) override {
    return proxy_.SetLink(link, std::move(rule));
  }
  RuleReport ClearLink(RuleId rule) override { return proxy_.ClearLink(rule); }
  void Pause(ProcessRef process) override;
  void Resume(ProcessRef process) override;
  void Kill(ProcessRef process) override;
  void Skew(ProcessRef process, Duration offset, double rate) override;
  Duration ObservedSkew(ProcessRef process) override;
  void CutReplication(int node) override;
  int64_t MendReplication(int node) override;
  void Promote(int node, Promotion how, std::function<void(bool)> done) override;
  void Detain(int client) override;
  void LetGo(int client) override;

 private:
  struct Process {
    pid_t pid = 0;
    std::unique_ptr<ClockPage> clock;
    std::filesystem::path socket;
    int pauses = 0;        // Pause calls without their Resume
    bool stopped = false;  // as the kernel said
    bool killed = false;
    int detained = 0;
  };

  Process& Find(ProcessRef process);

  SharedRun& shared_;
  Proxy& proxy_;
  std::function<void(int client)> changed_;
  std::map<ProcessRef, Process> processes_;
  std::vector<LinkId> peer_links_;
  Replication* replication_ = nullptr;
  std::multimap<int, std::vector<RuleId>> cuts_;  // by node, the rules of one cut
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_REAL_CLUSTER_H_
