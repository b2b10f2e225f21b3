// Reads and writes histories in EDN, as Jepsen and Knossos use it.
//
//   {:process 3, :type :ok, :f :cas, :value [1 2], :time 12}
//
// edn_parser.h describes the conversion of EDN's types. The elements of a vector or list at the top
// level count as top-level forms.
#ifndef DOUBLEHOLD_LIB_HISTORY_FOREIGN_EDN_H_
#define DOUBLEHOLD_LIB_HISTORY_FOREIGN_EDN_H_

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "lib/history/foreign/form_reader.h"

namespace doublehold {

// After a malformed form, reading continues at the next line that can begin a form.
std::unique_ptr<FormReader> MakeEdnReader(TextSource& source);

// Writes an event of history.jsonl as Jepsen does: {:index 3, :process 1, :type :ok, :f :acquire,
// :value {:token 4}}. Field names and the texts of `process`, `type` and `f` become keywords. All
// other texts stay texts.
std::string EdnOfEvent(const nlohmann::json& event);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_FOREIGN_EDN_H_
