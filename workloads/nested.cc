// nested: sections nested three deep under one lock, as when locked functions call each other. Some
// sections throw. The exception is caught outside the outermost section.

#include "lib/locks/with_lock.h"
#include "workloads/pace.h"
#include "workloads/workload.h"

namespace doublehold {
namespace {

class Nested final : public Workload {
 public:
  explicit Nested(const Options& options)
      : depth_(static_cast<int>(options.Integer("depth"))),
        throws_(options.Number("throws")),
        pace_(options) {}

  bool Setup(Env& /*env*/) override { return true; }

  void Step(Session& session) override {
    Prng& random = session.env.Random();
    const bool throws = random.Unit() < throws_;
    const auto level = static_cast<int>(random.Below(static_cast<uint64_t>(depth_)));
    try {
      Enter(session, 0, throws ? level : depth_);
    } catch (const SectionFailed&) {
      // WithLock has released the lock on each level, unless the variant stays locked on a throw.
    }
    pace_.Think(session.env);
  }

  void Finish(Env& /*env*/) override {}

  std::vector<std::string> Keys() const override { return {key_.name}; }

 private:
  struct SectionFailed {};

  // Works before and after the inner level. This detects an inner release that frees the lock.
  void Enter(Session& session, int level, int throws_at) {
    WithLock(session.env, session.lock, key_, session.lease, session.policy, [&](const Grant&) {
      pace_.Work(session.env);
      if (level == throws_at) throw SectionFailed{};
      if (level + 1 == depth_) return;
      Enter(session, level + 1, throws_at);
      pace_.Work(session.env);
    });
  }

  LockKey key_{.name = "dh:nested", .index = 0};
  int depth_;
  double throws_;
  Pace pace_;
};

}  // namespace

WorkloadEntry NestedWorkload() {
  using Kind = OptionSpec::Kind;
  std::vector<OptionSpec> options{{.name = "depth",
                                   .kind = Kind::kInteger,
                                   .fallback = "3",
                                   .help = "how deep the sections of a session are nested",
                                   .least = 1,
                                   .most = 100},
                                  {.name = "throws",
                                   .kind = Kind::kNumber,
                                   .fallback = "0.2",
                                   .help = "probability that a section throws at a step",
                                   .most = 1}};
  for (const OptionSpec& option : PaceOptions("0.01 lease", "0.01 lease")) {
    options.push_back(option);
  }
  return {.name = "nested",
          .summary = "nested sections under one lock, some of which throw",
          .options = std::move(options),
          .claims = {"exclusion", "lease-exclusion", "release", "reentry", "liveness"},
          .needs = {Trait::kReentry},
          .sends = Sends{},
          .make = MakeWorkload<Nested>};
}

}  // namespace doublehold
