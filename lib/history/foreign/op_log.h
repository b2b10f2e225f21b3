// Reads a history of any object from any tool: invocations and completions in sequence, as Jepsen
// and Maelstrom record them, or one line for each operation, with its start and end. Formats: EDN
// (Jepsen's history.edn, Knossos), JSON lines like history.jsonl, CSV, and Jepsen's own log.
#ifndef DOUBLEHOLD_LIB_HISTORY_FOREIGN_OP_LOG_H_
#define DOUBLEHOLD_LIB_HISTORY_FOREIGN_OP_LOG_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "lib/base/result.h"
#include "lib/history/foreign/form_reader.h"
#include "lib/history/foreign/log_entry.h"
#include "lib/history/foreign/rejected_input.h"
#include "lib/history/history.h"

namespace doublehold {

// The views are valid during the callback.
struct LogEvent {
  int64_t line = 0;  // line in the file
  // Position among the events. Consecutive events with the same time share a position, because
  // their order in a merged file is unknown. They do not share one if indexes order them.
  int64_t at = 0;
  int64_t time_ns = 0;  // 0 if the event has no time
  int32_t process = 0;
  EventType type = EventType::kInvoke;
  std::string_view function;
  FormView value;
  FormView key;
};

struct OpLogFacts {
  // Doublehold wrote this history, so it has events beyond those of one model.
  bool ours = false;
  bool timed = false;   // either all events have times, or none
  bool indexed = true;  // each event has an `index`, and the indexes increase
  // How often an event's time is before the time of the previous event. This happens because a
  // recorder reads the clock slightly before it writes the event.
  int64_t steps_back = 0;
  int64_t first_step_back = 0;  // the line of the first such event, or 0
  // Only in Doublehold's histories: a lease was extended, or a library may have extended a lease
  // without an event.
  bool renewed = false;
  int64_t events = 0;
};

// Called for each event, with the facts known so far. An error ends the reading.
using TakeEvent = std::function<Result<void>(const LogEvent&, const OpLogFacts&)>;

// Reads the events of clients in file order. If the log has the start and end of each operation,
// reads the operations' events in the order of these times. Skips the events of a nemesis. Adds
// malformed events to `skips`. Each of `words` must occur.
Result<OpLogFacts> ReadOpLog(TextSource& source, LogFormat format, Skips& skips,
                             const TakeEvent& take, const LogWords& words = {});

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_FOREIGN_OP_LOG_H_
