// abandon: acquire, work, release. Every step is announced, so that `crash` faults can kill a
// holder at any of them. The lock must become free within lease + grace.

#include "lib/locks/with_lock.h"
#include "workloads/pace.h"
#include "workloads/workload.h"

namespace doublehold {
namespace {

class Abandon final : public Workload {
 public:
  explicit Abandon(const Options& options) : pace_(options) {}

  bool Setup(Env& /*env*/) override { return true; }

  void Step(Session& session) override {
    Env& env = session.env;
    WithLock(env, session.lock, key_, session.lease, session.policy, [&](const Grant&) {
      env.Reach(Step::kAfterRead);
      pace_.Work(env);
      env.Reach(Step::kBeforeWrite);
      env.Reach(Step::kAfterWrite);
    });
    pace_.Think(env);
  }

  void Finish(Env& /*env*/) override {}

  std::vector<std::string> Keys() const override { return {key_.name}; }

 private:
  LockKey key_{.name = "dh:abandoned", .index = 0};
  Pace pace_;
};

}  // namespace

WorkloadEntry AbandonWorkload() {
  return {.name = "abandon",
          .summary = "acquire, work, release; for holders that are killed at a step",
          .options = PaceOptions("0.02 lease", "0.01 lease"),
          .claims = {"exclusion", "lease-exclusion", "release", "liveness"},
          .steps = {Step::kAfterRead, Step::kBeforeWrite, Step::kAfterWrite},
          .sends = Sends{},
          .make = MakeWorkload<Abandon>};
}

}  // namespace doublehold
