// The sum of the skews of one process's wall clock. A skew has the same effect beside any other
// skews. If several skews have a strobe, only the latest strobe is applied.
#ifndef DOUBLEHOLD_COMPOSE_CLUSTER_COMBINED_SKEW_H_
#define DOUBLEHOLD_COMPOSE_CLUSTER_COMBINED_SKEW_H_

#include <map>
#include <optional>

#include "faults/cluster.h"
#include "lib/base/time.h"

namespace doublehold {

class ClockSum {
 public:
  void Add(SkewId id, const ClockSkew& skew, MonoTime now);
  void Remove(SkewId id) { parts_.erase(id); }
  [[nodiscard]] bool empty() const { return parts_.empty(); }

  // Returns the skew to which the clock must be set at `now`: the offset at that time, the rate
  // from then on, and the strobe.
  [[nodiscard]] ClockSkew At(MonoTime now) const;

  // Records an observation: at the time `at` the process's clock was `ahead` of the machine's.
  void Saw(MonoTime at, Duration ahead);
  // Returns the last observed effect of one skew. For a strobe, returns the largest observed
  // effect. For a drift, extrapolates the effect to `now`. Returns nothing if the skew was not
  // observed since it was added.
  [[nodiscard]] std::optional<Duration> SeenOf(SkewId id, MonoTime now) const;
  // Whether the process reads another clock: less than half of the skew was observed.
  [[nodiscard]] bool WasNotMoved(SkewId id) const;
  [[nodiscard]] MonoTime SinceOf(SkewId id) const { return parts_.at(id).since; }

 private:
  struct Part {
    ClockSkew skew;
    MonoTime since;
    std::optional<Duration> seen;
    MonoTime seen_at{};
  };
  // Returns the offset that a skew causes at the time `at`, without its strobe.
  static Duration OffsetOf(const Part& part, MonoTime at);

  std::map<SkewId, Part> parts_;  // ids increase, so the last strobe is the latest
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_COMBINED_SKEW_H_
