// Counts the errors with which a driver answered calls of clients.
#ifndef DOUBLEHOLD_CHECKER_EVIDENCE_LIBRARY_ERRORS_H_
#define DOUBLEHOLD_CHECKER_EVIDENCE_LIBRARY_ERRORS_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "checker/evidence/evidence.h"

namespace doublehold {

// One kind of call. A fault can explain an error until lease + grace after its end.
struct CallErrors {
  std::string_view calls;  // "acquires"
  int64_t sent = 0;
  int64_t errors = 0;
  int64_t without_fault = 0;  // errors that no fault can explain
};

// Of acquires, releases and extensions, in the order of the kinds in driver-error events.
using LibraryErrors = std::array<CallErrors, 3>;
LibraryErrors CountLibraryErrors(const Evidence& evidence);

// Says that the library answered more than a tenth of the acquires with an error while no fault was
// active. Then the run tested it too little for a valid claim. Returns an empty text if it did not.
std::string WhyTooManyErrors(const LibraryErrors& errors);

// "the library answered 5 of 10 acquires with an error, 3 of them while no fault was active".
std::string DescribeErrors(const CallErrors& errors);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_EVIDENCE_LIBRARY_ERRORS_H_
