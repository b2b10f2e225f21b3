// Until when an experiment is repeated: until it is known whether a rate lies below a limit.
//
//   rate [of CLAIM] [per run] < LIMIT [@ CONFIDENCE]       rate < 1e-4 @ 95%
//
// Without `of`, a trial counts as violated when any claim that is judged was violated in it:
// whoever asks how often a lock fails means in whatever way. Without `per run` a trial is a fault
// episode where the experiment has faults (trials.h).
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
  std::string claim{};  // kAnyClaim
  bool per_run = false;
  std::string text{};  // as it was asked
};

// Bad input names what is wrong in it and the nearest that is right.
Result<Until> ReadUntil(const std::string& text);

// The repetitions of one experiment. They end in any order, and are looked at in the order in which
// they were planned: one that goes wrong may take longer.
class Repetitions {
 public:
  explicit Repetitions(Until until) : until_(std::move(until)), test_(until_.question) {}

  // From 1 on, each once.
  void Take(int repetition, RunTrials run);
  // No further one is needed: it is answered, or cannot be, for five in a row came to no verdict.
  // Stays so.
  [[nodiscard]] bool IsOver() const { return over_; }
  [[nodiscard]] RateAnswer answer() const { return test_.answer(); }
  // Until the answer.
  [[nodiscard]] const TrialCount& seen() const { return test_.seen(); }
  [[nodiscard]] int runs() const { return runs_; }
  [[nodiscard]] const std::string& unit() const { return unit_; }

 private:
  void Look(const RunTrials& run);

  Until until_;
  SequentialTest test_;
  std::map<int, RunTrials> waiting_;  // for one before them
  std::string unit_ = "run";
  int64_t largest_ = 1;  // trials of a run so far
  int next_ = 1;
  int runs_ = 0;
  int without_verdict_ = 0;  // the last ones
  bool over_ = false;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_RATES_UNTIL_H_
