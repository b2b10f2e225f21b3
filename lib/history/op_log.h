// A history of any object, by anybody: invocations and completions, one after the other, as Jepsen and Maelstrom record
// them. In EDN (jepsen's history.edn, Knossos's) or in JSON, a line each, as history.jsonl is.
#ifndef DOUBLEHOLD_LIB_HISTORY_OP_LOG_H_
#define DOUBLEHOLD_LIB_HISTORY_OP_LOG_H_

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "lib/history/history.h"

namespace doublehold {

struct LogEvent {
  int64_t line = 0;  // in the file
  int64_t at = 0;    // rises or stays; ns where the file says so, else its place in the file
  int32_t process = 0;
  EventType type = EventType::kInvoke;
  std::string function;
  nlohmann::json value;
  nlohmann::json key;  // null: the file has none
};

struct OpLog {
  std::string name;              // of the file
  std::vector<LogEvent> events;  // those of clients; a nemesis is left out
  // It is a history of ours: it tells of more than one model is about.
  bool ours = false;
};

// By its name: .edn is EDN, all else JSON a line. Refuses what is cut off, garbled, or goes back in time, naming file, line and
// reason.
Result<OpLog> ReadOpLog(const std::filesystem::path& file);
Result<OpLog> ParseOpLog(std::string_view text, const std::string& name, bool edn);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_OP_LOG_H_
