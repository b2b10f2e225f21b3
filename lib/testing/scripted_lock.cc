#include "lib/testing/scripted_lock.h"

#include <fmt/format.h>

namespace doublehold::testing {

void ScriptedLock::Say(const std::string& what) {
  said.push_back(fmt::format("{} {}", ToMs(world_.Elapsed()), what));
}

AcquireResult ScriptedLock::TryAcquire(const LockKey& key, Lease lease, Deadline /*deadline*/) {
  Say("acquire");
  last_key = key;
  const Attempt attempt = attempts_.front();
  if (attempts_.size() > 1) attempts_.pop_front();
  Grant grant{.key = key,
              .owner = "scripted",
              .hold = ++holds_,
              .valid_until = has_leases ? world_.now + lease : MonoTime::max(),
              .token = token,
              .shared = key.shared};
  world_.Advance(attempt.takes);
  switch (attempt.outcome) {
    case Attempt::Outcome::kGranted:
      return Granted{grant};
    case Attempt::Outcome::kBusy:
      return Busy{attempt.retry_hint};
    case Attempt::Outcome::kUnknown:
      break;
  }
  return Unknown{grant};
}

ExtendResult ScriptedLock::Extend(const Grant& grant, Lease lease, Deadline /*deadline*/) {
  Say(fmt::format("extend {}", grant.hold));
  return extension.value_or(Extended{has_leases ? world_.now + lease : MonoTime::max()});
}

ReleaseResult ScriptedLock::Release(const Grant& grant, Deadline /*deadline*/) {
  Say(fmt::format("release {}", grant.hold));
  return release_answer;
}

ReleaseResult ScriptedLock::GiveUp(const LockKey& /*key*/, Deadline /*deadline*/) {
  if (!frees_on_giving_up) return give_up_answer;
  Say("give up");
  return release_answer;
}

}  // namespace doublehold::testing
