#include "lib/locks/with_lock.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace doublehold {

LockKey MakeLockKey(std::string_view prefix, std::initializer_list<std::string_view> fields) {
  return {.name = fmt::format("{}:{}", prefix, fmt::join(fields, "_")), .index = 0};
}

HeldLock::~HeldLock() {
  const bool throwing = std::uncaught_exceptions() > exceptions_;
  if (throwing && lock_.StaysLockedOnThrow()) {
    env_.Record(
        {.hold = grant_.hold, .key = grant_.key.index, .op = Op::kLeave, .type = EventType::kInfo});
  } else {
    [[maybe_unused]] const ReleaseResult result = Release();
  }
}

ReleaseResult HeldLock::Release() {
  if (released_) return *released_;
  env_.Reach(Step::kBeforeRelease);
  released_ = lock_.Release(grant_, env_.Mono() + call_timeout_);
  env_.Reach(Step::kAfterRelease);
  return *released_;
}

}  // namespace doublehold
