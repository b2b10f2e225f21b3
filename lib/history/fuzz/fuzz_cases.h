// What the fuzz targets check about one input. libFuzzer calls these, and so does a unit test with
// the corpus that it left. A property that does not hold ends the program (CHECK).
#ifndef DOUBLEHOLD_LIB_HISTORY_FUZZ_FUZZ_CASES_H_
#define DOUBLEHOLD_LIB_HISTORY_FUZZ_FUZZ_CASES_H_

#include <string_view>

#include "lib/history/foreign/form_reader.h"

namespace doublehold {

// A text is read to its end, what is wrong passed over: forms, lines and problems are the same
// however it is cut into stretches; lines never go back; and as a log of operations it is refused
// with a message of one line, or read. The first byte chooses the size of the stretches.
void CheckReader(LogFormat format, std::string_view input);

// A text is read as a history.jsonl, or refused with a message of one line, the same however it is
// cut into stretches and whichever way its lines are read. The first byte chooses the size of the
// stretches.
void CheckHistory(std::string_view input);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_FUZZ_FUZZ_CASES_H_
