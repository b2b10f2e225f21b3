// The effects of a kind of fault, as far as the checkers need them. A kind's registry entry
// (faults/fault.h) states them, and they are stored in the history.
#ifndef DOUBLEHOLD_LIB_BASE_FAULT_TRAITS_H_
#define DOUBLEHOLD_LIB_BASE_FAULT_TRAITS_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "lib/base/trait_set.h"

namespace doublehold {

enum class FaultTrait : uint8_t {
  kStops,            // processes are stopped while it lasts
  kKills,            // processes are killed
  kSlows,            // a critical section takes longer
  kMovesClock,       // a clock is moved; nothing is stopped or delayed
  kJumps,            // a clock is moved at once, by a known distance
  kLosesData,        // a server may answer from older data than it had, or from none
  kRestarts,         // a server loses data because it ends and restarts
  kTakesOver,        // another server becomes the master
  kTakesKeys,        // keys are removed
  kBusies,           // a server is busy while the fault acts
  kLosesMessages,    // messages are lost for good
  kCutsOff,          // nothing passes while it lasts
  kDrops,            // single messages are lost, and the connection stays
  kKeepsMessages,    // messages may arrive late, after the sender has retried
  kDelays,           // each message is late by a known time
  kRepeats,          // messages are sent twice
  kCutsReplication,  // replicas receive nothing
  kSaves,            // a server writes its data to disk
  kForgetsScripts,   // a server loses its scripts
};

// Names as in histories: "moves-clock".
std::span<const std::string_view> NamesOfAll(FaultTrait);

using FaultTraits = TraitSet<FaultTrait>;

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_FAULT_TRAITS_H_
