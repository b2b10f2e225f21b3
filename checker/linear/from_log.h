// From the events of a log to the operations of a model, one object a key.
#ifndef DOUBLEHOLD_CHECKER_LINEAR_FROM_LOG_H_
#define DOUBLEHOLD_CHECKER_LINEAR_FROM_LOG_H_

#include <string>
#include <vector>

#include "checker/linear/model.h"
#include "checker/linear/operation.h"
#include "lib/base/result.h"
#include "lib/history/op_log.h"

namespace doublehold {

// How a release is read that answered "no": as if it had not been, as if it had ended the hold, or as either.
enum class FailedRelease : uint8_t { kNothing, kReleased, kEither };

struct ReadingOptions {
  bool by_key =
      false;  // an object each key: of the event, or the first of a value [key value] (Jepsen's independent)
  FailedRelease failed_release = FailedRelease::kNothing;
};

struct LoggedObject {
  std::string key;  // empty: the only one
  std::vector<Operation> operations;
  int64_t failed_releases = 0;
};

// What failed for certain is left out, and so are reads of unknown outcome. Refuses, with file and line: a function that the
// model does not know (in a history of ours they are passed over), two open operations of a process, a completion without an
// invocation.
Result<std::vector<LoggedObject>> ObjectsOf(const OpLog& log, const Model& model,
                                            const ReadingOptions& options);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_FROM_LOG_H_
