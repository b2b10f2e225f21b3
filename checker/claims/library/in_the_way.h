// Finds when a client may be in the way of other clients that ask for a key.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_IN_THE_WAY_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_IN_THE_WAY_H_

#include <cstdint>
#include <map>
#include <vector>

#include "checker/claims/library/free_intervals.h"
#include "checker/evidence/evidence.h"
#include "checker/evidence/holds.h"

namespace doublehold {

// When each client may hold the lock of a key, some of its nodes, or a place in its queue.
//
//   c1:       A-a==R-r                 from A to r
//   c2:         A-x  A-x  A-a=R-r      with a queue, from the first A to r
//   c2:         A-x      !             on several nodes, from A to !, a lease after x
//
// A hold lasts as in FindPossibleHolds. On one node, a refused client may keep its place in a
// queue until its next grant.
class TimesInTheWay {
 public:
  void Add(int32_t client, const Span& when) { of_client_[client].push_back(when); }
  // Sorts and joins the times. Required before MayBeIn.
  void Join();
  // Whether one of the client's times shares an instant with `when`. Includes the ends.
  [[nodiscard]] bool MayBeIn(int32_t client, const Span& when) const;

 private:
  std::map<int32_t, std::vector<Span>> of_client_;
};

// Returns the times in the way of each key. `holds`: the result of FindPossibleHolds.
std::map<uint16_t, TimesInTheWay> FindTimesInTheWay(const Evidence& evidence,
                                                    const PossibleHolds& holds);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_LIBRARY_IN_THE_WAY_H_
