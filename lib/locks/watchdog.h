// Extends the leases of its client's grants, every third of the lease, in a task of its own, until
// each is left, lost, or the process ends. A stopped process stops its watchdog too.
//
// Thread rule: Guard and Leave from the lock's task. A grant that Leave was called for is not
// extended any more, except by an extension that is already on its way. Guard comes before the
// grant is in the history: should the lock's task stand still in between, the first extension is
// recorded before it, and whoever reads the history must expect that.
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
  // One extension on all nodes; called on the watchdog's task, with its own Env and connections.
  using Renew = ExtendResult (*)(Env&, Nodes, const Grant&, Lease, Deadline);
  struct Care {
    Lease lease{};
    int nodes = 1;
    bool once =
        false;  // an extension of unknown outcome is the last one: a defect of released libraries
  };

  // The task begins with the first grant.
  Watchdog(Env& env, Renew renew, Care care) : env_(env), renew_(renew), care_(care) {}

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
  Renew renew_;
  Care care_;
  std::mutex mutex_;
  std::vector<Guarded> guarded_;  // under mutex_; a client holds few locks at a time
  std::unique_ptr<Task> task_;    // last: it uses the rest
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_WATCHDOG_H_
