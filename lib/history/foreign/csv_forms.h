// Reads a CSV file whose first line names its columns. Each further record is a form: a map from
// columns to fields.
//
//   process,f,value       ->  {"process" 3, "f" "cas", "value" [3 4]}
//   3,cas,"[3, 4]"
//
// A field is a number, true, false or a text, and nil if it is empty, "nil" or "null". Digits that
// begin with a needless 0 are a text. A field that begins with '[' is a list, in EDN or JSON.
#ifndef DOUBLEHOLD_LIB_HISTORY_FOREIGN_CSV_FORMS_H_
#define DOUBLEHOLD_LIB_HISTORY_FOREIGN_CSV_FORMS_H_

#include <memory>

#include "lib/history/foreign/form_reader.h"

namespace doublehold {

std::unique_ptr<FormReader> MakeCsvReader(TextSource& source);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_FOREIGN_CSV_FORMS_H_
