#include "compose/client/stay_idle.h"

#include <algorithm>

namespace doublehold {
namespace {

Event IdleEvent(EventType type) { return {.op = Op::kIdle, .type = type}; }

}  // namespace

bool JudgesIdle(const Plan& plan) {
  return std::ranges::find(plan.claims, "idle-traffic") != plan.claims.end();
}

bool JudgesTraffic(const Plan& plan) {
  return std::ranges::find(plan.claims, "commands-per-hold") != plan.claims.end();
}

void StayIdle(Env& env, Lease lease) {
  env.Record(IdleEvent(EventType::kInvoke));
  [[maybe_unused]] const bool to_the_end = env.SleepUntil(env.Mono() + lease);
  env.Record(IdleEvent(EventType::kOk));
}

}  // namespace doublehold
