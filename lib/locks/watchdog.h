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
#include <span>
#include <vector>

#include "lib/base/env.h"
#include "lib/locks/lock.h"

namespace doublehold {

// Connections to nodes 1, 2, ...
using Nodes = std::span<const std::unique_ptr<Connection>>;

class Watchdog {
 public:
  // Extends a grant on all nodes. Called on the watchdog's task with its own Env and connections.
  using Renew = ExtendResult (*)(Env&, Nodes, const Grant&, Lease, Deadline);
  struct Care {
    Lease lease{};
    int nodes = 1;
    bool once = false;  // stops after an extension of unknown outcome, a defect of some libraries
  };

  // The task starts with the first grant.
  Watchdog(Env& env, Renew renew, Care care) : env_(env), renew_(renew), care_(care) {}

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
  Renew renew_;
  Care care_;
  std::mutex mutex_;
  std::vector<Guarded> guarded_;  // guarded by mutex_; a client holds few locks at a time
  std::unique_ptr<Task> task_;    // declared last, because the task uses the other members
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_WATCHDOG_H_
