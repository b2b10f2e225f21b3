// Measures how a lock serves its load: waits, hand-overs, fairness between sessions, and traffic.
#ifndef DOUBLEHOLD_CHECKER_MEASURES_LOAD_H_
#define DOUBLEHOLD_CHECKER_MEASURES_LOAD_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "checker/evidence/evidence.h"
#include "checker/verdict/percentiles.h"

namespace doublehold {

struct Load {
  // "response": from the time at which a customer came by its schedule to its grant. If it gives up
  // first, it waited at least until then, and counts with this time: without it, the longest waits
  // would be missing. Empty without a schedule.
  // "handover": from the invocation of a release to the next grant of the key, if another session
  // waited for the key already:
  //
  //   c1:  A-a==R--r
  //   c2:     Q-A-----a=R-r         6 ms, from R to a; Q begins the wait
  std::map<std::string, Percentiles> latency;
  // Jain's index of the sessions' grants: 1 if all have equally many, 1/n if one of n has all.
  // Nothing if fewer than two sessions asked for the lock, or nobody was granted it.
  std::optional<double> jain_index;

  // Commands to lock servers, and bytes both ways. Nothing if the run did not count them.
  struct Sent {
    int64_t commands = 0;
    int64_t bytes = 0;
  };
  std::optional<Sent> sent;
  // Commands of holders, from the grant to the release. Nothing if the run did not record the time
  // of each command.
  struct Renewals {
    int64_t commands = 0;
    int64_t held_ns = 0;  // all holds together
  };
  std::optional<Renewals> renewals;
};

// A pure function. Counts clients only, not the referee.
Load MeasureLoad(const Evidence& evidence);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_MEASURES_LOAD_H_
