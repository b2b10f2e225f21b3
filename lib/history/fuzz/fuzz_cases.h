// Properties that the fuzz targets check on one input. libFuzzer calls these functions, and a unit
// test calls them on the stored corpus. A violated property ends the program (CHECK).
#ifndef DOUBLEHOLD_LIB_HISTORY_FUZZ_FUZZ_CASES_H_
#define DOUBLEHOLD_LIB_HISTORY_FUZZ_FUZZ_CASES_H_

#include <string_view>

#include "lib/history/foreign/form_reader.h"

namespace doublehold {

// Reads a text to its end, skipping errors. Checks:
// - forms, lines and errors do not depend on how the text is cut into stretches;
// - line numbers never decrease;
// - ReadOpLog reads the text, or refuses it with a message of one line.
//
// The first input byte chooses the size of the stretches.
void CheckReader(LogFormat format, std::string_view input);

// Checks that a text is read as history.jsonl, or refused with a message of one line. The result
// must not depend on the stretches, or on whether Scan or the parser reads the lines. The first
// input byte chooses the size of the stretches.
void CheckHistory(std::string_view input);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_FUZZ_FUZZ_CASES_H_
