// The checks of the fuzz target on one input. libFuzzer calls it, and so does a unit test with the
// stored corpus. A check that fails ends the program (CHECK).
#ifndef DOUBLEHOLD_CHECKER_LINEAR_FUZZ_CASES_H_
#define DOUBLEHOLD_CHECKER_LINEAR_FUZZ_CASES_H_

#include <string_view>

namespace doublehold {

// The first byte chooses a model, the second its parameters. Each further four bytes are an
// operation, up to seven. Checks that the search agrees with every_order.h, that it explains a
// violation, and that a limited search returns "unknown" or the same outcome.
void CheckSearch(std::string_view input);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_FUZZ_CASES_H_
