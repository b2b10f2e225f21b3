// For tests: histories drawn as text, with a lane for each client and a column for each
// millisecond. The leftmost mark of all lanes is at 0 ms.
//
//   c1:         Q-A-a==g====W--w=!==R-r   | 5 5>4
//   c2 item-1:      A--x
//   pause c1:           [--]              | 3
//   final:                              * | 4/1
//
// A client's lane (`c1`; `c1 item-1` if there are several keys; `c1.2` for its second thread):
//   Q wait invoked      q wait ended
//   A acquire invoked   a granted           b granted, shared with other readers
//                       t refused, with a retry hint
//   R release invoked   r released          f released without checking the owner
//   E extend invoked    e extended
//   W write invoked     w written, and the order confirmed     u written without an order
//   g read invoked and answered at once
//   S save invoked      k saved
//   L look invoked      l looked            (a look reads a record of two halves)
//   s late answer to the last acquire or release that was not refused    z no answer until now
//   o the driver notified the loss of the lock
//   I idle time begins  i idle time ends
//   x refused or failed ? outcome unknown                      (of the last invocation)
//   ! the lease of the last grant or extension ends; without `!` it lasts LaneOptions::asked_lease
//   - = . and space: nothing happens
// The values follow `|` in the order of the marks:
//   5         the stock that a read returned             5#3    a read with the token 3
//   5>4       the stock read and written by a write      5>4#3  a write with the token 3
//   #3        the token of a grant, which has no token without this value
//   7         the task of a save
//   1/2       the versions of the two halves in a look
//   2         the timeout of a late answer, in ms
//
// Other lanes:
//   pause c1:    [ a fault of the kind `pause` starts on client 1, ] ends   | planned length in ms
//                (`pause n1:` on node 1, `pause:` on no process)
//   machine c1:  ( an unplanned stall of client 1 starts, ) ends (also `supervisor`, `n1`)
//   lost c1: *   records of client 1 were lost        died c2: *   client 2 ended by itself
//   final: *     the referee counts                   | stock/orders
//   probe: P     probe invoked, p granted, x given up
//   expiry: *    the referee reads the PTTL of a key   | PTTL in ms
//   sent c1: *   client 1 sent a command to a lock server   | number of the server (default 1)
//            #   from here on no command is recorded
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
  Lease lease = 10ms;  // the lease of the run; the drawing shows the lease of each grant
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
  // The lease that every acquire and extension requests. A lease lasts this long unless `!` ends it
  // earlier.
  Duration asked_lease = 1s;
};

// Each kind of fault becomes a FaultFact with the kind as its name, planned as often as it is
// drawn. The n-th hold of client 2 has the number 200 + n. An unreadable lane aborts the program.
History FromLanes(std::string_view picture, const LaneOptions& options = {});

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_TESTING_ASCII_HISTORY_H_
