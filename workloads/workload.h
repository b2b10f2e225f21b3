// A workload defines how clients use the lock. It records events and does not judge them.
#ifndef DOUBLEHOLD_WORKLOADS_WORKLOAD_H_
#define DOUBLEHOLD_WORKLOADS_WORKLOAD_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/env.h"
#include "lib/base/options.h"
#include "lib/base/sends.h"
#include "lib/locks/registry.h"
#include "lib/locks/retry.h"

namespace doublehold {

// A client's session: its lock, its retry policy and its Env. All outlive the workload.
struct Session {
  Env& env;
  Lock& lock;
  int client = 0;
  int thread = 0;  // index among the client's sessions
  Lease lease{};
  RetryPolicy policy;
  MonoTime ends = MonoTime::max();  // when the run ends, unless it ends early or by sections
};

// Each session, and each phase in the referee, makes a Workload of its own. Not thread-safe.
class Workload {
 public:
  virtual ~Workload() = default;

  // Called in the referee before any client starts. Returns false if the store did not answer.
  [[nodiscard]] virtual bool Setup(Env& env) = 0;
  // Serves one customer. Called repeatedly in each session until the run ends.
  virtual void Step(Session& session) = 0;
  // Called in the referee after all clients have ended and all faults were healed.
  virtual void Finish(Env& env) = 0;
  // Returns the names of keys, in the order of Event::key. The first LockCount() are lock keys. The
  // other keys are data keys, which one of these locks protects. Data keys have no holds and are
  // not probed.
  [[nodiscard]] virtual std::vector<std::string> Keys() const = 0;
  [[nodiscard]] virtual size_t LockCount() const { return Keys().size(); }
};

struct WorkloadEntry {
  std::string_view name;
  std::string_view summary;
  std::vector<OptionSpec> options{};
  std::vector<std::string_view> claims{};  // claims for which the workload provides evidence
  // Further such claims, judged only on demand, besides those about any lock (About::kAnyLock).
  std::vector<std::string_view> on_demand{};
  std::vector<Trait> needs{};             // traits that the lock needs
  std::vector<doublehold::Step> steps{};  // announced steps, besides those of WithLock
  bool accepts_lock_free = false;         // whether locks that acquire nothing fit (kLockFree)
  // Returns why a lock does not fit these options, with the name of a lock that fits. Returns "" if
  // the lock fits. If null, every lock with the needed traits fits.
  std::string (*incompatibility)(const Options&, const LockEntry&) = nullptr;
  // Commands to the store, besides those of the stock writer. Empty if not known.
  std::optional<Sends> sends{};
  std::unique_ptr<Workload> (*make)(const Options&) = nullptr;
};

// Returns "" if the lock fits the workload. Otherwise returns one line with the missing trait or
// the incompatibility.
std::string WhyMisfit(const WorkloadEntry& workload, const Options& options, const LockEntry& lock);

// An implementation of WorkloadEntry::make.
template <typename Kind>
std::unique_ptr<Workload> MakeWorkload(const Options& options) {
  return std::make_unique<Kind>(options);
}

std::span<const WorkloadEntry> Workloads();
// Returns null if no workload has this name.
const WorkloadEntry* FindWorkload(std::string_view name);

}  // namespace doublehold

#endif  // DOUBLEHOLD_WORKLOADS_WORKLOAD_H_
