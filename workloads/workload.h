// What a workload is: what clients do with the lock, in four phases. It records what happened; it
// never judges.
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

// One client's means: its lock, how it waits, its world. All outlive the workload.
struct Session {
  Env& env;
  Lock& lock;
  int client = 0;
  int thread = 0;  // of the client
  Lease lease{};
  RetryPolicy policy;
};

// Made anew for each session, and for each phase of one run. Not thread-safe.
class Workload {
 public:
  virtual ~Workload() = default;

  // In the referee, before any client starts. False: the store did not answer.
  [[nodiscard]] virtual bool Setup(Env& env) = 0;
  // In each client, over and over until the run ends: one customer.
  virtual void Step(Session& session) = 0;
  // In the referee, after all clients ended and all faults were healed.
  virtual void Finish(Env& env) = 0;
  // The names of what clients use, in the order of Event::key. The first LockCount() are the names
  // of lock keys; what comes after is used under one of their locks: no hold has its key, and
  // nobody probes it.
  [[nodiscard]] virtual std::vector<std::string> Keys() const = 0;
  [[nodiscard]] virtual size_t LockCount() const { return Keys().size(); }
};

struct WorkloadEntry {
  std::string_view name;
  std::string_view summary;
  std::vector<OptionSpec> options{};
  std::vector<std::string_view> claims{};     // that it gives something to judge
  std::vector<std::string_view> on_demand{};  // likewise, but judged only when the experiment asks
  std::vector<Trait> needs{};                 // of the lock
  std::vector<doublehold::Step> steps{};  // that its sections announce, besides those of WithLock
  // Why a lock cannot serve it with these options, and which one could; empty when it can. Null:
  // every lock that has what it needs, and takes locks at all.
  std::string (*misfit)(const Options&, const LockEntry&) = nullptr;
  // To the store, besides what its way of writing stock does. Nothing: it is not known.
  std::optional<Sends> sends{};
  std::unique_ptr<Workload> (*make)(const Options&) = nullptr;
};

// Empty when the lock can serve the workload; else one line that says what it would need.
std::string WhyMisfit(const WorkloadEntry& workload, const Options& options, const LockEntry& lock);

// For WorkloadEntry::make.
template <typename Kind>
std::unique_ptr<Workload> MakeWorkload(const Options& options) {
  return std::make_unique<Kind>(options);
}

std::span<const WorkloadEntry> Workloads();
// Null when there is none of that name.
const WorkloadEntry* FindWorkload(std::string_view name);

}  // namespace doublehold

#endif  // DOUBLEHOLD_WORKLOADS_WORKLOAD_H_
