// What clients' sessions and the referee do in a run, on real servers and in the simulated world.
//
// Thread rule: a session is one task, with an Env of its own.
#ifndef DOUBLEHOLD_COMPOSE_CLIENT_SESSION_LOOP_H_
#define DOUBLEHOLD_COMPOSE_CLIENT_SESSION_LOOP_H_

#include <functional>
#include <memory>

#include "lib/locks/registry.h"
#include "lib/plan/plan.h"
#include "workloads/workload.h"

namespace doublehold {

// A process of the run. What it refers to outlives it.
struct Means {
  const Plan& plan;
  int client = 0;  // 0: the referee
  const Options& lock_options;
  std::function<std::unique_ptr<Lock>(const LockContext&)> make_lock;
  std::function<std::unique_ptr<Workload>()> make_workload;
};

// One session: sections, one after the other, as long as `goes_on` says so, which may shorten the
// time for which the next one may ask for its lock.
void RunSession(Env& env, const Means& means, int thread,
                const std::function<bool(int64_t section, RetryPolicy& policy)>& goes_on);

// When all clients are through and all faults healed: looks what is left of each lock, whether it
// can be had, and what the store holds.
void RunReferee(Env& env, const Means& means, Workload& workload);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLIENT_SESSION_LOOP_H_
