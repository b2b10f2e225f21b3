// queue: clients arrive at random and ask for the lock more often than it can serve them. The
// workload shows which client is granted next, and which waits longest. Clients wait even past the
// end of the run, so that no client leaves the queue.

#include <algorithm>

#include "lib/locks/with_lock.h"
#include "workloads/pace.h"
#include "workloads/workload.h"

namespace doublehold {
namespace {

class Queue final : public Workload {
 public:
  explicit Queue(const Options& options) : patience_(options.Span("patience")), pace_(options) {}

  bool Setup(Env& /*env*/) override { return true; }

  // Pauses first, so that clients do not all arrive at the start.
  void Step(Session& session) override {
    pace_.Think(session.env);
    RetryPolicy policy = session.policy;
    policy.timeout = std::max(policy.timeout, patience_);
    policy.retries = -1;
    WithLock(session.env, session.lock, key_, session.lease, policy,
             [&](const Grant&) { pace_.Work(session.env); });
  }

  void Finish(Env& /*env*/) override {}

  std::vector<std::string> Keys() const override { return {key_.name}; }

 private:
  LockKey key_{.name = "dh:queue", .index = 0};
  Duration patience_;
  Pace pace_;
};

}  // namespace

WorkloadEntry QueueWorkload() {
  std::vector<OptionSpec> options = PaceOptions("0.04 lease", "0.04 lease");
  options.push_back({.name = "patience",
                     .kind = OptionSpec::Kind::kDuration,
                     .fallback = "5 lease",
                     .help = "the shortest time for which a client waits before it gives up"});
  return {
      .name = "queue",
      .summary = "clients arrive at random and wait: compares the orders of arrival and of grants",
      .options = std::move(options),
      .claims = {"exclusion", "lease-exclusion", "release", "order", "liveness"},
      .sends = Sends{},
      .make = MakeWorkload<Queue>};
}

}  // namespace doublehold
