// A sequential test, asked after every run: is a rate below a limit? Says when to stop.
//
// Why not a confidence interval: a 95 % interval misses in 5 % of all cases. Whoever computes it
// after every run, and stops at the first favourable result, errs far more often.
//
// Instead: a mixture sequential probability ratio test (Robbins 1970). A likelihood ratio, averaged
// over all rates below the limit, bets against "the rate is the limit or more":
//
//                 1   / limit  q^k (1-q)^(n-k)
//   evidence =  ----- |       ------------------------- dq        k violated of n trials
//               limit / 0     limit^k (1-limit)^(n-k)
//
// While the rate is the limit or more, this is a supermartingale that begins at 1. Each factor is 1
// on average at the limit, and less at a larger rate. So it ever reaches 20 in at most 1 of 20
// cases (Ville's inequality), however often one looks and whenever one stops. The answer "not
// below" uses the same average over the rates above the limit.
//
// The price: without violations it takes about 4.5 / limit trials at 95 %, where a single look at a
// fixed number of trials would take 3 / limit. A trial's chance may depend on earlier trials; then
// the answer is about the chance that each trial had.
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

// The answer of one look. An undecided trial counts against either answer.
RateAnswer AnswerAt(const RateQuestion& question, const TrialCount& seen);

// Each bound holds at all looks together: the chance that it is ever on the wrong side of the true
// rate is at most 1 - confidence.
double UpperBoundAt(const TrialCount& seen, double confidence);
double LowerBoundAt(const TrialCount& seen, double confidence);

// How many trials without a violation it takes until the answer is kBelow.
int64_t FewestForBelow(const RateQuestion& question);

// A series of looks. The first answer is final: later trials are outside its confidence level.
class SequentialTest {
 public:
  explicit SequentialTest(const RateQuestion& question) : question_(question) {}

  // Adds the trials of one more run, in the planned order of the runs. That order must not depend
  // on a run's result or duration.
  RateAnswer Take(const TrialCount& run);
  [[nodiscard]] RateAnswer answer() const { return answer_; }
  [[nodiscard]] const TrialCount& seen() const { return seen_; }  // up to the answer

 private:
  RateQuestion question_;
  TrialCount seen_;
  RateAnswer answer_ = RateAnswer::kOpen;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_RATES_SEQUENTIAL_H_
