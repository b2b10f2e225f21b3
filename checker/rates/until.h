// Decides when the repetitions of an experiment show whether a rate is below a limit.
//
//   rate [of CLAIM] [per run] < LIMIT [@ CONFIDENCE]       rate < 1e-4 @ 95%
//
// Without `of`, a trial counts as violated if any judged claim was violated in the trial. Without
// `per run`, a trial is a fault episode if the experiment has faults (trials.h).
#ifndef DOUBLEHOLD_CHECKER_RATES_UNTIL_H_
#define DOUBLEHOLD_CHECKER_RATES_UNTIL_H_

#include <map>
#include <string>

#include "checker/rates/pool.h"
#include "checker/rates/sequential.h"
#include "lib/base/result.h"

namespace doublehold {

struct Until {
  RateQuestion question;
  std::string claim{};  // default: kAnyClaim
  bool per_run = false;
  std::string text{};  // the whole condition, as the user wrote it
};

// For invalid text, returns an error that says what is wrong and suggests the nearest valid text.
Result<Until> ReadUntil(const std::string& text);

// The repetitions of one experiment. The repetitions end in any order, but are judged in the
// planned order, because a run with a violation may take longer.
class Repetitions {
 public:
  explicit Repetitions(Until until) : until_(std::move(until)), test_(until_.question) {}

  // Adds a finished repetition, numbered from 1. Requires each number once.
  void Take(int repetition, RunTrials run);
  // Whether no further repetition is needed: the question is answered, or five runs in a row had no
  // verdict. Once true, stays true.
  [[nodiscard]] bool IsOver() const { return over_; }
  [[nodiscard]] RateAnswer answer() const { return test_.answer(); }
  // The trials up to the answer.
  [[nodiscard]] const TrialCount& seen() const { return test_.seen(); }
  [[nodiscard]] int runs() const { return runs_; }
  [[nodiscard]] const std::string& unit() const { return unit_; }

 private:
  void Look(const RunTrials& run);

  Until until_;
  SequentialTest test_;
  std::map<int, RunTrials> waiting_;  // finished repetitions that wait for an earlier one
  std::string unit_ = "run";
  int64_t largest_ = 1;  // the most trials of a run so far
  int next_ = 1;
  int runs_ = 0;
  int without_verdict_ = 0;  // number of runs since the last verdict
  bool over_ = false;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_RATES_UNTIL_H_
