#include "compose/cluster/combined_skew.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace doublehold {
namespace {

// The limits of the clock page. If skews together would stop a clock or run it backwards, it runs
// at the lowest rate.
constexpr double kSlowest = 0.01;
constexpr double kFastest = 100;
// Smaller skews cannot be distinguished from the error of the measurement.
constexpr Duration kSmallestObservable = 5ms;

}  // namespace

void ClockSum::Add(SkewId id, const ClockSkew& skew, MonoTime now) {
  parts_[id] = {.skew = skew, .since = now, .seen = std::nullopt};
}

Duration ClockSum::OffsetOf(const Part& part, MonoTime at) {
  const double ahead = (part.skew.rate - 1.0) * static_cast<double>(ToNs(at - part.since));
  return part.skew.offset + Duration(std::llround(ahead));
}

ClockSkew ClockSum::At(MonoTime now) const {
  ClockSkew sum;
  for (const auto& [id, part] : parts_) {
    sum.offset += OffsetOf(part, now);
    sum.rate += part.skew.rate - 1.0;
    if (part.skew.swing == Duration{}) continue;
    sum.swing = part.skew.swing;
    sum.period = part.skew.period;
  }
  sum.rate = std::clamp(sum.rate, kSlowest, kFastest);
  return sum;
}

void ClockSum::Saw(MonoTime at, Duration ahead) {
  const ClockSkew whole = At(at);
  for (auto& [id, part] : parts_) {
    if (at < part.since) continue;
    const Duration own = OffsetOf(part, at);
    Duration seen = ahead - (whole.offset - own);
    if (part.skew.swing != Duration{}) {
      if (!part.seen || std::chrono::abs(seen) > std::chrono::abs(*part.seen)) part.seen = seen;
      continue;
    }
    // Another skew may be a strobe, which is either on or off at this time. Assumes the state in
    // which the observation is closer to this skew.
    const Duration without = seen - whole.swing;
    if (std::chrono::abs(without - own) < std::chrono::abs(seen - own)) seen = without;
    part.seen = seen;
    part.seen_at = at;
  }
}

std::optional<Duration> ClockSum::SeenOf(SkewId id, MonoTime now) const {
  const Part& part = parts_.at(id);
  if (!part.seen || part.skew.swing != Duration{}) return part.seen;
  return *part.seen + OffsetOf(part, now) - OffsetOf(part, part.seen_at);
}

bool ClockSum::WasNotMoved(SkewId id) const {
  const Part& part = parts_.at(id);
  if (!part.seen) return false;
  const bool strobes = part.skew.swing != Duration{};
  const Duration asked = std::chrono::abs(strobes ? part.skew.swing : OffsetOf(part, part.seen_at));
  return asked > kSmallestObservable && std::chrono::abs(*part.seen) * 2 < asked;
}

}  // namespace doublehold
