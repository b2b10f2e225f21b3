// The table of faults, in the order in which they are listed.
#include <array>

#include "faults/kinds.h"

namespace doublehold {

std::span<const FaultEntry> Faults() {
  // clang-format off
  static const std::array entries{
      PauseFault(),
      SlowFault(),
      DelayFault(),
      HoldFault(),
      StallFault(),
      DropFault(),
      ResetFault(),
      BlackHoleFault(),
      PartitionFault(),
      JumpFault(),
      DriftFault(),
  };
  // clang-format on
  return entries;
}

const FaultEntry* FindFault(std::string_view name) {
  for (const FaultEntry& entry : Faults()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace doublehold
