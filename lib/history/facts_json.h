// RunFacts as JSON: the first line of history.jsonl and the header of history.bin. Field names as
// in docs/formats.md.
#ifndef DOUBLEHOLD_LIB_HISTORY_FACTS_JSON_H_
#define DOUBLEHOLD_LIB_HISTORY_FACTS_JSON_H_

#include <nlohmann/json_fwd.hpp>

#include "lib/base/result.h"
#include "lib/history/history.h"

namespace doublehold {

class JsonObject;

// The fields in the order in which a reader wants them.
nlohmann::ordered_json FactsToJson(const RunFacts& facts);

// Every field must be there and of its type, and none besides; the Error is the reason alone, the
// caller knows the place.
Result<RunFacts> FactsFromJson(const nlohmann::json& json);

// The same for an object with other fields besides, of which the caller asks. The document of the
// object keeps what is wrong.
RunFacts ReadFacts(JsonObject& object);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_FACTS_JSON_H_
