// What a kind of fault does, as far as it matters to who judges a history. A kind's registry entry
// (faults/fault.h) says it, and it travels in the history.
#ifndef DOUBLEHOLD_LIB_BASE_FAULT_TRAITS_H_
#define DOUBLEHOLD_LIB_BASE_FAULT_TRAITS_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "lib/base/trait_set.h"

namespace doublehold {

enum class FaultTrait : uint8_t {
  kStops,            // processes stand still while it lasts
  kKills,            // processes are killed
  kSlows,            // a section takes longer
  kMovesClock,       // a clock is moved, and nothing is stopped or held up
  kJumps,            // by a distance that is known, at once
  kLosesData,        // a server may answer from data older than it had, or from none
  kRestarts,         // of those, one that ends and comes back
  kTakesOver,        // another server becomes the master
  kTakesKeys,        // keys are taken away
  kBusies,           // a server does nothing else while it does that
  kLosesMessages,    // what is lost is waited for in vain, also when the fault is over
  kCutsOff,          // nothing passes while it lasts
  kDrops,            // of those, single messages: the connection stays
  kKeepsMessages,    // what is sent may arrive late, when the same was sent again
  kDelays,           // of those, each by a time that is known
  kRepeats,          // messages are sent twice
  kCutsReplication,  // replicas receive nothing
  kSaves,            // a server writes its data to disk
  kForgetsScripts,   // a server no longer knows its scripts
};

// "moves-clock", as histories spell it.
std::span<const std::string_view> NamesOfAll(FaultTrait);

using FaultTraits = TraitSet<FaultTrait>;

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_FAULT_TRAITS_H_
