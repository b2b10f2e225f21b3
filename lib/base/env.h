// The only way for lock, retry and workload code to reach the outside: time, tasks, randomness,
// clients of services and the history.
// Two implementations: the real one (threads, sockets, the machine's clocks) and the simulated one
// (virtual time).
#ifndef DOUBLEHOLD_LIB_BASE_ENV_H_
#define DOUBLEHOLD_LIB_BASE_ENV_H_

#include <functional>
#include <memory>

#include "lib/base/event.h"
#include "lib/base/node.h"
#include "lib/base/prng.h"
#include "lib/base/step.h"
#include "lib/base/time.h"

namespace doublehold {

class Clients;  // lib/clients/clients.h

// A running task. The destructor asks the task to stop, which ends its SleepUntil early, and waits
// until the task returns.
class Task {
 public:
  virtual ~Task() = default;
};

// Used by one task only. Spawn gives the new task an Env of its own.
class Env {
 public:
  virtual ~Env() = default;

  [[nodiscard]] virtual MonoTime Mono() = 0;
  [[nodiscard]] virtual WallTime Wall() = 0;

  // Returns false when the task was asked to stop. The task should then return soon.
  virtual bool SleepUntil(MonoTime time) = 0;
  // Whether the run is ending early. If so, the caller must start no new operation.
  [[nodiscard]] virtual bool Stopping() = 0;

  // The task's ways to the services. Lock code reaches them through its LockContext.
  [[nodiscard]] virtual Clients& clients() = 0;
  [[nodiscard]] virtual std::unique_ptr<Task> Spawn(TaskKind kind,
                                                    std::function<void(Env&)> body) = 0;

  [[nodiscard]] virtual Prng& Random() = 0;

  // Announces a step of the session. A fault may stop the process exactly here.
  virtual void Reach(Step step) = 0;

  // Appends an event to the history. Sets its `at_ns`, `client` and `task`.
  virtual void Record(Event event) = 0;
  // Converts a time to the form used in events: ns since the start of the run. MonoTime::max()
  // becomes INT64_MAX.
  [[nodiscard]] virtual int64_t SinceStartNs(MonoTime time) = 0;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_ENV_H_
