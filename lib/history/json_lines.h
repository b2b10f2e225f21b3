// JSON, a form a line (simdjson). Empty lines are passed over.
#ifndef DOUBLEHOLD_LIB_HISTORY_JSON_LINES_H_
#define DOUBLEHOLD_LIB_HISTORY_JSON_LINES_H_

#include <memory>

#include "lib/history/form_reader.h"

namespace doublehold {

std::unique_ptr<FormReader> MakeJsonLinesReader(TextSource& source);

// Whether all of it is UTF-8.
bool IsUtf8(std::string_view text);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_JSON_LINES_H_
