// A history of any object, by anybody: invocations and completions, one after the other, as Jepsen
// and Maelstrom record them. In EDN (jepsen's history.edn, Knossos's), in JSON, a line each, as
// history.jsonl is, or in Jepsen's own log.
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

// Views hold while it is taken.
struct LogEvent {
  int64_t line = 0;  // in the file
  // Its place among the events. Those of one time that follow one another share a place unless
  // their index tells them apart: which of them was first, a file that was merged does not know.
  int64_t at = 0;
  int64_t time_ns = 0;  // 0 where it has none
  int32_t process = 0;
  EventType type = EventType::kInvoke;
  std::string_view function;
  FormView value;
  FormView key;
};

struct OpLogFacts {
  // It is a history of ours: it tells of more than one model is about.
  bool ours = false;
  bool timed = false;   // its events have times; either all have, or none
  bool indexed = true;  // each event has its `index`, and they rise
  // How often a time is before that of the event before: who records stamps an event a moment
  // before it is written.
  int64_t steps_back = 0;
  int64_t first_step_back = 0;  // its line
  bool renewed = false;  // of ours: leases were extended, or may have been by a library, unseen
  int64_t events = 0;
};

// One is taken after the other; an error ends the reading. The facts are those that were known by
// then.
using TakeEvent = std::function<Result<void>(const LogEvent&, const OpLogFacts&)>;

// The events of clients, in the order of the file; those of a nemesis are left out. What makes no
// sense goes to `skips`.
Result<OpLogFacts> ReadOpLog(TextSource& source, LogFormat format, Skips& skips,
                             const TakeEvent& take);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_FOREIGN_OP_LOG_H_
