// Finds the versions of a library that show a violation, with few probes.
#ifndef DOUBLEHOLD_COMPOSE_SUITE_BISECT_H_
#define DOUBLEHOLD_COMPOSE_SUITE_BISECT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace doublehold {

enum class Probe : uint8_t {
  kSeen,      // the violation was seen
  kNotSeen,   // all runs were decided, without it
  kUnusable,  // the version cannot be installed or run, or its runs were not decided
};

// The versions around one that shows the violation. Versions are indices, oldest first.
struct SeenRange {
  size_t first = 0, last = 0;  // seen in both, and assumed of those between them
  // The neighbours outside, and what they showed. Empty: `first` is the oldest version, or `last`
  // the newest.
  std::optional<Probe> before{}, after{};
};

// Requires that version `seen` of `count` shows the violation. Calls `probe` at most once for each
// version, and about 2 log2(count) times. Assumes that versions which show it are neighbours. A
// version that is unusable between usable ones is skipped.
SeenRange FindSeenRange(size_t count, size_t seen, const std::function<Probe(size_t)>& probe);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_SUITE_BISECT_H_
