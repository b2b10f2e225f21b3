#include "lib/locks/watchdog.h"

#include <algorithm>

#include "lib/locks/recorded_lock.h"

namespace doublehold {
namespace {

constexpr int kExtensionsPerLease = 3;
// A failed extension is tried again after 1/10 of the lease, so that several tries fit before the
// lease ends.
constexpr int kRetriesPerLease = 10;

}  // namespace

void Watchdog::Guard(const Grant& grant) {
  const MonoTime due = env_.Mono() + care_.lease / kExtensionsPerLease;
  {
    const std::lock_guard lock(mutex_);
    guarded_.push_back({.grant = grant, .due = due});
  }
  if (!task_) task_ = env_.Spawn(TaskKind::kWatchdog, [this](Env& env) { Run(env); });
}

void Watchdog::Leave(const Grant& grant) {
  const std::lock_guard lock(mutex_);
  std::erase_if(guarded_, [&](const Guarded& g) { return g.grant.hold == grant.hold; });
}

// A new grant does not wake this task. The task sleeps at most a third of the lease, so it sees
// every grant before the time of the grant's first extension.
void Watchdog::Run(Env& env) {
  const Renewal renew = make_(env);
  MonoTime wake = env.Mono();
  while (env.SleepUntil(wake)) {
    wake = env.Mono() + care_.lease / kExtensionsPerLease;
    while (const std::optional<Grant> grant = NextDue(env.Mono(), wake)) {
      const MonoTime invoked = env.Mono();
      const ExtendResult result = RecordExtend(env, *grant, care_.lease, [&] {
        return renew(*grant, care_.lease, invoked + care_.lease / kExtensionsPerLease);
      });
      if (std::holds_alternative<Extended>(result)) {
        SetNextExtension(*grant, invoked + care_.lease / kExtensionsPerLease);
      } else if (std::holds_alternative<Lost>(result) || care_.once) {
        SetNextExtension(*grant, std::nullopt);
      } else {
        SetNextExtension(*grant, env.Mono() + care_.lease / kRetriesPerLease);
      }
    }
  }
}

// Returns a grant whose time of extension has come. If there is none, sets `wake` to the earliest
// time of an extension, unless `wake` is already earlier.
std::optional<Grant> Watchdog::NextDue(MonoTime now, MonoTime& wake) {
  const std::lock_guard lock(mutex_);
  for (const Guarded& guarded : guarded_) {
    if (guarded.due <= now) return guarded.grant;
    wake = std::min(wake, guarded.due);
  }
  return std::nullopt;
}

void Watchdog::SetNextExtension(const Grant& grant, std::optional<MonoTime> next) {
  const std::lock_guard lock(mutex_);
  for (Guarded& guarded : guarded_) {
    if (guarded.grant.hold == grant.hold && next) guarded.due = *next;
  }
  if (next) return;
  std::erase_if(guarded_, [&](const Guarded& g) { return g.grant.hold == grant.hold; });
}

}  // namespace doublehold
