// The table of fault kinds, one line each, in the order in which they are listed. Each row is a
// function in the fault's own file.
#include <array>

#include "faults/fault.h"

#define DOUBLEHOLD_FAULTS(ROW) \
  ROW(PauseFault)              \
  ROW(CrashFault)              \
  ROW(SlowFault)               \
  ROW(DelayFault)              \
  ROW(DripFault)               \
  ROW(BandwidthFault)          \
  ROW(HoldFault)               \
  ROW(StallFault)              \
  ROW(DropFault)               \
  ROW(DuplicateFault)          \
  ROW(ResetFault)              \
  ROW(BlackHoleFault)          \
  ROW(PartitionFault)          \
  ROW(JumpFault)               \
  ROW(DriftFault)              \
  ROW(CutReplicationFault)     \
  ROW(PromoteFault)            \
  ROW(RestartFault)            \
  ROW(SnapshotFault)           \
  ROW(FlushFault)              \
  ROW(DeleteKeyFault)          \
  ROW(EvictFault)              \
  ROW(ForgetScriptsFault)      \
  ROW(StrobeFault)

namespace doublehold {

#define DOUBLEHOLD_DECLARE(row) FaultEntry row();
DOUBLEHOLD_FAULTS(DOUBLEHOLD_DECLARE)
#undef DOUBLEHOLD_DECLARE

std::span<const FaultEntry> Faults() {
#define DOUBLEHOLD_CALL(row) row(),
  static const std::array entries{DOUBLEHOLD_FAULTS(DOUBLEHOLD_CALL)};
#undef DOUBLEHOLD_CALL
  return entries;
}

const FaultEntry* FindFault(std::string_view name) {
  for (const FaultEntry& entry : Faults()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

bool Does(const FaultPlan& plan, FaultTrait trait) {
  return FindFault(plan.kind)->traits.Has(trait);
}

}  // namespace doublehold
