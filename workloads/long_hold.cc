// long-hold: long sections, whose client extends the lease by hand, beside short ones. Each session
// draws the key and the kind of its next section, so sessions of a client run short sections while
// another one is in a long section. A lock that extends itself is not extended by hand.
//
// The holder of a long section leaves it when the lock says that the lease is lost, and when the
// lease ends before an extension was confirmed.
//
// Steps: before-write is announced at the end of each spell of work, so before each extension too.

#include <fmt/format.h>

#include <algorithm>

#include "lib/locks/with_lock.h"
#include "workloads/pace.h"
#include "workloads/workload.h"

namespace doublehold {
namespace {

class LongHold final : public Workload {
 public:
  explicit LongHold(const Options& options)
      : keys_(static_cast<int>(options.Integer("keys"))),
        long_(options.Number("long")),
        hold_(options.Span("hold")),
        extend_every_(std::max<Duration>(options.Span("extend-every"), 1ms)),
        pace_(options) {}

  bool Setup(Env& /*env*/) override { return true; }

  void Step(Session& session) override {
    Env& env = session.env;
    const auto index = static_cast<uint16_t>(env.Random().Below(static_cast<uint64_t>(keys_)));
    const bool is_long = env.Random().Unit() < long_;
    WithLock(env, session.lock, {.name = NameOf(index), .index = index}, session.lease,
             session.policy, [&](const Grant& grant) {
               env.Reach(Step::kAfterRead);
               if (is_long) return Stay(session, grant);
               pace_.Work(env);
               env.Reach(Step::kBeforeWrite);
             });
    pace_.Think(env);
  }

  void Finish(Env& /*env*/) override {}

  std::vector<std::string> Keys() const override {
    std::vector<std::string> names;
    for (int i = 0; i < keys_; ++i) names.push_back(NameOf(i));
    return names;
  }

 private:
  static std::string NameOf(int index) { return fmt::format("dh:long:{}", index); }

  void Stay(Session& session, const Grant& grant) const {
    Env& env = session.env;
    const MonoTime leave = std::min(env.Mono() + hold_, session.ends);
    const bool has_end = grant.valid_until != MonoTime::max();
    const bool by_hand =
        !session.lock.ExtendsByItself() && (has_end || session.lock.ExtendsWithoutLease());
    MonoTime valid_until = by_hand ? grant.valid_until : MonoTime::max();
    while (env.Mono() < leave) {
      if (!env.SleepUntil(std::min({env.Mono() + extend_every_, leave, valid_until}))) return;
      env.Reach(Step::kBeforeWrite);
      if (env.Mono() >= leave) return;
      if (!by_hand) continue;
      if (env.Mono() >= valid_until) return;
      const ExtendResult result =
          session.lock.Extend(grant, session.lease, env.Mono() + session.policy.call_timeout);
      if (std::holds_alternative<Lost>(result)) return;
      if (const auto* extended = std::get_if<Extended>(&result))
        valid_until = extended->valid_until;
    }
  }

  int keys_;
  double long_;
  Duration hold_;
  Duration extend_every_;
  Pace pace_;
};

std::string WhyNotExtended(const Options& /*options*/, const LockEntry& lock) {
  if (lock.extends) return "";
  return "workload long-hold extends leases, and this driver can neither extend nor watchdog";
}

}  // namespace

WorkloadEntry LongHoldWorkload() {
  using Kind = OptionSpec::Kind;
  std::vector<OptionSpec> options{
      {.name = "keys",
       .kind = Kind::kInteger,
       .fallback = "2",
       .help = "number of locks",
       .least = 1,
       .most = 100},
      {.name = "long",
       .kind = Kind::kNumber,
       .fallback = "0.2",
       .help = "share of long sections",
       .most = 1},
      {.name = "hold",
       .kind = Kind::kDuration,
       .fallback = "3 lease",
       .help = "how long a client stays in a long section"},
      {.name = "extend-every",
       .kind = Kind::kDuration,
       .fallback = "0.3 lease",
       .help = "in a long section, the time between two extensions, at least 1 ms"}};
  for (const OptionSpec& option : PaceOptions("0.02 lease", "0.01 lease")) {
    options.push_back(option);
  }
  return {.name = "long-hold",
          .summary = "long sections, whose lease is extended by hand, beside short ones",
          .options = std::move(options),
          .claims = {"exclusion", "lease-exclusion", "release", "liveness"},
          .steps = {Step::kAfterRead, Step::kBeforeWrite},
          .incompatibility = WhyNotExtended,
          .sends = Sends{},
          .make = MakeWorkload<LongHold>};
}

}  // namespace doublehold
