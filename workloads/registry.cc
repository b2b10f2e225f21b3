#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "workloads/workload.h"

// The registry: one line for each workload, in the order of `doublehold list workloads`. Each row
// is a function in the workload's own file.
#define DOUBLEHOLD_WORKLOADS(ROW) \
  ROW(InventoryWorkload)          \
  ROW(ExactlyOnceWorkload)        \
  ROW(BasketWorkload)             \
  ROW(CatalogueWorkload)          \
  ROW(NestedWorkload)             \
  ROW(QueueWorkload)              \
  ROW(LongHoldWorkload)           \
  ROW(AbandonWorkload)            \
  ROW(CycleWorkload)

namespace doublehold {

#define DOUBLEHOLD_DECLARE(row) WorkloadEntry row();
DOUBLEHOLD_WORKLOADS(DOUBLEHOLD_DECLARE)
#undef DOUBLEHOLD_DECLARE

std::span<const WorkloadEntry> Workloads() {
#define DOUBLEHOLD_CALL(row) row(),
  static const std::array entries{DOUBLEHOLD_WORKLOADS(DOUBLEHOLD_CALL)};
#undef DOUBLEHOLD_CALL
  return entries;
}

const WorkloadEntry* FindWorkload(std::string_view name) {
  for (const WorkloadEntry& entry : Workloads()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

std::string WhyMisfit(const WorkloadEntry& workload, const Options& options,
                      const LockEntry& lock) {
  for (const Trait need : workload.needs) {
    if (lock.Has(need)) continue;
    return fmt::format("workload {} needs a lock that {} ({}), not {}", workload.name, Name(need),
                       fmt::join(LocksWith(need), ", "), lock.name);
  }
  if (lock.Has(Trait::kLockFree) && !workload.accepts_lock_free) {
    return fmt::format("workload {} needs a lock, and {} takes none (it is for workload inventory)",
                       workload.name, lock.name);
  }
  return workload.incompatibility == nullptr ? "" : workload.incompatibility(options, lock);
}

}  // namespace doublehold
