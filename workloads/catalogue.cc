// catalogue: a record in two halves, which have the same version unless a write is in progress.
// Writers acquire the lock exclusively and write both halves, with work in between. Readers acquire
// the lock shared, if the variant has readers, and read both halves, with work in between. Versions
// are never reused, so that halves of two writes differ.
//
// With `downgrades`, some writers also acquire the lock shared while they hold it exclusively, then
// release it exclusively, and read as a reader: the usual way to read what one has just written.
//
// In the store:
//   dh:catalogue:first, dh:catalogue:second  the version of each half
//   dh:catalogue:last                        the largest version so far
//
// Steps: a reader announces after-read after it has read the first half. A writer announces
// before-write after it has written the first half.
//
// A write without a reply is recorded as `info`, and the record is not repaired. If the halves
// differ after such a write, this does not prove that the lock failed.

#include <optional>

#include "lib/locks/with_lock.h"
#include "workloads/pace.h"
#include "workloads/store.h"
#include "workloads/workload.h"

namespace doublehold {
namespace {

constexpr std::string_view kFirst = "dh:catalogue:first";
constexpr std::string_view kSecond = "dh:catalogue:second";
constexpr std::string_view kLast = "dh:catalogue:last";

class Catalogue final : public Workload {
 public:
  explicit Catalogue(const Options& options)
      : writers_(options.Number("writers")),
        downgrades_(options.Number("downgrades")),
        pace_(options),
        store_timeout_(options.Span("store-timeout")) {}

  bool Setup(Env& env) override {
    return Store(env, store_timeout_)
        .Call({"MSET", kFirst, "0", kSecond, "0", kLast, "0"})
        .has_value();
  }

  void Step(Session& session) override {
    if (!store_) store_.emplace(session.env, store_timeout_);
    Env& env = session.env;
    const bool writes = env.Random().Unit() < writers_;
    const bool downgrades = writes && downgrades_ > 0 && env.Random().Unit() < downgrades_;
    const LockKey key{.name = kName, .index = 0, .shared = !writes};
    std::optional<HeldLock> reading;
    WithLock(env, session.lock, key, session.lease, session.policy, [&](const Grant& grant) {
      writes ? Write(env, grant) : Look(env, grant);
      if (downgrades) Downgrade(session, reading);
    });
    if (reading) Look(env, reading->grant());
    reading.reset();  // releases it
    pace_.Think(env);
  }

  void Finish(Env& /*env*/) override {}

  std::vector<std::string> Keys() const override { return {kName}; }

 private:
  static constexpr const char* kName = "dh:catalogue";

  // Acquires the lock shared too.
  static void Downgrade(Session& session, std::optional<HeldLock>& reading) {
    const LockKey key{.name = kName, .index = 0, .shared = true};
    AcquireResult result = AwaitLock(session.env, session.lock, key, session.lease, session.policy);
    if (auto* granted = std::get_if<Granted>(&result)) {
      reading.emplace(session.env, session.lock, std::move(granted->grant),
                      session.policy.call_timeout);
    }
  }

  void Look(Env& env, const Grant& grant) {
    Event event{.hold = grant.hold, .op = Op::kLook, .type = EventType::kInvoke};
    env.Record(event);
    const std::optional<int64_t> first = store_->Get(kFirst);
    if (!first) return;
    env.Reach(Step::kAfterRead);
    pace_.Work(env);
    const std::optional<int64_t> second = store_->Get(kSecond);
    if (!second) return;
    event.type = EventType::kOk;
    event.value = {*first, *second};
    env.Record(event);
  }

  void Write(Env& env, const Grant& grant) {
    const std::optional<int64_t> before = store_->Get(kFirst);
    if (!before) return;
    const CallResult last = store_->Call({"INCR", kLast});
    if (!last) return;
    Event event{.hold = grant.hold,
                .op = Op::kWrite,
                .type = EventType::kInvoke,
                .value = {*before, last->integer}};
    env.Record(event);
    event.type = WriteBoth(env, std::to_string(last->integer));
    env.Record(event);
    env.Reach(Step::kAfterWrite);
  }

  // Returns kFail only if neither half was written.
  EventType WriteBoth(Env& env, const std::string& version) {
    const CallResult first = store_->Call({"SET", kFirst, version});
    if (!first) return TypeOf(first.error());
    pace_.Work(env);
    env.Reach(Step::kBeforeWrite);
    const CallResult second = store_->Call({"SET", kSecond, version});
    return second ? EventType::kOk : EventType::kInfo;
  }

  double writers_;
  double downgrades_;
  Pace pace_;
  Duration store_timeout_;
  std::optional<Store> store_;  // in a client's session
};

}  // namespace

WorkloadEntry CatalogueWorkload() {
  std::vector<OptionSpec> options{{.name = "writers",
                                   .kind = OptionSpec::Kind::kNumber,
                                   .fallback = "0.2",
                                   .help = "share of the steps that write; the others read",
                                   .most = 1},
                                  {.name = "downgrades",
                                   .kind = OptionSpec::Kind::kNumber,
                                   .fallback = "0",
                                   .help = "share of the writers that go on as readers",
                                   .most = 1}};
  for (const OptionSpec& option : PaceOptions("0.02 lease", "0.01 lease")) {
    options.push_back(option);
  }
  options.push_back(StoreTimeoutOption());
  return {.name = "catalogue",
          .summary = "a record in two halves: many readers or one writer, and no torn read",
          .options = std::move(options),
          .claims = {"exclusion", "lease-exclusion", "release", "torn-read", "liveness"},
          .steps = {Step::kAfterRead, Step::kBeforeWrite, Step::kAfterWrite},
          .sends = Sends{{"GET SET", "dh:catalogue:first"},
                         {"GET SET", "dh:catalogue:second"},
                         {"INCR", "dh:catalogue:last"}},
          .make = MakeWorkload<Catalogue>};
}

}  // namespace doublehold
