// Histories drawn as text, for tests: a lane for each client, a column for each millisecond. The
// leftmost mark is at 0.
//
//   c1:         Q-A-a==g====W--w=!==R-r   | 5 5>4
//   c2 item-1:      A--x
//   pause c1:           [--]              | 3
//   final:                              * | 4/1
//
// A client's lane (`c1`; `c1 item-1` if there are several keys; `c1.2` for its second thread):
//   Q wait invoked      q wait over
//   A acquire invoked   a granted           b granted, beside other readers
//                       t refused, with a retry hint
//   R release invoked   r released          f freed, without checking the owner
//   E extend invoked    e extended
//   W write invoked     w written, and the order confirmed     u written only
//   g read, within the column
//   S save invoked      k saved
//   L look invoked      l looked
//   s late answer of the last call that was not refused          z  no answer until now
//   o the driver notified the loss of the lock
//   I idle from here on      i  to here
//   x refused, failed   ? outcome unknown                      (of the last invocation)
//   ! the last lease ends; without `!` it lasts a second, or as the options say
//   - = . and space: nothing happens
// The values follow `|` in their order: `5` for a read, `5>4` (read, written) for a write, `7`
// (task) for a save, `1/2` (the halves) for a look. `#3` is the token of a grant, `5#3` and `5>4#3`
// that of a read and a write; without it there is no token. `2` for a late answer is its timeout in
// ms.
//
// Other lanes:
//   pause c1:    [ a fault of that kind starts on client 1, ] it is healed    | asked ms
//   jump n1:     on node 1;  `delay:` on neither
//   machine c1:  ( ) an unplanned stall of client 1; `machine supervisor:`, `machine n1:`
//   lost c1: *   records of client 1 were lost        died c2: *   client 2 ended by itself
//   final: *     | stock/orders, as the referee found them
//   probe: P     p granted, x given up                expiry: *    | PTTL in ms
//   sent c1: *   a command of client 1 went to a lock server    | the server's number (else 1)
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
  Lease lease = 10ms;  // the run's lease; a grant's own lease is as drawn
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
  Duration asked_lease = 1s;  // of every acquire and extension, and of a lease without `!`
};

// Fault kinds become FaultFacts of the same name, planned as often as drawn. The n-th hold of
// client 2 is 200 + n. An unreadable lane fails a CHECK: drawings are code.
History FromLanes(std::string_view picture, const LaneOptions& options = {});

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_TESTING_ASCII_HISTORY_H_
