// Whether a rate lies below a limit, asked again after every run: when to stop.
//
// Why no interval will do: one that misses in 5 % of all cases is looked at again and again here,
// and whoever stops at the first look that pleases them errs far more often than that.
//
// What we do instead: a mixture sequential probability ratio test (Robbins 1970). Against "the rate
// is the limit or more" bets a likelihood ratio, averaged over all rates below the limit:
//
//                 1   / limit  q^k (1-q)^(n-k)
//   evidence =  ----- |       ------------------------- dq        k violated of n trials
//               limit / 0     limit^k (1-limit)^(n-k)
//
// While the rate is the limit or more, this is a supermartingale that begins at 1: each factor is 1
// on average where the rate is the limit, and less where it is larger. So it ever reaches 20 in at
// most 1 of 20 cases (Ville's inequality), however often one looks and whenever one stops. The
// answer "not below" comes from the same, averaged over the rates above.
//
// The price: with none seen it takes about 4.5 / limit trials at 95 %, where one look at a number
// of trials fixed beforehand would take 3 / limit. A trial's chance may hang on those before it;
// the answer then is about the chance that each one had.
#ifndef DOUBLEHOLD_CHECKER_RATES_SEQUENTIAL_H_
#define DOUBLEHOLD_CHECKER_RATES_SEQUENTIAL_H_

#include <cstdint>
#include <string_view>

namespace doublehold {

// Trials of one kind, counted. What is undecided may have been violated.
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

// Of one look. What is undecided counts against either answer.
RateAnswer AnswerAt(const RateQuestion& question, const TrialCount& seen);

// Each holds at every look at once: that it ever lies below the true rate, or above it, has a
// chance of at most 1 - confidence.
double UpperBoundAt(const TrialCount& seen, double confidence);
double LowerBoundAt(const TrialCount& seen, double confidence);

// How many trials it takes until the answer is kBelow if none of them is violated.
int64_t FewestForBelow(const RateQuestion& question);

// The looks one after another. The first answer stays: what is seen later belongs to nobody's
// level.
class SequentialTest {
 public:
  explicit SequentialTest(const RateQuestion& question) : question_(question) {}

  // The trials of one more run, in the order in which the runs were planned: whether a run is
  // looked at must not hang on how it went, nor on how long it took.
  RateAnswer Take(const TrialCount& run);
  [[nodiscard]] RateAnswer answer() const { return answer_; }
  [[nodiscard]] const TrialCount& seen() const { return seen_; }  // until the answer

 private:
  RateQuestion question_;
  TrialCount seen_;
  RateAnswer answer_ = RateAnswer::kOpen;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_RATES_SEQUENTIAL_H_
