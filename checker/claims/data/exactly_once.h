// The claim `exactly-once`: of each task one result is saved, however often it was finished.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_DATA_EXACTLY_ONCE_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_DATA_EXACTLY_ONCE_H_

#include <cstdint>
#include <optional>
#include <set>

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// What was counted of the saves, all keys together. A save that answered `ok` put its result into
// the store; one of unknown outcome perhaps did, and perhaps does so later.
//
//   c1:  save 7 ok                 twice = 1: task 7 was saved by both
//   c2:            save 7 ok
//
//   c1:  save 7 ?                  not known, until the store is counted: one task, one result: the
//   c2:            save 7 ok       first did not save. One task, two results: it did.
//
// The store tells how many tasks have a result and how many results there are. A save that was
// never answered may arrive between those two counts, so as many results may be more than tasks.
struct SaveCount {
  int64_t saved = 0;          // answered ok
  int64_t twice = 0;          // of those, of a task that had been saved
  int64_t unknown = 0;        // saves of unknown outcome
  int64_t perhaps_twice = 0;  // of those, of a task that was or may have been saved by another
  std::set<std::pair<uint16_t, int64_t>> tasks;          // that were saved
  std::set<std::pair<uint16_t, int64_t>> perhaps_tasks;  // those, and of unknown saves
  std::optional<int64_t> final_tasks;                    // in the store: tasks with a result
  std::optional<int64_t> final_results;                  // results
  bool touched_after_final = false;
  bool complete = true;  // no record was lost
  bool covered = true;   // the store was counted for every key of which a task was saved

  [[nodiscard]] bool Final() const { return final_results && !touched_after_final; }
  // Results in the store beyond one a task, that no save still on its way explains.
  [[nodiscard]] int64_t Surplus() const;
  // Tasks whose save was confirmed, and which have no result.
  [[nodiscard]] int64_t Missing() const;
};
SaveCount CountSaves(const Evidence& evidence);

// Violated when a task was saved twice, more results are in the store than tasks can have, or fewer
// tasks have one than were confirmed.
ClaimVerdict CheckExactlyOnce(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_DATA_EXACTLY_ONCE_H_
