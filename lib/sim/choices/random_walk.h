// Executions drawn at random: each has its faults, and its changes of order, at places drawn over
// the whole run.
//
// Thread rule: one thread. Pure in its seed and the number of the walk.
#ifndef DOUBLEHOLD_LIB_SIM_CHOICES_RANDOM_WALK_H_
#define DOUBLEHOLD_LIB_SIM_CHOICES_RANDOM_WALK_H_

#include <array>
#include <cstdint>
#include <vector>

#include "lib/base/prng.h"
#include "lib/sim/choices/choice.h"

namespace doublehold::sim {

struct WalkTerms {
  uint64_t seed = 1;
  uint32_t faults = 1;  // in one execution, at most
  uint32_t delays = 0;  // likewise: how often what is due waits for what comes next
  // How many questions of each kind an execution asks that all are answered plainly.
  uint32_t fault_questions = 0;
  uint32_t order_questions = 0;
};
// With the numbers of what was asked in such an execution.
WalkTerms WithQuestions(WalkTerms terms, const std::vector<GivenChoices::Question>& plain);

// One walk after the other. The first fault strikes for sure, each place of the plain execution
// being as likely as any other; a further one may come to stand behind the end, and then does not.
class RandomWalk final : public ChoiceSource {
 public:
  explicit RandomWalk(const WalkTerms& terms);

  // What is asked from now on is of walk `number`, whichever came before.
  void Begin(uint64_t number);
  uint32_t Choose(ChoiceKind kind, uint32_t count) override;
  // Of this walk: GivenChoices of them is the same execution.
  [[nodiscard]] const Deviations& deviations() const { return deviations_; }

 private:
  static constexpr uint32_t kNoMore = UINT32_MAX;
  // The questions of one kind, and those that are answered otherwise.
  struct Places {
    uint32_t asked = 0;
    uint32_t awaited = kNoMore;  // at[next]
    size_t next = 0;
    std::vector<uint32_t> at{};  // in order
  };
  static constexpr size_t kKinds = 2;

  void Draw(Places& places, uint32_t count, uint32_t questions);

  WalkTerms terms_;
  Prng random_;
  uint32_t asked_ = 0;
  std::array<Places, kKinds> places_;
  Deviations deviations_;
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_CHOICES_RANDOM_WALK_H_
