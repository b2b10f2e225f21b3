// Histories in EDN, as Jepsen and Knossos have them, read and written.
//
//   {:process 3, :type :ok, :f :cas, :value [1 2], :time 12}
//
// edn_parser.h says what becomes of EDN's kinds of forms. The forms of a vector or list at the top
// count as the file's own.
#ifndef DOUBLEHOLD_LIB_HISTORY_FOREIGN_EDN_H_
#define DOUBLEHOLD_LIB_HISTORY_FOREIGN_EDN_H_

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "lib/history/foreign/form_reader.h"

namespace doublehold {

// What is wrong ends at the next line that can begin a form.
std::unique_ptr<FormReader> MakeEdnReader(TextSource& source);

// An event of history.jsonl as Jepsen writes one: {:index 3, :process 1, :type :ok, :f :acquire,
// :value {:token 4}}. Texts of `process`, `type` and `f`, and the names of parts, are keywords, all
// others texts.
std::string EdnOfEvent(const nlohmann::json& event);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_FOREIGN_EDN_H_
