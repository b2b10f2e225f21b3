// Histories drawn as pictures, for tests: a lane a client, a column a millisecond. The leftmost
// mark is at 0.
//
//   c1:         Q-A-a==g====W--w=!==R-r   | 5 5>4
//   c2 item-1:      A--x
//   pause c1:           [--]              | 3
//   final:                              * | 4/1
//
// A client's lane (`c1`, or `c1 item-1` where there are several keys; `c1.2`: its second thread):
//   Q wait invoked      q wait over
//   A acquire invoked   a granted           b granted, beside other readers
//                       t refused, and told for how long the key is taken
//   R release invoked   r released          f freed something, without looking whose it was
//   E extend invoked    e extended
//   W write invoked     w written, and the order confirmed     u written only
//   g read, within the column
//   S save invoked      k saved
//   L look invoked      l looked
//   s a driver answered the last that was not refused, late    z  it was not answered until now
//   o a driver says that the lock is lost
//   I is idle from here on     i  to here
//   x refused, failed   ? outcome unknown                      (both of what was invoked last)
//   ! the lease of the last grant or extension is over; without it that is in a second, or as the options say
//   - = . and space: nothing happens
// What follows `|` are the values, in their order: `5` of a read, `5>4` (read, written) of a write,
// `7` (task) of a save, `1/2` (the halves) of a look. `#3` is the token of a grant, `5#3` and
// `5>4#3` that of a read and a write; a grant without is left out. `2` of a late answer is its
// time-out in ms.
//
// Other lanes:
//   pause c1:    [ a fault of that kind starts on client 1, ] it is healed    | asked ms
//   jump n1:     on node 1;  `delay:` on neither
//   machine c1:  ( ) an unplanned stall of client 1; `machine supervisor:`, `machine n1:`
//   lost c1: *   records of client 1 were lost        died c2: *   client 2 ended by itself
//   final: *     | stock/orders, as the referee found them
//   probe: P     p granted, x given up                expiry: *    | PTTL in ms
//   sent c1: *   a command of client 1 came by, on its way to a server of locks    | its number (else 1)
//            #   from here on none is recorded
#ifndef DOUBLEHOLD_CHECKER_TESTING_ASCII_HISTORY_H_
#define DOUBLEHOLD_CHECKER_TESTING_ASCII_HISTORY_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/history/history.h"

namespace doublehold {

struct LaneOptions {
  Lease lease = 10ms;  // for the checkers' notion of near; a grant's own is as drawn
  Duration grace = 10ms;
  int64_t stock = 5;
  int nodes = 1;
  std::string write = "read-modify-write";
  std::vector<std::string> claims{"exclusion"};
  std::map<std::string, std::string> expect;
  std::map<std::string, std::vector<std::string>> expect_cause{};
  std::string lock = "drawn";
  std::optional<LibraryFact> library{};
  std::map<std::string, std::string> limits{};
  Duration asked_lease = 1s;  // of every acquire and extension; and as long a lease without `!` is
};

// Fault kinds become FaultFacts of the same name, planned as often as drawn. Hold numbers are the
// client's, times 100, plus how many it was granted: client 2's first is 201. A lane that cannot be
// read fails a CHECK: pictures are code.
History FromLanes(std::string_view picture, const LaneOptions& options = {});

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_TESTING_ASCII_HISTORY_H_
