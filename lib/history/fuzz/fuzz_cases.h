// Properties that the fuzz targets check on one input. libFuzzer calls these functions, and a unit
// test calls them on the stored corpus. A violated property ends the program (CHECK).
#ifndef DOUBLEHOLD_LIB_HISTORY_FUZZ_FUZZ_CASES_H_
#define DOUBLEHOLD_LIB_HISTORY_FUZZ_FUZZ_CASES_H_

#include <string_view>

#include "lib/history/foreign/form_reader.h"

namespace doublehold {

// A text is read to its end, what is wrong passed over: forms, lines and problems are the same
// however it is cut into stretches; lines never go back; and as a log of operations it is refused
// with a message of one line, or read. The first byte chooses the size of the stretches.
void CheckReader(LogFormat format, std::string_view input);

// Checks that a text is read as history.jsonl, or refused with a message of one line. The result
// must not depend on the stretches, or on whether Scan or the parser reads the lines. The first
// input byte chooses the size of the stretches.
void CheckHistory(std::string_view input);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_FUZZ_FUZZ_CASES_H_
