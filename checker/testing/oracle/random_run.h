// For tests: clients that do a few things at random, at random and often equal times, with answers
// that may be lost; and the history that they record.
#ifndef DOUBLEHOLD_CHECKER_TESTING_ORACLE_RANDOM_RUN_H_
#define DOUBLEHOLD_CHECKER_TESTING_ORACLE_RANDOM_RUN_H_

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "lib/base/prng.h"
#include "lib/history/history.h"

namespace doublehold::brute {

class Play {
 public:
  using Next = std::function<void()>;
  using Values = std::array<int64_t, 4>;

  // Two clients or three. One answer in so many is lost in about half of the plays, none in the
  // others.
  explicit Play(Prng& prng, int64_t lost_one_in = 3);

  // Each client begins `within` so long, and is to do so many rounds: one to `most`.
  void Begin(int64_t most, int64_t within,
             const std::function<void(int32_t client, int64_t rounds)>& round);

  // Uniform in [0, below).
  int64_t Any(int64_t below) {
    return static_cast<int64_t>(prng_.Below(static_cast<uint64_t>(below)));
  }
  bool OneIn(int64_t n) { return Any(n) == 0; }
  [[nodiscard]] int64_t now() const { return now_; }
  [[nodiscard]] bool loses() const { return loses_; }

  void Later(int64_t by, Next next) { due_.emplace(now_ + by, std::move(next)); }
  // `work` at some instant, and some time after it `answered`. Or the answer is lost: then it is
  // done some time, or never.
  void Ask(const Next& work, Next answered, Next lost);
  // The same where no answer is lost.
  void AskSafely(const Next& work, Next answered);
  // Of a lock that grants at once, and whom it likes.
  uint64_t Enter(int32_t client);
  void Leave(int32_t client, uint64_t hold);
  // Asks for a release: `frees` does it, and says whether there was anything of its own. One that
  // is lost goes on as well.
  using Frees = std::function<bool()>;
  void AskRelease(int32_t client, uint64_t hold, const Frees& frees, const Next& next,
                  bool unchecked = false);
  void Record(int32_t client, Op op, EventType type, uint64_t hold, Values values = {});
  uint64_t NewHold() { return ++holds_; }

  // Until nobody has anything left to do.
  History Run(RunFacts facts);

 private:
  Prng& prng_;
  int clients_;
  int64_t now_ = 0;
  int64_t stretch_;
  int64_t lost_one_in_;
  bool loses_;
  uint64_t holds_ = 0;
  std::multimap<int64_t, Next> due_;  // of equal times, in the order in which they were asked for
  std::vector<Event> events_;
};

}  // namespace doublehold::brute

#endif  // DOUBLEHOLD_CHECKER_TESTING_ORACLE_RANDOM_RUN_H_
