// A session of a lock of ours as a driver serves it: what a DriverLock asks for, on the other side
// of the protocol.
//
// An acquire waits as the retry policy says; every call has the policy's call time-out.
#ifndef DOUBLEHOLD_LIB_DRIVER_SERVED_LOCK_H_
#define DOUBLEHOLD_LIB_DRIVER_SERVED_LOCK_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/env.h"
#include "lib/driver/requests.h"
#include "lib/locks/lock.h"
#include "lib/locks/registry.h"
#include "lib/locks/retry.h"

namespace doublehold {

// What a driver of this lock says that it can; `entry` is the lock's row. Sorted.
std::vector<std::string> CanOf(const LockEntry& entry, const Lock& lock);

// One request at a time, as of a Lock. The Env outlives it.
class ServedLock {
 public:
  ServedLock(Env& env, std::unique_ptr<Lock> lock, const RetryPolicy& policy);
  ~ServedLock();
  ServedLock(const ServedLock&) = delete;
  ServedLock& operator=(const ServedLock&) = delete;

  // Of an acquire, an extend or a release.
  DriverAnswer Answer(const DriverRequest& request);

 private:
  class Tries;

  DriverAnswer Acquire(const DriverRequest& request);
  DriverAnswer Extend(const DriverRequest& request);
  DriverAnswer Release(const DriverRequest& request);

  Env& env_;
  std::unique_ptr<Tries> lock_;
  RetryPolicy policy_;
  std::map<std::string, Grant>
      grants_;  // by what the driver calls them; until they are known to be released
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_DRIVER_SERVED_LOCK_H_
