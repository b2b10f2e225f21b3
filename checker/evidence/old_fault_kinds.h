// What kinds of faults do, for histories that do not say so themselves.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_OLD_FAULT_KINDS_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_OLD_FAULT_KINDS_H_

#include <string_view>

#include "lib/base/fault_traits.h"

namespace doublehold {

// Of the kinds of version 0.1.0, whose histories have no traits. A kind that is newer says its own
// in its registry entry, and is not added here. None of one that is not known.
FaultTraits TraitsOfOldKind(std::string_view kind);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_OLD_FAULT_KINDS_H_
