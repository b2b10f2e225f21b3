// Carries out the faults of a plan: waits for each one's time and step, starts it, heals it, and
// records both.
//
// Thread rule: the supervisor's. The steps that clients announce come in through OnStep; what is
// armed goes out through `arm`.
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
    std::function<void(Event)> record;                    // at_ns is filled in there
    std::function<void(int client, uint32_t steps)> arm;  // bit (1 << Step): announce it and wait
  };

  // `cluster` and `plan` outlive it; the faults' names are known to be registered.
  Timeline(boost::asio::io_context& io, Cluster& cluster, const Plan& plan, Hooks hooks);
  ~Timeline();

  // The run starts now.
  void Begin();
  // A client reached an armed step and waits for what comes of it.
  void OnStep(int client, Step step);
  // Starts nothing more and heals what is active: that has acted, for as long as it could.
  void End();

 private:
  struct Entry;

  void Rearm();
  [[nodiscard]] bool IsOver() const;
  [[nodiscard]] bool IsWaiting(const Entry& entry) const;
  void Strike(Entry& entry, int client);
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
  std::vector<std::unique_ptr<Entry>> entries_;  // of the plan, in its order
  // Those that wait for a step or are active, by their index: a long run has many faults, few of
  // them at a time.
  std::map<int, Entry*> live_;
  std::vector<Entry*> with_moments_;  // that end with a moment of another
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_RUN_TIMELINE_H_
