// The sum of the skews of one process's wall clock. A skew has the same effect whatever the others
// are. Only the strobe of the latest skew is applied.
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

  // The skew that the clock must be set to at `now`: the offset at that time, the rate from then
  // on, and the strobe.
  [[nodiscard]] ClockSkew At(MonoTime now) const;

  // Records an observation: at the time `at` the process's clock was `ahead` of the machine's.
  void Saw(MonoTime at, Duration ahead);
  // The observed effect of one skew, from the last observation since it was added. For a strobe the
  // largest effect; for a drift extrapolated to `now`. Nothing if there was no observation.
  [[nodiscard]] std::optional<Duration> SeenOf(SkewId id, MonoTime now) const;
  // Whether less than half of the skew was observed: the process reads another clock.
  [[nodiscard]] bool WasNotMoved(SkewId id) const;
  [[nodiscard]] MonoTime SinceOf(SkewId id) const { return parts_.at(id).since; }

 private:
  struct Part {
    ClockSkew skew;
    MonoTime since;
    std::optional<Duration> seen;
    MonoTime seen_at{};
  };
  // The offset that a skew causes at the time `at`, without its strobe.
  static Duration OffsetOf(const Part& part, MonoTime at);

  std::map<SkewId, Part> parts_;  // ids increase, so the last strobe is the latest
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_COMBINED_SKEW_H_
