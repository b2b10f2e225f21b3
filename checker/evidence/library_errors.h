// Counts the errors with which a driver answered calls of clients.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_LIBRARY_ERRORS_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_LIBRARY_ERRORS_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "checker/evidence/evidence.h"

namespace doublehold {

// One kind of call. A fault disturbs a call if it acts on the caller, on its links to lock servers,
// or on lock servers, and was active during the call or at most lease + grace before it.
struct CallErrors {
  std::string_view calls;  // "acquires"
  int64_t sent = 0;
  int64_t errors = 0;
  int64_t undisturbed = 0;         // calls that no fault disturbed
  int64_t undisturbed_errors = 0;  // those of them that were answered with an error
};

// Of acquires, releases and extensions, in the order of the kinds in driver-error events.
using LibraryErrors = std::array<CallErrors, 3>;
LibraryErrors CountLibraryErrors(const Evidence& evidence);

// Says that the library answered more than a tenth of the undisturbed acquires with an error. Then
// the run tested it too little for a valid claim. Returns an empty text if it did not.
std::string WhyTooManyErrors(const LibraryErrors& errors);

// "the library answered 5 of 10 acquires with an error; of the 6 that no fault disturbed, 3".
std::string DescribeErrors(const CallErrors& errors);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_LIBRARY_ERRORS_H_
