// What the fuzz target checks about one input. libFuzzer calls it, and so does a unit test with the
// corpus that it left. A property that does not hold ends the program (CHECK).
#ifndef DOUBLEHOLD_CHECKER_LINEAR_FUZZ_CASES_H_
#define DOUBLEHOLD_CHECKER_LINEAR_FUZZ_CASES_H_

#include <string_view>

namespace doublehold {

// The first byte chooses a model, the second its parameters; each four that follow are an
// operation, up to seven of them. The search says what every order says; what it has no order for
// it can explain; and a search that is cut short says "unknown" or the same.
void CheckSearch(std::string_view input);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_FUZZ_CASES_H_
