#include "compose/client/session_loop.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "compose/client/probe.h"
#include "compose/client/redis/key_discovery.h"
#include "compose/client/service_keys.h"
#include "lib/driver/driver_lock.h"
#include "lib/locks/recorded_lock.h"
#include "lib/plan/topology.h"

namespace doublehold {
namespace {

std::unique_ptr<Lock> MakeLock(Env& env, const ClientContext& client_context, int thread) {
  const Plan& plan = client_context.plan;
  return client_context.make_lock({.env = env,
                                   .client = client_context.client,
                                   .thread = thread,
                                   .seed = plan.seed,
                                   .nodes = LockNodesOf(plan),
                                   .lease = plan.lease,
                                   .call_timeout = plan.call_timeout,
                                   .options = client_context.lock_options});
}

// Sleeps for a lease, or until the run ends, and records the beginning and the end of this idle
// time.
void StayIdle(Env& env, Lease lease) {
  env.Record({.op = Op::kIdle, .type = EventType::kInvoke});
  [[maybe_unused]] const bool to_the_end = env.SleepUntil(env.Mono() + lease);
  env.Record({.op = Op::kIdle, .type = EventType::kOk});
}

RetryPolicy MakeRetryPolicy(const Plan& plan) {
  return {.interval = plan.retry.interval,
          .growth = plan.retry.growth,
          .longest = plan.retry.longest,
          .jitter = plan.retry.jitter,
          .retries = plan.retry.retries,
          .timeout = plan.retry.timeout,
          .call_timeout = plan.call_timeout};
}

}  // namespace

bool JudgesIdle(const Plan& plan) {
  return std::ranges::find(plan.claims, "idle-traffic") != plan.claims.end();
}

// All limits on commands have such names.
bool JudgesTraffic(const Plan& plan) {
  return std::ranges::any_of(
      plan.limits, [](const auto& limit) { return limit.first.starts_with("commands-per-"); });
}

void RunSession(Env& env, const ClientContext& client_context, int thread,
                const std::function<bool(int64_t, Session&)>& goes_on) {
  const Plan& plan = client_context.plan;
  const std::unique_ptr<Workload> workload = client_context.make_workload();
  RecordedLock lock(env, MakeLock(env, client_context, thread));
  Session session{.env = env,
                  .lock = lock,
                  .client = client_context.client,
                  .thread = thread,
                  .lease = plan.lease,
                  .policy = MakeRetryPolicy(plan)};
  env.Reach(Step::kStart);
  for (int64_t section = 0; !env.Stopping() && goes_on(section, session); ++section)
    workload->Step(session);
  if (JudgesIdle(plan)) StayIdle(env, plan.lease);
}

void RunReferee(Env& env, const ClientContext& client_context, Workload& workload) {
  const Plan& plan = client_context.plan;
  const std::unique_ptr<Lock> lock = MakeLock(env, client_context, 0);
  const std::vector<std::string> names = workload.Keys();
  for (size_t i = 0; i < workload.LockCount(); ++i) {
    const LockKey key{.name = names[i], .index = static_cast<uint16_t>(i)};
    const ProbeTerms terms{
        .lease = plan.lease,
        .grace = plan.grace,
        .call_timeout = plan.call_timeout,
        .own_wait = plan.driver ? DriverLock::WaitOf(plan.call_timeout) : Duration{}};
    std::optional<LibraryKeys> of_library;
    if (plan.driver) {
      const AskKeys ask = AskForKeys(env, plan.driver->service, key.name, plan.lease);
      of_library.emplace(env, LockNodesOf(plan), key, terms, ask).Look();
    } else if (const LockEntry& lock_entry = *FindLock(plan.lock); !lock_entry.end_is_in_value) {
      RecordLeftovers(env, lock_entry, LockNodesOf(plan), key, terms);
    }
    Probe(env, *lock, key, terms);
    if (of_library) of_library->Record(*lock);
  }
  workload.Finish(env);
}

}  // namespace doublehold
