// Carries out the faults of a plan: waits for the time and step of each fault, starts it, heals it,
// and records both.
//
// Thread rule: runs on the supervisor's thread. OnStep receives the steps that clients announce.
// The hook `arm` says which steps clients must announce.
#ifndef DOUBLEHOLD_COMPOSE_RUN_TIMELINE_H_
#define DOUBLEHOLD_COMPOSE_RUN_TIMELINE_H_

#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "faults/fault.h"
#include "lib/base/event.h"
#include "lib/plan/plan.h"

namespace doublehold {

class Timeline {
 public:
  struct Hooks {
    std::function<void(Event)> record;  // sets at_ns
    // With bit (1 << Step) set, the client announces the step and waits.
    std::function<void(int client, uint32_t steps)> arm;
  };

  // `cluster` and `plan` must outlive it. Requires that the plan's faults are registered.
  Timeline(boost::asio::io_context& io, Cluster& cluster, const Plan& plan, Hooks hooks);
  ~Timeline();

  // Starts the run.
  void Begin();
  // A client has reached an armed step and waits until the faults of that step are in place.
  void OnStep(int client, Step step);
  // Heals all active faults and starts no more. A fault healed here has acted, though shorter than
  // planned.
  void End();

 private:
  struct Entry;

  void Rearm();
  [[nodiscard]] bool IsOver() const;
  [[nodiscard]] bool IsWaiting(const Entry& entry) const;
  void StartFault(Entry& entry, int client);
  void Heal(Entry& entry);
  void HealWhoWaited();
  void ScheduleNext(Entry& entry);
  [[nodiscard]] Event FaultEvent(const Entry& entry, EventType type, int64_t value_ns) const;

  boost::asio::io_context& io_;
  Cluster& cluster_;
  const Plan& plan_;
  Hooks hooks_;
  MonoTime begun_{};
  bool ended_ = false;
  std::vector<std::unique_ptr<Entry>> entries_;  // one for each fault, in the order of the plan
  // Faults that wait for a step or are active, by index. A long run has many faults but few of
  // these.
  std::map<int, Entry*> live_;
  std::vector<Entry*> with_moments_;  // faults that end when another begins or ends
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_RUN_TIMELINE_H_
