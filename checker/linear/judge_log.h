// Judges a log against a model: the verdict of the search for each object, in each requested
// reading.
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
  // The limit of a first search of each object. If one object is violated by then, the others are
  // not searched further.
  int64_t first_look = 10'000;
  ReadingOptions reading{};
  // If there are several and their outcomes differ, the outcome is unknown, with the reason.
  // `kEither` is needed beside the other two: of two failed releases, one may have ended its hold
  // and the other not.
  std::vector<FailedRelease> failed_releases{FailedRelease::kNothing, FailedRelease::kReleased,
                                             FailedRelease::kEither};
};

struct ObjectVerdict {
  std::string key;
  size_t operations = 0;
  Outcome outcome = Outcome::kUnknown;
  int64_t configurations = 0;
  std::string reason;  // violated: the explanation; unknown: the limit; else empty
};

struct ReadingVerdict {
  FailedRelease means = FailedRelease::kNothing;
  Outcome outcome = Outcome::kUnknown;
};

struct LogVerdict {
  Outcome outcome = Outcome::kUnknown;
  std::string reason;                  // for an outcome that belongs to no single object
  std::vector<ObjectVerdict> objects;  // in the first reading
  // Number of failed releases, if `readings` has more than one entry.
  int64_t failed_releases = 0;
  // The readings that were judged: only the first one if no release failed.
  std::vector<ReadingVerdict> readings;
  Skips skips;  // events that a lenient reading skipped
  // Times before that of the previous event, if the order of the file was used.
  int64_t steps_back = 0;
  int64_t first_step_back = 0;  // line of the first
};

// The order of the file counts; for a model that needs times, the order of times. If times step
// back in a file without an index that confirms its order, the log is judged by its times as well.
// The outcome stands only if both agree. Skipped events leave an outcome standing only if they
// cannot matter (SkipWeight).
// Errors: those of ReadObjects, and a model that needs times with a log that has none.
Result<LogVerdict> JudgeLog(TextSource& source, LogFormat format, const LogQuestion& question);

// "fail", "ok", "info": how a failed release is read.
std::string_view Name(FailedRelease reading);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_JUDGE_LOG_H_
