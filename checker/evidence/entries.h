// Entries: when a client that needs several keys had acquired all of them.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_ENTRIES_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_ENTRIES_H_

#include "checker/evidence/holds.h"

namespace doublehold {

// Sets Hold::entered_ns of holds that were granted while their session waited for further keys. A
// client that needs several keys enters its section only after it has acquired all of them, or when
// it reads or writes under the hold. Before that, the claim `exclusion` does not count its granted
// locks as held.
//
//   c1 item-0:  Q-A-a======R-r      never entered: c1 released item-0 when item-1 was refused
//   c1 item-1:  Q-----A-x-q
void MarkEntries(const History& history, Holds& holds);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_ENTRIES_H_
