// Reads JSON with simdjson. Either each line of the text is a form, where empty lines are skipped,
// or the text is an array of forms in any layout.
#ifndef DOUBLEHOLD_LIB_HISTORY_FOREIGN_JSON_LINES_H_
#define DOUBLEHOLD_LIB_HISTORY_FOREIGN_JSON_LINES_H_

#include <memory>

#include "lib/history/foreign/form_reader.h"

namespace doublehold {

std::unique_ptr<FormReader> MakeJsonLinesReader(TextSource& source);

std::unique_ptr<FormReader> MakeJsonArrayReader(TextSource& source);

// Whether the whole text is valid UTF-8.
bool IsUtf8(std::string_view text);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_FOREIGN_JSON_LINES_H_
