// A log held against a model: the objects in it, each with what the search says, in every reading
// that is asked for.
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
  // Each object is searched this far first; where one of them is violated by then, the others are
  // not searched further.
  int64_t first_look = 10'000;
  ReadingOptions reading{};
  // More than one: where they do not come to the same outcome, the outcome is unknown, and says so.
  // That of two releases one may have ended its hold and the other not is why "either" stands
  // beside the two.
  std::vector<FailedRelease> failed_releases{FailedRelease::kNothing, FailedRelease::kReleased,
                                             FailedRelease::kEither};
};

struct ObjectVerdict {
  std::string key;
  size_t operations = 0;
  Outcome3 outcome = Outcome3::kUnknown;
  int64_t configurations = 0;
  std::string reason;  // of violated, the explanation; of unknown, the limit; else empty
};

struct ReadingVerdict {
  FailedRelease means = FailedRelease::kNothing;
  Outcome3 outcome = Outcome3::kUnknown;
};

struct LogVerdict {
  Outcome3 outcome = Outcome3::kUnknown;
  std::string reason;                  // of an outcome that is of no single object
  std::vector<ObjectVerdict> objects;  // in the first reading
  // Those that were read in more than one way, if `readings` has more than one.
  int64_t failed_releases = 0;
  // Those that were judged: the first alone where no release failed.
  std::vector<ReadingVerdict> readings;
  Skips skips;  // what a lenient reading passed over
  // Times that are before that of the event before, where the order of the file was taken.
  int64_t steps_back = 0;
  int64_t first_step_back = 0;  // its line
};

// The order of the file counts; of a model that needs times, theirs. Where times step back in a
// file whose events have no index to confirm its order, they are judged by their times as well: the
// outcome stands only if both come to it. What was passed over leaves an outcome standing only if
// it cannot matter (SkipWeight).
// Errors: those of ReadObjects; and a model that needs times on a log without.
Result<LogVerdict> JudgeLog(TextSource& source, LogFormat format, const LogQuestion& question);

// "fail", "ok", "info": what a failed release is read as.
std::string_view Name(FailedRelease reading);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_JUDGE_LOG_H_
