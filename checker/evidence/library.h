// The words with which a driver declares its library (docs/driver-protocol.md).
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_LIBRARY_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_LIBRARY_H_

#include <algorithm>
#include <string_view>

#include "lib/history/history.h"

namespace doublehold {

// Whether a library serves the lock, and its driver declares the word: "lease", "lost".
inline bool LibraryCan(const RunFacts& facts, std::string_view word) {
  return facts.library && std::ranges::find(facts.library->can, word) != facts.library->can.end();
}

// Whether a watchdog of the library may extend leases. The history does not record when.
inline bool MayExtendUnrecorded(const RunFacts& facts) { return LibraryCan(facts, "watchdog"); }

// Whether every lease has an end, and no watchdog of a library extends leases without a record.
inline bool LeasesEnd(const RunFacts& facts) {
  return !facts.library || (LibraryCan(facts, "lease") && !MayExtendUnrecorded(facts));
}

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_LIBRARY_H_
