// cycle: acquire and release with nothing in between, to measure throughput and latency of the
// lock.

#include "lib/locks/with_lock.h"
#include "workloads/workload.h"

namespace doublehold {
namespace {

class Cycle final : public Workload {
 public:
  explicit Cycle(const Options& options) : think_(options.Span("think")) {}

  bool Setup(Env& /*env*/) override { return true; }

  void Step(Session& session) override {
    WithLock(session.env, session.lock, key_, session.lease, session.policy, [](const Grant&) {});
    if (think_ > Duration::zero()) {
      session.env.SleepUntil(session.env.Mono() + session.env.Random().Exponential(think_));
    }
  }

  void Finish(Env& /*env*/) override {}

  std::vector<std::string> Keys() const override { return {key_.name}; }

 private:
  LockKey key_{.name = "dh:item:0", .index = 0};
  Duration think_;
};

}  // namespace

WorkloadEntry CycleWorkload() {
  return {.name = "cycle",
          .summary = "acquire and release with nothing in between, to measure speed",
          .options = {{.name = "think",
                       .kind = OptionSpec::Kind::kDuration,
                       .fallback = "0s",
                       .help = "mean pause of a client between two cycles"}},
          .claims = {"exclusion", "lease-exclusion", "liveness"},
          .sends = Sends{},
          .make = MakeWorkload<Cycle>};
}

}  // namespace doublehold
