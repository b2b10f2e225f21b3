// Executions drawn as PCT draws them (Burckhardt, Kothari, Musuvathi and Nagarakatte: A randomized
// scheduler with probabilistic guarantees of finding bugs, 2010), over what a simulated world asks.
//
// There: each thread has a random priority, the highest that can run does, and at d-1 steps drawn
// from all k the one that runs loses its priority. A bug that needs d orderings is hit with
// probability 1 / (n k^(d-1)) or more, in every single run.
//
// Here: what competes are the things due within the window of each other, and a source of choices
// is not told who they are, only whether the first due should wait until the next has gone. So
// there are two ranks in place of n: what was due first goes first, or the next goes in its place,
// turn by turn. Which of the two holds at the start is drawn; at each of `delays` change points,
// drawn from all order questions of the plain execution, it turns over. What has lost its place
// keeps on losing, to things that came later as well, until nothing else is due or the next change
// point: as a thread that has lost its priority does. Faults are change points of another kind:
// `faults` places are drawn from the fault questions of the plain execution, each place as likely,
// and each fault that can strike there. An execution that needs c given change points and f given
// faults at given places comes with probability 1 / (2 k^c m^f a^f) or more, of k order and m fault
// questions with a alternatives.
//
// Thread rule: one thread. Pure in its seed and the number of the execution.
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

  // What is asked from now on is of execution `number`, whichever came before.
  void Begin(uint64_t number);
  uint32_t Choose(ChoiceKind kind, uint32_t count) override;
  // Of this execution: GivenChoices of them is the same one.
  [[nodiscard]] const Deviations& deviations() const { return deviations_; }

 private:
  std::vector<uint32_t> DrawPlaces(uint32_t count, uint32_t questions);

  WalkTerms terms_;
  Prng random_;
  uint32_t asked_ = 0, orders_asked_ = 0, faults_asked_ = 0;
  size_t next_change_ = 0, next_fault_ = 0;
  bool first_waits_ = false;
  bool waits_ = false;                      // by the last answer about order
  std::vector<uint32_t> changes_, faults_;  // in order
  Deviations deviations_;
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_CHOICES_CHOICE_PCT_H_
