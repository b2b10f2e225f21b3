// Counts of a run: operations, latencies, lost records, dead clients and started faults.
#ifndef DOUBLEHOLD_CHECKER_MEASURES_TALLY_H_
#define DOUBLEHOLD_CHECKER_MEASURES_TALLY_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "checker/evidence/evidence.h"
#include "checker/verdict/percentiles.h"

namespace doublehold {

struct Tally {
  int64_t unknown_acquires = 0, unknown_releases = 0, unknown_writes = 0;
  // Keys: "acquire" (granted attempts), "wait" (until the grant), "hold", "release".
  std::map<std::string, Percentiles> latency;
  int64_t attempts = 0, grants = 0, orders = 0;
  double seconds = 0;  // from the first to the last event of a client

  std::map<int32_t, int64_t> lost;  // dropped records, by process
  std::map<int32_t, int64_t> died;  // wait status of each process that ended by itself
  // How often each of RunFacts::faults started and took effect.
  std::vector<int64_t> started;
};

// Counts operations of clients only, not of the referee.
Tally Count(const Evidence& evidence);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_MEASURES_TALLY_H_
