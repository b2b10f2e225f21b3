// For tests: runs a few clients against a lock server and a store, and returns the history that the
// clients record. Times are small and often equal. A request whose answer is lost is executed
// later, or never.
#ifndef DOUBLEHOLD_CHECKER_TESTING_ORACLE_RANDOM_RUN_H_
#define DOUBLEHOLD_CHECKER_TESTING_ORACLE_RANDOM_RUN_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "lib/base/prng.h"
#include "lib/history/history.h"

namespace doublehold::brute {

struct Dice {
  Prng& prng;

  // Uniform in [0, below).
  [[nodiscard]] int64_t Below(int64_t below) const {
    return static_cast<int64_t>(prng.Below(static_cast<uint64_t>(below)));
  }
  [[nodiscard]] bool Chance(int64_t percent) const { return Below(100) < percent; }
};

// The work of a client in each hold.
enum class Work : uint8_t {
  kNothing,
  kRead,    // one read, in half of the holds
  kTokens,  // up to two reads or writes that show the fencing token to the store
  kSale,    // a sale: reads the stock, writes it less one, places an order
  kRecord,  // a read or a write of a record whose two halves each have a version
  kSave,    // saves the result of a random task; the store accepts one result for each task
};

// Times are in ns. All `int` members except `nodes` are chances in percent.
struct RunOptions {
  int64_t lease = 1'000;  // the lease that every acquire requests; no granted lease is longer
  int64_t grace = 0;
  int nodes = 1;
  std::optional<LockTraits> traits{};
  std::optional<LibraryFact> library{};
  Work work = Work::kNothing;

  // The clients: two or three, each with 1 to `max_rounds` rounds.
  int64_t max_rounds = 3;
  int64_t max_pause = 6;         // limit (exclusive) of a pause between two rounds
  int64_t max_stay = 1;          // limit (exclusive) of the client's stay in a hold
  int long_pauses = 0;           // a pause has the limit 24 ns instead of max_pause
  bool random_validity = false;  // each granted lease is valid for 1 ns to `lease`
  bool queues = false;           // each wait has several acquires, until one is granted
  bool extends = false;          // a third of the holds have a watchdog
  int nested = 0;                // the client acquires the lock again during its hold
  int shared = 0;                // the acquire is shared
  int notified = 0;  // the client records a lost-lock notification, whether or not the lock is lost
  int releases_after_refusal = 0;  // the client releases although its acquire was refused
  int releases_after_unknown = 0;  // the client releases although its acquire was not answered
  int forgets_release = 0;         // the client does not release its hold
  int leaves = 0;                  // a client that does not release records a `leave`
  bool retries_sale = false;       // the client repeats a sale whose write was not answered

  // Chances of a lost answer. In half of the runs no answer is lost.
  int loses_acquire = 33, loses_release = 33, loses_work = 33;
  // One or two faults disturb the run, and the history records them. The server counts each lease
  // from the arrival of its request.
  bool faults = false;
  int killed = 0;  // a lost answer, except to an acquire, kills its caller: a client or a watchdog

  // The lock server, and its defects.
  bool reentrant = false;
  bool fair = false;           // grants in the order of the queue
  bool checks_owner = true;    // a release frees its client's entry (if false, every entry)
  bool frees_nested = false;   // an inner release frees the outer entry too
  bool held_at_start = false;  // another process holds the lock until a time of 10 to 39 ns
  int counts_entry_twice = 0;  // one acquire counts as two entries
  int grants_held_lock = 0, refuses_free_lock = 0;
  bool always_reports_success = false;  // every release reports success
  bool always_reports_failure = false;  // every release reports failure
  int repeats_token = 0;                // a grant repeats the last token, or returns a smaller one

  // The store, and its defects.
  bool checks_token = true;  // rejects stale tokens
  int loses_save = 0;        // a save returns `ok` but has no effect
  int repeats_save = 0;      // a second save of a task is accepted
  int tears_look = 0;        // a read of a record returns the previous version of one half
  int64_t counted_from = 0;  // the referee counts at this time or up to 29 ns later, or never if 0
  bool miscounts = false;    // the referee's counts may be off by one, in runs that lose no answer
};

// For each instant, the clients with an entry on the lock server: bit i is client i. At an instant
// of a change, those before and after it.
using Truth = std::vector<uint32_t>;

History RandomRun(const Dice& dice, const RunOptions& options, Truth* truth = nullptr);

}  // namespace doublehold::brute

#endif  // DOUBLEHOLD_CHECKER_TESTING_ORACLE_RANDOM_RUN_H_
