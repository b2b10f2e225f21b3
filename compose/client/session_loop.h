// The sessions of clients, and the referee, on real servers and in the simulator.
//
// Thread rule: a session is one task, with its own Env.
#ifndef DOUBLEHOLD_COMPOSE_CLIENT_SESSION_LOOP_H_
#define DOUBLEHOLD_COMPOSE_CLIENT_SESSION_LOOP_H_

#include <functional>
#include <memory>

#include "lib/locks/registry.h"
#include "lib/plan/plan.h"
#include "workloads/workload.h"

namespace doublehold {

// The context of a client process or of the referee. The references must outlive it.
struct ClientContext {
  const Plan& plan;
  int client = 0;  // 0: the referee
  const Options& lock_options;
  std::function<std::unique_ptr<Lock>(const LockContext&)> make_lock;
  std::function<std::unique_ptr<Workload>()> make_workload;
};

// Whether clients stay idle after their work, so that their idle traffic can be recorded.
[[nodiscard]] bool JudgesIdle(const Plan& plan);
// Whether a claim of the plan needs all traffic of the clients.
[[nodiscard]] bool JudgesTraffic(const Plan& plan);

// Runs one session: runs sections one after the other while `goes_on` returns true. `goes_on` may
// shorten the timeout of the next acquire, and set the end of the run.
void RunSession(Env& env, const ClientContext& client_context, int thread,
                const std::function<bool(int64_t section, Session& session)>& goes_on);

// Runs after all clients have ended and all faults were healed. Records the leftover keys of each
// lock, probes each lock, and reads the store.
void RunReferee(Env& env, const ClientContext& client_context, Workload& workload);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLIENT_SESSION_LOOP_H_
