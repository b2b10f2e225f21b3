// RunFacts as JSON: the first line of history.jsonl, and the header of history.bin. docs/formats.md
// documents the field names.
#ifndef DOUBLEHOLD_LIB_HISTORY_FACTS_JSON_H_
#define DOUBLEHOLD_LIB_HISTORY_FACTS_JSON_H_

#include <nlohmann/json_fwd.hpp>

#include "lib/base/result.h"
#include "lib/history/history.h"

namespace doublehold {

class JsonObject;

// Writes the fields in an order that suits readers.
nlohmann::ordered_json FactsToJson(const RunFacts& facts);

// Requires every field with its type, and no other field. The error has only the reason; the caller
// adds the place.
Result<RunFacts> FactsFromJson(const nlohmann::json& json);

// Like FactsFromJson, but for an object with further fields, which the caller reads. Errors are
// kept in the object's document.
RunFacts ReadFacts(JsonObject& object);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_FACTS_JSON_H_
