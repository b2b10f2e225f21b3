// Extends the leases of its client's grants, every third of the lease, in a task of its own, until each is left, lost,
// or the process ends. A stopped process stops its watchdog too.
//
// Thread rule: Guard and Leave from the lock's task. A grant that Leave was called for is not extended any more, except
// by an extension that is already on its way.
#ifndef DOUBLEHOLD_LIB_LOCKS_WATCHDOG_H_
#define DOUBLEHOLD_LIB_LOCKS_WATCHDOG_H_

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/env.h"
#include "lib/locks/lock.h"

namespace doublehold {

class Watchdog {
 public:
  // One extension on one node; called on the watchdog's task, with its own Env and connection.
  using Renew = ExtendResult (*)(Env&, Connection&, const Grant&, Lease, Deadline);

  // The task begins with the first grant.
  Watchdog(Env& env, Lease lease, Renew renew) : env_(env), lease_(lease), renew_(renew) {}

  void Guard(const Grant& grant);
  void Leave(const Grant& grant);

 private:
  struct Guarded {
    Grant grant;
    MonoTime due;  // of the next extension
  };

  void Run(Env& env);
  [[nodiscard]] std::optional<Grant> NextDue(MonoTime now, MonoTime& wake);
  void Settle(const Grant& grant, std::optional<MonoTime> next);

  Env& env_;
  Lease lease_;
  Renew renew_;
  std::mutex mutex_;
  std::vector<Guarded> guarded_;  // under mutex_; a client holds few locks at a time
  std::unique_ptr<Task> task_;    // last: it uses the rest
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_WATCHDOG_H_
