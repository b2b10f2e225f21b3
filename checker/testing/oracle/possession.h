// For tests: who can have the lock at an instant, by trying every order. Shares no code with the
// checkers.
#ifndef DOUBLEHOLD_CHECKER_TESTING_ORACLE_POSSESSION_H_
#define DOUBLEHOLD_CHECKER_TESTING_ORACLE_POSSESSION_H_

#include <cstdint>
#include <vector>

#include "checker/testing/oracle/random_run.h"
#include "checker/testing/oracle/recorded_calls.h"

namespace doublehold::brute {

// A service that keeps its promises: it grants the lock to one session, or to several readers,
// until the release or the end of the lease. `reentrant`: its owner may enter again.
class PossessionOracle {
 public:
  PossessionOracle(const History& history, bool reentrant);

  // Whether the history is short enough to try every order.
  [[nodiscard]] bool IsShort() const { return steps_.size() < 31; }
  // Whether there is an order in which the service gives the recorded answers, and the session has
  // the lock at this time.
  [[nodiscard]] bool SomeOrderLets(const SessionId& session, int64_t at) const;
  // Whether there is such an order in which the session lacks the lock at this time, although no
  // lease ends before the time that its client was told.
  [[nodiscard]] bool SomeOrderDenies(const SessionId& session, int64_t at) const;

 private:
  // An acquire that has the lock, and the latest end of its lease. Each call of the owner of a
  // re-entrant lock may set the leases of all its entries again, each grant to a reader those of
  // all readers.
  struct Entry {
    size_t acquire = 0;  // index into `calls_`
    int64_t latest = kUnbounded;
    auto operator<=>(const Entry&) const = default;  // NOLINT(modernize-use-nullptr): no null
  };
  using Entries = std::vector<Entry>;  // sorted

  [[nodiscard]] bool SomeOrder(const std::vector<Step>& steps, const SessionId& session, int64_t at,
                               bool has) const;
  static int64_t LeaseEnd(const RecordedCall& call, const RecordedCall& acquire);
  [[nodiscard]] Entries Renewed(Entries entries, const RecordedCall& call) const;
  [[nodiscard]] std::vector<Entries> NextStates(Entries entries, size_t index) const;
  [[nodiscard]] bool MayEnter(const Entries& entries, size_t acquire) const;

  std::vector<RecordedCall> calls_;
  std::vector<Step> steps_;      // the calls, then the ends of leases
  std::vector<size_t> ends_of_;  // the acquire of each end of a lease
  bool reentrant_;
};

// Draws runs of such a service: late and lost messages, leases that end, readers or re-entry.
RunOptions DrawPossessionOptions(const Dice& dice);

}  // namespace doublehold::brute

#endif  // DOUBLEHOLD_CHECKER_TESTING_ORACLE_POSSESSION_H_
