// The claim `exactly-once`: one result is saved for each task, however often the task was finished.
#ifndef DOUBLEHOLD_CHECKER_CLAIMS_DATA_EXACTLY_ONCE_H_
#define DOUBLEHOLD_CHECKER_CLAIMS_DATA_EXACTLY_ONCE_H_

#include <cstdint>
#include <optional>
#include <set>

#include "checker/evidence/evidence.h"
#include "checker/verdict/checker.h"

namespace doublehold {

// Counts of saves, over all keys. A save that returned `ok` put its result into the store. A save
// of unknown outcome may have put its result into the store, or may do so later.
//
//   c1:  save 7 ok                 twice = 1: task 7 was saved by both
//   c2:            save 7 ok
//
//   c1:  save 7 ?                  unknown until the store is counted
//   c2:            save 7 ok
//
// In the second drawing, c1's save had no effect if the store has one result for task 7. c1's save
// took effect if the store has two results.
//
// The store returns two counts: tasks with a result, and results. A save of unknown outcome may
// arrive between the two counts, so results may exceed tasks by the number of such saves.
struct SaveCount {
  int64_t saved = 0;          // answered ok
  int64_t twice = 0;          // saves that returned ok for a task that had been saved before
  int64_t unknown = 0;        // saves of unknown outcome
  int64_t perhaps_twice = 0;  // unknown saves of tasks with another confirmed or unknown save
  std::set<std::pair<uint16_t, int64_t>> tasks;  // tasks with a confirmed save
  // Tasks with a confirmed save, or with a save of unknown outcome.
  std::set<std::pair<uint16_t, int64_t>> perhaps_tasks;
  std::optional<int64_t> final_tasks;    // number of tasks with a result in the store
  std::optional<int64_t> final_results;  // number of results in the store
  bool touched_after_final = false;      // a save came after the last count
  bool complete = true;                  // no record was lost
  bool covered = true;                   // the store was counted for every key with a saved task

  [[nodiscard]] bool Final() const { return final_results && !touched_after_final; }
  // Results in the store beyond one for each task, less those that saves of unknown outcome
  // explain.
  [[nodiscard]] int64_t Surplus() const;
  // Tasks with a confirmed save and no result in the store.
  [[nodiscard]] int64_t Missing() const;
};
SaveCount CountSaves(const Evidence& evidence);

// Violated when a task was saved twice, when the store has surplus results, or when fewer tasks
// have a result than were confirmed.
ClaimVerdict CheckExactlyOnce(const Evidence& evidence, const Limits& limits);

}  // namespace doublehold

#endif  // DOUBLEHOLD_CHECKER_CLAIMS_DATA_EXACTLY_ONCE_H_
