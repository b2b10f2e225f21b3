// How fast a client goes: how long it works inside its section, how long it thinks between two.
#ifndef DOUBLEHOLD_WORKLOADS_PACE_H_
#define DOUBLEHOLD_WORKLOADS_PACE_H_

#include <vector>

#include "lib/base/env.h"
#include "lib/base/options.h"

namespace doublehold {

// `work`, `work-distribution` and `think`: what a Pace is made from.
std::vector<OptionSpec> PaceOptions(std::string_view work, std::string_view think);

// The mean of each distribution is `work`.
enum class Distribution : uint8_t {
  kUniform,      // from half to one and a half of it
  kFixed,        // always the same
  kExponential,  // cut off at 20 means
  kPareto,       // half the mean at least, and a long tail (shape 2), cut off at 100 means
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
