// The pace of a client: how long it works in a section, and how long it pauses between sections.
#ifndef DOUBLEHOLD_WORKLOADS_PACE_H_
#define DOUBLEHOLD_WORKLOADS_PACE_H_

#include <vector>

#include "lib/base/env.h"
#include "lib/base/options.h"

namespace doublehold {

// Returns the options `work`, `work-distribution` and `think`.
std::vector<OptionSpec> PaceOptions(std::string_view work, std::string_view think);

// The mean of every distribution is `work`.
enum class Distribution : uint8_t {
  kUniform,      // between half and 1.5 times the mean
  kFixed,        // always the same
  kExponential,  // cut off at 20 means
  kPareto,       // at least half the mean, with a long tail (shape 2), cut off at 100 means
};
Duration Draw(Distribution distribution, Duration mean, Prng& random);

class Pace {
 public:
  explicit Pace(const Options& options);
  void Work(Env& env) const;
  void Think(Env& env) const;

 private:
  Distribution distribution_;
  Duration work_;
  Duration think_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_WORKLOADS_PACE_H_
