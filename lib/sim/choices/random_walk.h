// Draws executions at random. Places of faults and deferrals are drawn uniformly over the whole
// run.
//
// Thread rule: one thread. Depends only on its seed and the number of the walk.
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
  uint32_t faults = 1;  // per execution, at most
  uint32_t delays = 0;  // deferrals per execution, at most
  // Number of questions of each kind in the plain execution, which answers 0 to every question.
  uint32_t fault_questions = 0;
  uint32_t order_questions = 0;
};
// Returns `terms` with the numbers of questions in `plain`.
WalkTerms WithQuestions(WalkTerms terms, const std::vector<GivenChoices::Question>& plain);

// Draws one walk after the other. The first fault always begins, at a uniformly drawn place of the
// plain execution. A further fault may be drawn beyond the end of the execution. Such a fault never
// begins.
class RandomWalk final : public ChoiceSource {
 public:
  explicit RandomWalk(const WalkTerms& terms);

  // Starts walk `number`. Its answers do not depend on earlier walks.
  void Begin(uint64_t number);
  uint32_t Choose(ChoiceKind kind, uint32_t count) override;
  // The deviations of this walk. With these, GivenChoices replays the execution.
  [[nodiscard]] const Deviations& deviations() const { return deviations_; }

 private:
  static constexpr uint32_t kNoMore = UINT32_MAX;
  // The questions of one kind, and the indices of those that get an answer other than 0.
  struct Places {
    uint32_t asked = 0;
    uint32_t awaited = kNoMore;  // at[next]: index of the next such question
    size_t next = 0;
    std::vector<uint32_t> at{};  // sorted
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
