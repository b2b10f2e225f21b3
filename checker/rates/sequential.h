// A sequential test of whether a rate is below a limit. It may be evaluated after every run, and
// says when to stop.
//
// Why not a confidence interval? A 95 % interval misses the true rate in 5 % of all cases. With an
// interval after every run, and a stop at the first favourable interval, errors are far more
// frequent.
//
// This is a mixture sequential probability ratio test (Robbins 1970). The evidence against "the
// rate is the limit or more" is a likelihood ratio, averaged over all rates below the limit:
//
//                 1   / limit  q^k (1-q)^(n-k)
//   evidence =  ----- |       ------------------------- dq        k violated of n trials
//               limit / 0     limit^k (1-limit)^(n-k)
//
// If the rate is the limit or more, the evidence is a supermartingale that starts at 1. At the
// limit, each trial multiplies the evidence by 1 on average. At a larger rate, each trial
// multiplies the evidence by less than 1 on average. So the evidence ever reaches 20 in at most 1
// of 20 cases (Ville's inequality), for any number of looks and any rule for stopping. The answer
// "not below" uses the average over the rates above the limit.
//
// The price: without violations, the test takes about 4.5 / limit trials at 95 %. A single look at
// a fixed number of trials would take 3 / limit. If the chance of a violation in a trial depends on
// earlier trials, the answer is about the chances that the trials had.
#ifndef DOUBLEHOLD_CHECKER_RATES_SEQUENTIAL_H_
#define DOUBLEHOLD_CHECKER_RATES_SEQUENTIAL_H_

#include <cstdint>
#include <string_view>

namespace doublehold {

// Counts of trials of one kind. An undecided trial may have been violated.
struct TrialCount {
  int64_t of = 0;
  int64_t violated = 0;
  int64_t undecided = 0;

  TrialCount& operator+=(const TrialCount& other);
  bool operator==(const TrialCount&) const = default;
};

struct RateQuestion {
  double limit = 0;  // between 0 and 1
  double confidence = 0.95;
};

enum class RateAnswer : uint8_t { kOpen, kBelow, kNotBelow };
std::string_view Name(RateAnswer answer);  // "not decided", "below", "not below"

// Returns the answer after the trials `seen`. An undecided trial counts against either answer.
RateAnswer AnswerAt(const RateQuestion& question, const TrialCount& seen);

// Each bound holds for all looks together: the probability that the bound is ever on the wrong side
// of the true rate is at most 1 - confidence.
double UpperBoundAt(const TrialCount& seen, double confidence);
double LowerBoundAt(const TrialCount& seen, double confidence);

// Returns the least number of trials without a violation for which the answer is kBelow.
int64_t FewestForBelow(const RateQuestion& question);

// A series of looks. The first answer is final: its confidence does not cover later trials.
class SequentialTest {
 public:
  explicit SequentialTest(const RateQuestion& question) : question_(question) {}

  // Adds the trials of one more run, in the planned order of the runs. That order must not depend
  // on a run's result or duration.
  RateAnswer Take(const TrialCount& run);
  [[nodiscard]] RateAnswer answer() const { return answer_; }
  [[nodiscard]] const TrialCount& seen() const { return seen_; }  // up to the first answer

 private:
  RateQuestion question_;
  TrialCount seen_;
  RateAnswer answer_ = RateAnswer::kOpen;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_RATES_SEQUENTIAL_H_
