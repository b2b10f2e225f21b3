// Extends the leases of its client's grants every third of the lease, in a task of its own. Stops
// extending a grant when Leave is called, when the grant is lost, or when the process ends.
// Stopping the process stops its watchdog too.
//
// Thread rule: call Guard and Leave from the lock's task. After Leave, no extension of the grant
// begins. An extension may still be in flight. Guard is called before the grant is recorded. If the
// lock's task stalls in between, the history has the first extension before the grant. Checkers
// must accept such a history.
#ifndef DOUBLEHOLD_LIB_LOCKS_WATCHDOG_H_
#define DOUBLEHOLD_LIB_LOCKS_WATCHDOG_H_

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "lib/base/env.h"
#include "lib/locks/lock.h"

namespace doublehold {

class Watchdog {
 public:
  // Extends a grant. Used on the watchdog's task only.
  using Renewal = std::function<ExtendResult(const Grant&, Lease, Deadline)>;
  // Called once, on the watchdog's task with the task's Env, which outlives the renewal.
  using MakeRenewal = std::function<Renewal(Env&)>;
  struct Care {
    Lease lease{};
    bool once = false;  // stops after an extension of unknown outcome, a defect of some libraries
  };

  // The task starts with the first grant.
  Watchdog(Env& env, MakeRenewal make, Care care)
      : env_(env), make_(std::move(make)), care_(care) {}

  void Guard(const Grant& grant);
  void Leave(const Grant& grant);

 private:
  struct Guarded {
    Grant grant;
    MonoTime due;  // time of the next extension
  };

  void Run(Env& env);
  [[nodiscard]] std::optional<Grant> NextDue(MonoTime now, MonoTime& wake);
  void SetNextExtension(const Grant& grant, std::optional<MonoTime> next);

  Env& env_;
  MakeRenewal make_;
  Care care_;
  std::mutex mutex_;
  std::vector<Guarded> guarded_;  // guarded by mutex_; a client holds few locks at a time
  std::unique_ptr<Task> task_;    // declared last, because the task uses the other members
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_WATCHDOG_H_
