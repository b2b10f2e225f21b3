// Turns the events of a log into operations of a model, with one object for each key.
#ifndef DOUBLEHOLD_CHECKER_LINEAR_FROM_LOG_H_
#define DOUBLEHOLD_CHECKER_LINEAR_FROM_LOG_H_

#include <string>
#include <utility>
#include <vector>

#include "checker/linear/model.h"
#include "checker/linear/operation.h"
#include "lib/base/result.h"
#include "lib/history/foreign/op_log.h"

namespace doublehold {

// How to read a failed release: as a call without effect, as the end of its hold, or as either.
enum class FailedRelease : uint8_t { kNothing, kReleased, kEither };

// Where an event names its object:
// - kNone: nowhere, because there is only one object;
// - kEventKey: in the event's `key`;
// - kAnyKey: in the event's `key`, or in a value [key value] (Jepsen's independent).
// Either no event has a key, or all have the key in the same place. 1 and 1.0 are the same key; "1"
// is a different key. In EDN, a keyword, a symbol and a string with the same letters are the same
// key.
enum class Partition : uint8_t { kNone, kEventKey, kAnyKey };

struct ReadingOptions {
  Partition partition = Partition::kEventKey;
  // Whether malformed events are skipped and counted instead of refused.
  bool lenient = false;
  LogWords words{};
};

struct LoggedObject {
  // The printed key; a text of digits is quoted. Empty if the log has only one object.
  std::string key;
  std::vector<Operation> operations;    // each process's operations are in the order of its calls
  std::vector<size_t> failed_releases;  // indices into `operations`
  // For each operation, the times of its two events. Empty if `operations` has times already.
  std::vector<std::pair<int64_t, int64_t>> times;
};

struct LoggedHistory {
  std::vector<LoggedObject> objects;  // sorted by key
  Skips skips;
  OpLogFacts facts;
  bool shared = false;    // some grant was shared: its holder is one of several readers
  bool outlasts = false;  // some grant is valid for longer than the requested lease
};

// Pairs each invocation with its completion as the events are read, so only operations are kept in
// memory. Drops reads of unknown outcome, and all operations that certainly failed except releases.
//
// Refuses these events, with file and line:
// - a function that the model does not have (ignored in Doublehold's own histories);
// - a second open operation of a process (in Doublehold's own histories: on one key);
// - a completion without an invocation, with another function, or with another key;
// - an event without a key, if other events have one;
// - a time before the time of an earlier event, if the model needs times;
// - a value that the model cannot read.
//
// A lenient reading skips these events and counts them in `skips`. Each skip may hide something:
//   a completion whose time goes back, or    the result: the operation gets an unknown outcome
//   whose value cannot be read
//   a completion without an invocation
//     of a failed call, except a release     nothing: the call had no effect
//     of a read                              the value read: a read changes no state
//   anything else                            anything: the state may have changed
Result<LoggedHistory> ReadObjects(TextSource& source, LogFormat format, const Model& model,
                                  const ReadingOptions& options);

// Orders the operations by the times of the events instead of their order in the file.
void OrderByTimes(LoggedHistory& history);

// Returns the operations, with each failed release read as `reading` says.
std::vector<Operation> ApplyReading(const LoggedObject& object, const Model& model,
                                    FailedRelease reading);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_FROM_LOG_H_
