// What may keep a client from acquiring a free lock: faults, and stalls of the machine.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_EXCUSES_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_EXCUSES_H_

#include <cstdint>
#include <optional>

#include "checker/evidence/disturbances.h"
#include "checker/evidence/holds.h"

namespace doublehold {

// Refers to the scene.
class Disturbances {
 public:
  explicit Disturbances(const Scene& scene) : scene_(scene), facts_(scene.facts) {}

  // The latest end of the disturbances that overlap a span; its beginning if there are none.
  // Nothing: an earlier fault may block the key for long.
  [[nodiscard]] std::optional<int64_t> OverSince(const Span& when, int32_t client) const;

 private:
  [[nodiscard]] bool NoMajorityIsLeft(int64_t by_ns) const;

  const Scene& scene_;
  const RunFacts& facts_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_EXCUSES_H_
