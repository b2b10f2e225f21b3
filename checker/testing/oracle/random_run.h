// For tests: one random run of a few clients with a lock server and a store, at small and often
// equal times, and the history that the clients record. Answers may be lost: then the request is
// carried out at some time, or never.
#ifndef DOUBLEHOLD_CHECKER_TESTING_ORACLE_RANDOM_RUN_H_
#define DOUBLEHOLD_CHECKER_TESTING_ORACLE_RANDOM_RUN_H_

#include <cstdint>
#include <optional>

#include "lib/base/prng.h"
#include "lib/history/history.h"

namespace doublehold::brute {

struct Dice {
  Prng& prng;

  // Uniform in [0, below).
  [[nodiscard]] int64_t Any(int64_t below) const {
    return static_cast<int64_t>(prng.Below(static_cast<uint64_t>(below)));
  }
  [[nodiscard]] bool Chance(int64_t percent) const { return Any(100) < percent; }
};

// What a client does while it holds the lock.
enum class Work : uint8_t {
  kNothing,
  kRead,    // sometimes one read
  kTokens,  // reads and writes that show the fencing token to the store
  kSale,    // takes a unit from the stock: reads it, writes it, places an order
  kRecord,  // reads or writes a record of two versions, one after the other
  kSave,    // saves the result of a task that nobody may have saved
};

// Numbers without a unit are chances in percent.
struct RunOptions {
  int64_t lease = 1'000, grace = 0;  // asked for; also the longest that is granted
  int nodes = 1;
  std::optional<LibraryFact> library{};
  Work work = Work::kNothing;

  // Clients: two or three, with one or more rounds.
  int64_t max_rounds = 3, max_pause = 6, max_stay = 1;
  int long_pauses = 0;  // up to 24
  bool random_validity = false;
  bool queues = false;  // asks several times in one wait
  bool extends = false;
  int nested = 0;  // acquires again what it holds
  int shared = 0;
  int notified = 0;  // is told at some time that its lock is lost, be that so or not
  int releases_refused = 0, releases_unknown = 0;  // an acquire that was refused, or not answered
  int forgets = 0;                                 // to release
  int leaves = 0;                                  // when it forgets: records that it leaves
  bool tries_again = false;                        // sells again after a write without an answer

  // Lost answers, in half of the runs; none in the others.
  int loses_acquire = 33, loses_release = 33, loses_work = 33;
  int killed = 0;  // when the answer to its release or its work is lost

  // The lock server, and its defects.
  bool reentrant = false, fair = false;
  bool checks_owner = true;   // before it frees a lock
  bool frees_nested = false;  // an inner release frees the outer entry too
  bool taken_at_first = false;
  int counts_twice = 0, grants_taken = 0, refuses_free = 0;
  bool says_freed = false, denies_freed = false;  // always
  int repeats_token = 0;                          // or goes back

  // The store, and its defects.
  bool checks_token = true;
  int loses_save = 0, repeats_save = 0, tears_look = 0;
  int64_t counted_from = 0;  // when the referee counts, or up to 30 later; 0: it does not
  bool miscounts = false;    // in runs that lose no answer
};

History RandomRun(const Dice& dice, const RunOptions& options);

}  // namespace doublehold::brute

#endif  // DOUBLEHOLD_CHECKER_TESTING_ORACLE_RANDOM_RUN_H_
