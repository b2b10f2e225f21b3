// A session of a Doublehold lock, as a driver serves it: the counterpart of DriverLock.
//
// An acquire waits by the retry policy. Every call has the policy's call timeout.
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

// Returns the abilities that a driver of this lock reports, sorted. `entry` is the lock's row.
std::vector<std::string> CanOf(const LockEntry& entry, const Lock& lock);

// Handles one request at a time. Not thread-safe. The Env must outlive it.
class ServedLock {
 public:
  ServedLock(Env& env, std::unique_ptr<Lock> lock, const RetryPolicy& policy);
  ~ServedLock();
  ServedLock(const ServedLock&) = delete;
  ServedLock& operator=(const ServedLock&) = delete;

  // Handles an acquire, extend or release.
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
      grants_;  // by the grant's name in the protocol; removed when certainly released
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_DRIVER_SERVED_LOCK_H_
