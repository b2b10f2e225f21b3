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
    std::function<void(Event)> record;  // records an event and sets its at_ns
    // Sets which steps a client announces. If the bit (1 << Step) is set, the client announces the
    // step and waits.
    std::function<void(int client, uint32_t steps)> arm;
  };

  // `cluster` and `plan` must outlive it. Requires that the plan's faults are registered.
  Timeline(boost::asio::io_context& io, Cluster& cluster, const Plan& plan, Hooks hooks);
  ~Timeline();

  // Begins the timeline: the times of faults count from now.
  void Begin();
  // Call when a client has reached an armed step. The client waits until this returns and its step
  // may be answered.
  void OnStep(int client, Step step);
  // Heals all active faults and starts no more. A fault that is healed here may have acted for less
  // than its planned length.
  void End();

 private:
  struct Entry;

  void Rearm();
  [[nodiscard]] bool IsOver() const;
  [[nodiscard]] bool IsWaiting(const Entry& entry) const;
  void StartFault(Entry& entry, int client);
  void Heal(Entry& entry);
  void HealAtMoments();
  void ScheduleNext(Entry& entry);
  [[nodiscard]] Event FaultEvent(const Entry& entry, EventType type, int64_t value_ns) const;

  boost::asio::io_context& io_;
  Cluster& cluster_;
  const Plan& plan_;
  Hooks hooks_;
  MonoTime begun_{};
  bool ended_ = false;
  std::vector<std::unique_ptr<Entry>> entries_;  // one for each fault, in the order of the plan
  // Faults that wait for a step or are active, by index. In a long run with many faults, these are
  // few.
  std::map<int, Entry*> live_;
  std::vector<Entry*> with_moments_;  // faults that end when another begins or ends
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_RUN_TIMELINE_H_
