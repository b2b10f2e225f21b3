// The skews of one process's wall clock, added up. What each one does to the clock is the same
// whatever the others do; of several strobes the latest is in force.
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
  [[nodiscard]] bool Has(SkewId id) const { return parts_.contains(id); }

  // What the clock is to be set to at `now`: its offset by then, its rate from then on, its strobe.
  [[nodiscard]] ClockSkew At(MonoTime now) const;

  // Takes in what was seen: at `at` the whole clock was `ahead` of the machine's.
  void Saw(MonoTime at, Duration ahead);
  // What a part was seen to do, by the last sight since it was added; of a strobe, the furthest. A
  // drift is counted on from there to `now`. Absent: never seen.
  [[nodiscard]] std::optional<Duration> SeenOf(SkewId id, MonoTime now) const;
  // Whether it was seen to do less than half of what it should: the process reads another clock.
  [[nodiscard]] bool WasNotMoved(SkewId id) const;
  [[nodiscard]] MonoTime SinceOf(SkewId id) const { return parts_.at(id).since; }

 private:
  struct Part {
    ClockSkew skew;
    MonoTime since;
    std::optional<Duration> seen;
    MonoTime seen_at{};
  };
  // Of a part at an instant, but for its strobe.
  static Duration OffsetOf(const Part& part, MonoTime at);

  std::map<SkewId, Part> parts_;  // ids grow: the last one with a strobe is the latest
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_CLUSTER_COMBINED_SKEW_H_
