// cycle: acquire and release, to measure throughput and latency of the lock. A client holds the
// lock for `work`, which is 0 by default.
//
// With `every`, customers come to a session by a schedule, whether the one before was served or
// not (an open loop). A customer waits from the time at which it came. So a slow lock has no fewer
// customers, and a long wait counts in the waits of all customers behind it (no coordinated
// omission).

#include <algorithm>
#include <optional>

#include "lib/locks/with_lock.h"
#include "workloads/workload.h"

namespace doublehold {
namespace {

class Cycle final : public Workload {
 public:
  explicit Cycle(const Options& options)
      : work_(options.Span("work")), think_(options.Span("think")), every_(options.Span("every")) {}

  bool Setup(Env& /*env*/) override { return true; }

  void Step(Session& session) override {
    Env& env = session.env;
    if (every_ > Duration::zero()) {
      due_ = due_.value_or(env.Mono()) + env.Random().Exponential(every_);
      env.SleepUntil(std::min(*due_, session.ends));
      if (*due_ >= session.ends) return;
      session.policy.timeout = std::min(session.policy.timeout, session.ends - env.Mono());
    }
    WithLock(
        env, session.lock, key_, session.lease, session.policy,
        [&](const Grant&) {
          if (work_ > Duration::zero()) env.SleepUntil(env.Mono() + work_);
        },
        due_);
    if (think_ > Duration::zero()) env.SleepUntil(env.Mono() + env.Random().Exponential(think_));
  }

  void Finish(Env& /*env*/) override {}

  std::vector<std::string> Keys() const override { return {key_.name}; }

 private:
  LockKey key_{.name = "dh:item:0", .index = 0};
  Duration work_;
  Duration think_;
  Duration every_;
  std::optional<MonoTime> due_{};  // when the last customer came
};

}  // namespace

WorkloadEntry CycleWorkload() {
  using Kind = OptionSpec::Kind;
  return {.name = "cycle",
          .summary = "acquire and release with nothing in between, to measure speed",
          .options = {{.name = "work",
                       .kind = Kind::kDuration,
                       .fallback = "0s",
                       .help = "how long a client holds the lock"},
                      {.name = "think",
                       .kind = Kind::kDuration,
                       .fallback = "0s",
                       .help = "mean pause of a client between two cycles"},
                      {.name = "every",
                       .kind = Kind::kDuration,
                       .fallback = "0s",
                       .help = "mean time between two customers of a session, who come by a "
                               "schedule; 0s: the next comes when the last was served"}},
          .claims = {"exclusion", "lease-exclusion", "liveness"},
          .sends = Sends{},
          .make = MakeWorkload<Cycle>};
}

}  // namespace doublehold
