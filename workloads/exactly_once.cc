// exactly-once: several clients finish the same task at the same time (seed 001); its result must
// be saved once. While a client holds the lock, it checks whether the task has a result. If not,
// the client works and saves a result. Each time slot has one task. Every client takes this task,
// so that all clients compete.
//
//   In the store: dh:results  a list with an entry for each result: the number of its task

#include <algorithm>
#include <optional>
#include <set>

#include "lib/locks/with_lock.h"
#include "workloads/pace.h"
#include "workloads/store.h"
#include "workloads/workload.h"

namespace doublehold {
namespace {

constexpr std::string_view kResults = "dh:results";

class ExactlyOnce final : public Workload {
 public:
  explicit ExactlyOnce(const Options& options)
      : slot_(std::max<Duration>(options.Span("slot"), 1ms)),
        pace_(options),
        store_timeout_(options.Span("store-timeout")) {}

  bool Setup(Env& env) override {
    return Store(env, store_timeout_).Call({"DEL", kResults}).has_value();
  }

  void Step(Session& session) override {
    if (!store_) store_.emplace(session.env, store_timeout_);
    task_ = AwaitNextTask(session.env);
    WithLock(session.env, session.lock, key_, session.lease, session.policy,
             [&](const Grant& grant) { FinishTask(session.env, grant); });
    pace_.Think(session.env);
  }

  void Finish(Env& env) override {
    const CallResult results = Store(env, store_timeout_).Call({"LRANGE", kResults, "0", "-1"});
    if (!results) return;  // without a `final` event the claim is undecided
    std::set<std::string> tasks;
    for (const Reply& result : results->items) tasks.insert(result.text);
    env.Record({.key = key_.index,
                .op = Op::kFinal,
                .type = EventType::kOk,
                .value = {static_cast<int64_t>(tasks.size()),
                          static_cast<int64_t>(results->items.size())}});
  }

  std::vector<std::string> Keys() const override { return {key_.name}; }

 private:
  // Returns the task of the current slot. If this client has already taken this task, waits for the
  // next slot.
  int64_t AwaitNextTask(Env& env) const {
    const MonoTime now = env.Mono();
    const int64_t since_ns = env.SinceStartNs(now);
    const int64_t due = since_ns / slot_.count();
    if (due > task_) return due;
    env.SleepUntil(now + Duration((task_ + 1) * slot_.count() - since_ns));
    return task_ + 1;
  }

  void FinishTask(Env& env, const Grant& grant) {
    const std::string task = std::to_string(task_);
    // Searches from the end of the list, where the latest tasks are.
    const CallResult before = store_->Call({"LPOS", kResults, task, "RANK", "-1"});
    if (!before) return;
    env.Reach(Step::kAfterRead);
    Event event{.hold = grant.hold, .key = key_.index, .op = Op::kSave, .value = {task_}};
    if (!before->IsNil()) {  // another client saved it
      event.type = EventType::kInvoke;
      env.Record(event);
      event.type = EventType::kFail;
      return env.Record(event);
    }
    pace_.Work(env);
    env.Reach(Step::kBeforeWrite);
    event.type = EventType::kInvoke;
    env.Record(event);
    event.type = TypeOf(store_->Call({"RPUSH", kResults, task}));
    env.Record(event);
    env.Reach(Step::kAfterWrite);
  }

  LockKey key_{.name = "dh:task", .index = 0};
  Duration slot_;
  Pace pace_;
  Duration store_timeout_;
  int64_t task_ = -1;           // the task that this client took last
  std::optional<Store> store_;  // in a client's session
};

}  // namespace

WorkloadEntry ExactlyOnceWorkload() {
  std::vector<OptionSpec> options = PaceOptions("0.02 lease", "0s");
  options.push_back({.name = "slot",
                     .kind = OptionSpec::Kind::kDuration,
                     .fallback = "0.1 lease",
                     .help = "interval between two tasks, at least 1 ms"});
  options.push_back(StoreTimeoutOption());
  return {
      .name = "exactly-once",
      .summary = "several clients finish the same task at once; its result may be saved only once",
      .options = std::move(options),
      .claims = {"exclusion", "lease-exclusion", "release", "exactly-once", "liveness"},
      .steps = {Step::kAfterRead, Step::kBeforeWrite, Step::kAfterWrite},
      .sends = Sends{{"LPOS RPUSH", "dh:results"}},
      .make = MakeWorkload<ExactlyOnce>};
}

}  // namespace doublehold
