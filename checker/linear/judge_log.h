// A log held against a model: the objects in it, each with what the search says, in every reading that is asked for.
#ifndef DOUBLEHOLD_CHECKER_LINEAR_JUDGE_LOG_H_
#define DOUBLEHOLD_CHECKER_LINEAR_JUDGE_LOG_H_

#include <string>
#include <vector>

#include "checker/linear/from_log.h"
#include "checker/linear/search.h"

namespace doublehold {

struct LogQuestion {
  const Model& model;
  ModelParameters parameters{};
  SearchLimits limits{};
  bool by_key = false;
  // More than one: where they do not come to the same outcome, the outcome is unknown, and says so.
  std::vector<FailedRelease> readings{FailedRelease::kNothing, FailedRelease::kReleased};
};

struct ObjectVerdict {
  std::string key;
  size_t operations = 0;
  Outcome3 outcome = Outcome3::kUnknown;
  int64_t configurations = 0;
  std::string reason;  // of violated, the explanation; of unknown, the limit; else empty
};

struct LogVerdict {
  Outcome3 outcome = Outcome3::kUnknown;
  std::string reason;                  // of an outcome that is of no single object
  std::vector<ObjectVerdict> objects;  // in the first reading
};

// Errors: those of ObjectsOf.
Result<LogVerdict> JudgeLog(const OpLog& log, const LogQuestion& question);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_JUDGE_LOG_H_
