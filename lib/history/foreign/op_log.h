// Reads a history of any object from any tool: invocations and completions in sequence, as Jepsen
// and Maelstrom record them. Formats: EDN (Jepsen's history.edn, Knossos), JSON lines like
// history.jsonl, and Jepsen's own log.
#ifndef DOUBLEHOLD_LIB_HISTORY_FOREIGN_OP_LOG_H_
#define DOUBLEHOLD_LIB_HISTORY_FOREIGN_OP_LOG_H_

#include <cstdint>
#include <functional>
#include <string_view>

#include "lib/base/result.h"
#include "lib/history/foreign/form_reader.h"
#include "lib/history/foreign/rejected_input.h"
#include "lib/history/history.h"

namespace doublehold {

// The views are valid during the callback.
struct LogEvent {
  int64_t line = 0;  // line in the file
  // Position among the events. Consecutive events with the same time share a position, unless
  // indexes order them: in a merged file their order is unknown.
  int64_t at = 0;
  int64_t time_ns = 0;  // 0: the event has no time
  int32_t process = 0;
  EventType type = EventType::kInvoke;
  std::string_view function;
  FormView value;
  FormView key;
};

struct OpLogFacts {
  // It is a history of Doublehold, which has events beyond those of one model.
  bool ours = false;
  bool timed = false;   // either all events have times, or none
  bool indexed = true;  // each event has an `index`, and the indexes increase
  // How often an event's time is before the previous event's. A recorder takes the time slightly
  // before it writes the event.
  int64_t steps_back = 0;
  int64_t first_step_back = 0;  // the line of the first such event
  // In a history of Doublehold: leases were extended, or a library may have extended them unseen.
  bool renewed = false;
  int64_t events = 0;
};

// Called for each event; an error ends the reading. The facts are those known so far.
using TakeEvent = std::function<Result<void>(const LogEvent&, const OpLogFacts&)>;

// Reads the events of clients, in file order. Events of a nemesis are left out. Malformed events go
// to `skips`.
Result<OpLogFacts> ReadOpLog(TextSource& source, LogFormat format, Skips& skips,
                             const TakeEvent& take);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_FOREIGN_OP_LOG_H_
