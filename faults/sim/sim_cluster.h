// The operations of faults on a simulated world, as far as the forms with `runs_kind` need them.
#ifndef DOUBLEHOLD_FAULTS_SIM_SIM_CLUSTER_H_
#define DOUBLEHOLD_FAULTS_SIM_SIM_CLUSTER_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "faults/cluster.h"
#include "lib/sim/world.h"

namespace doublehold {

// Acts on links. `longest_delay` of a report is the delay asked for. A rule acts on no message
// beyond its limit. SetLink fails a CHECK for a key, a chance, `matches`, a jitter, a link between
// servers, and the actions kHold, kPace and kWatch. So do all other operations: no form needs them
// yet.
//
// Thread rule: the world's thread. The world must outlive it.
class SimCluster : public Cluster {
 public:
  explicit SimCluster(sim::World& world) : world_(world) {}

  MonoTime Now() override { return world_.now(); }
  RuleId SetLink(LinkId link, LinkRule rule) override;
  RuleReport ClearLink(RuleId rule) override;

  std::optional<int> FindLeader() override { NotYet(); }
  void Pause(ProcessRef) override { NotYet(); }
  void Resume(ProcessRef) override { NotYet(); }
  bool IsAlive(ProcessRef) override { NotYet(); }
  void Kill(ProcessRef) override { NotYet(); }
  void Restart(int, NodeRestart) override { NotYet(); }
  void Operate(int, std::vector<std::string>, std::function<void(CallResult)>) override {
    NotYet();
  }
  SkewId Skew(ProcessRef, const ClockSkew&) override { NotYet(); }
  std::optional<Duration> ObservedSkew(SkewId) override { NotYet(); }
  void Unskew(SkewId) override { NotYet(); }
  void CutReplication(int) override { NotYet(); }
  int64_t MendReplication(int) override { NotYet(); }
  void Promote(int, Promotion, std::function<void(bool)>) override { NotYet(); }
  void Detain(int) override { NotYet(); }
  void LetGo(int) override { NotYet(); }

 private:
  [[noreturn]] static void NotYet();

  sim::World& world_;
  std::map<RuleId, std::shared_ptr<RuleReport>> reports_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_SIM_SIM_CLUSTER_H_
