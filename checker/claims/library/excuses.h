// Finds faults and stalls of the machine that may keep a client from acquiring a free lock.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_EXCUSES_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_EXCUSES_H_

#include <cstdint>
#include <map>
#include <optional>

#include "checker/evidence/disturbances.h"
#include "checker/evidence/evidence.h"
#include "checker/evidence/holds.h"

namespace doublehold {

// A client that asks for a key.
struct Asker {
  int32_t client = 0;
  uint16_t key = 0;
};

// The faults of a run for which `counts` is true, and its stalls. The evidence must outlive it.
class Excuses {
 public:
  Excuses(const Evidence& evidence, bool (*counts)(const FaultFact&));

  // Returns the latest end of the stalls and faults within `when` that may have delayed the client.
  // A stop, slowdown or stall of another client counts only if that client may then hold some of
  // several nodes, or may be ahead in a queue. Returns the start of `when` if there was no such
  // disturbance. Returns kForeverNs if too many servers were killed for a majority.
  [[nodiscard]] int64_t DisturbedUntil(const Span& when, const Asker& asker) const;

  // Returns DisturbedUntil. Returns nullopt if a fault or a stall before or within `when` may block
  // the key long after its end.
  [[nodiscard]] std::optional<int64_t> UndisturbedSince(const Span& when, const Asker& asker) const;

 private:
  // Whether the fault may delay a lock: faults on the store alone do not.
  [[nodiscard]] bool Counts(const FaultEpisode& episode) const;
  [[nodiscard]] bool MayBeAhead(int32_t stopped, const Span& when, const Asker& asker) const;

  const Evidence& evidence_;
  const Disturbances& disturbances_;
  bool (*counts_)(const FaultFact&);
  std::map<int, int64_t> killed_ns_;  // when each lock server was first killed
  // The start of the first fault or stall that may block a key long after its end.
  int64_t lingers_from_ns_ = kForeverNs;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_EXCUSES_H_
