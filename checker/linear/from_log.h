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

// How a release that failed is read: as if it had not happened, as if it had ended the hold, or as
// either.
enum class FailedRelease : uint8_t { kNothing, kReleased, kEither };

// Where an event names its object: nowhere (there is one object), in its `key`, or in its `key` or
// value [key value] (Jepsen's independent). Either no event has a key, or all have it in the same
// place. 1 and 1.0 are the same key, "1" is another. In EDN, a keyword, a symbol and a string with
// the same letters are the same.
enum class Partition : uint8_t { kNone, kEventKey, kAnyKey };

struct ReadingOptions {
  Partition partition = Partition::kEventKey;
  // Skips and counts events that make no sense.
  bool lenient = false;
};

struct LoggedObject {
  std::string key;  // as shown: quoted if the text spells a number; empty: the only object
  std::vector<Operation> operations;    // the operations of a process in its own order
  std::vector<size_t> failed_releases;  // indices into `operations`
  // For each operation, the times of its two events. Empty if `operations` itself has them.
  std::vector<std::pair<int64_t, int64_t>> times;
};

struct LoggedHistory {
  std::vector<LoggedObject> objects;  // by key
  Skips skips;
  OpLogFacts facts;
  bool shared = false;  // some grant was shared: its holder is one of several readers
  // Some grant lasts longer than the requested lease.
  bool outlasts = false;
};

// Pairs invocations with completions one by one, so that only operations are kept in memory. Leaves
// out operations that certainly failed, and reads of unknown outcome.
//
// Refuses these, with file and line:
// - a function that the model does not know (skipped in our own histories);
// - two open operations of a process;
// - a completion without an invocation, or under another key;
// - an event without a key where others have one;
// - a time before that of an earlier event, if the model needs times;
// - a value that the model cannot read.
//
// A lenient reading counts these in `skips` instead, each with what it may hide:
//   a completion whose time goes back, or    its answer; the operation has an unknown outcome
//   whose value cannot be read
//   a failure without an invocation          nothing, for it did not happen
//   a read                                   what was read; it changed nothing
//   anything else                            anything, for the object may have changed
Result<LoggedHistory> ReadObjects(TextSource& source, LogFormat format, const Model& model,
                                  const ReadingOptions& options);

// Orders the operations by the times of the events instead of their order in the file.
void OrderByTimes(LoggedHistory& history);

// The operations, with failed releases read as `reading` says.
std::vector<Operation> InReading(const LoggedObject& object, const Model& model,
                                 FailedRelease reading);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_FROM_LOG_H_
