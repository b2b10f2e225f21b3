// Judges a log against a model: searches for an order of each object's operations, in each
// requested reading of failed releases.
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
  // Limit of configurations for a first search of each object. If that search finds one object
  // violated, the other objects are not searched further.
  int64_t first_configurations = 10'000;
  ReadingOptions reading{};
  // The readings to judge. If their outcomes differ, the outcome is unknown, with the reason.
  // `kEither` covers histories in which some failed releases ended their holds and others did not.
  std::vector<FailedRelease> failed_releases{FailedRelease::kNothing, FailedRelease::kReleased,
                                             FailedRelease::kEither};
};

struct ObjectVerdict {
  std::string key;
  size_t operations = 0;
  Outcome outcome = Outcome::kUnknown;
  int64_t configurations = 0;
  // Explains a violated outcome. For an unknown outcome, names the reached limit, or the lack of
  // tokens. Else empty.
  std::string reason;
};

struct ReadingVerdict {
  FailedRelease means = FailedRelease::kNothing;
  Outcome outcome = Outcome::kUnknown;
};

struct LogVerdict {
  Outcome outcome = Outcome::kUnknown;
  std::string reason;                  // for an unknown outcome of the whole log
  std::vector<ObjectVerdict> objects;  // verdicts in the first reading
  // Number of failed releases in all objects.
  int64_t failed_releases = 0;
  // The readings that were judged. If no release failed, only the first reading is judged.
  std::vector<ReadingVerdict> readings;
  Skips skips;  // events that a lenient reading skipped
  // Number of events whose time is before the previous event's. 0 if the model needs times.
  int64_t steps_back = 0;
  int64_t first_step_back = 0;  // line of the first such event
};

// Takes the events in the order of the file. A model that needs times takes them in the order of
// their times. If times go back in a file without an index, the log is judged in both orders. The
// outcome is unknown if the two disagree, or if skipped events may change it (SkipWeight). Returns
// the errors of ReadObjects. For a model that needs times, also returns an error if a time or a
// lease is missing.
Result<LogVerdict> JudgeLog(TextSource& source, LogFormat format, const LogQuestion& question);

// Returns the completion type that a failed release is read as: "fail", "ok" or "info".
std::string_view Name(FailedRelease reading);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_LINEAR_JUDGE_LOG_H_
