// Draws executions of a simulated world by PCT (Burckhardt, Kothari, Musuvathi and Nagarakatte: A
// randomized scheduler with probabilistic guarantees of finding bugs, 2010).
//
// In PCT, each of n threads has a random priority, and the runnable thread with the highest
// priority runs. At d-1 steps drawn from all k steps, the running thread loses its priority. A run
// hits a bug that needs d orderings with probability 1 / (n k^(d-1)) or more.
//
// Here events that are due within one window compete, instead of threads. A ChoiceSource does not
// see which events these are. It decides only whether the event that is due first is deferred
// behind the next event. Therefore two ranks replace the n priorities: the first event goes first,
// or the next event goes first.
// - The first rank is drawn.
// - At each of `delays` change points the rank is inverted. Change points are drawn from all order
//   questions of the plain execution.
// - A deferred event is also deferred behind later events. This ends when no other event is due, or
//   at the next change point. In PCT, a thread that has lost its priority behaves in the same way.
// - Faults are drawn separately: `faults` places from the fault questions of the plain execution,
//   uniformly, and each possible fault at such a place uniformly.
//
// Let the plain execution have k order questions and m fault questions with a alternatives. An
// execution that needs c given change points and f given faults at given places is drawn with
// probability 1 / (2 k^c m^f a^f) or more.
//
// Thread rule: one thread. Depends only on its seed and the number of the execution.
#ifndef DOUBLEHOLD_LIB_SIM_CHOICES_CHOICE_PCT_H_
#define DOUBLEHOLD_LIB_SIM_CHOICES_CHOICE_PCT_H_

#include <cstdint>
#include <vector>

#include "lib/base/prng.h"
#include "lib/sim/choices/choice.h"
#include "lib/sim/choices/random_walk.h"

namespace doublehold::sim {

class PctChoices final : public ChoiceSource {
 public:
  explicit PctChoices(const WalkTerms& terms) : terms_(terms), random_(0, "") { Begin(0); }

  // Starts execution `number`. Its answers do not depend on earlier executions.
  void Begin(uint64_t number);
  uint32_t Choose(ChoiceKind kind, uint32_t count) override;
  // The deviations of this execution. With these, GivenChoices replays the execution.
  [[nodiscard]] const Deviations& deviations() const { return deviations_; }

 private:
  std::vector<uint32_t> DrawPlaces(uint32_t count, uint32_t questions);

  WalkTerms terms_;
  Prng random_;
  uint32_t asked_ = 0, orders_asked_ = 0, faults_asked_ = 0;
  size_t next_change_ = 0, next_fault_ = 0;
  bool first_waits_ = false;
  bool waits_ = false;                      // the last answer to an order question
  std::vector<uint32_t> changes_, faults_;  // sorted
  Deviations deviations_;
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_CHOICES_CHOICE_PCT_H_
