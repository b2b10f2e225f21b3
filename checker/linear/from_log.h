// From the events of a log to the operations of a model, one object a key.
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

// How a release is read that answered "no": as if it had not been, as if it had ended the hold, or
// as either.
enum class FailedRelease : uint8_t { kNothing, kReleased, kEither };

// Where an event says which object it is of: nowhere (there is one), in its `key`, or there or as
// the first of a value [key value] (Jepsen's independent). Either no event has a key, and there is
// one object, or all have, in the same place. 1 and 1.0 are the same key, "1" is another; in EDN a
// keyword, a symbol and a string of the same letters are the same.
enum class Partition : uint8_t { kNone, kEventKey, kAnyKey };

struct ReadingOptions {
  Partition partition = Partition::kEventKey;
  // Passes over what makes no sense, and counts it.
  bool lenient = false;
};

struct LoggedObject {
  std::string key;  // as it is shown: a text that spells a number in quotes; empty: the only one
  std::vector<Operation> operations;    // those of a process in its own order
  std::vector<size_t> failed_releases;  // which of them
  // Of each operation, the times of its two events. Empty where `operations` has them.
  std::vector<std::pair<int64_t, int64_t>> times;
};

struct LoggedHistory {
  std::vector<LoggedObject> objects;  // by key
  Skips skips;
  OpLogFacts facts;
  bool shared = false;  // somebody was granted it as one of several readers
  // Somebody was told to have it for longer than the lease that was asked for.
  bool outlasts = false;
};

// Pairs invocations with completions as they come: what is kept in memory is operations. What
// failed for certain is left out, and so are reads of unknown outcome.
//
// Refuses, with file and line: a function that the model does not know (in a history of ours they
// are passed over), two open operations of a process, a completion without an invocation or under
// another key, no key where others have one; where the model needs times, one before that of an
// earlier event; a value that the model cannot read. A lenient reading counts them in `skips`, each
// with what it may hide:
//   a completion whose time goes back, or whose value cannot be read:   its answer; the operation counts as of unknown outcome
//   "failed", of one never begun:        nothing, for it did not happen
//   a read:                              what was seen; it changed nothing
//   all else:                            anything, for the object may have been changed
Result<LoggedHistory> ReadObjects(TextSource& source, LogFormat format, const Model& model,
                                  const ReadingOptions& options);

// By the times of the events instead of their order in the file.
void OrderByTimes(LoggedHistory& history);

// The operations in one reading of the releases that failed.
std::vector<Operation> InReading(const LoggedObject& object, const Model& model,
                                 FailedRelease reading);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_FROM_LOG_H_
