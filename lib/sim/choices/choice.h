// Where everything that could go one way or another is decided. A list of its answers is an
// execution: the same list, the same execution.
//
// Thread rule: one thread. Pure in what it was asked: no clock, no randomness but a seed's.
#ifndef DOUBLEHOLD_LIB_SIM_CHOICES_CHOICE_H_
#define DOUBLEHOLD_LIB_SIM_CHOICES_CHOICE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/prng.h"
#include "lib/base/result.h"

namespace doublehold::sim {

enum class ChoiceKind : uint8_t {
  kFault,  // 0: nothing happens here
  kOrder,  // 0: what is due first goes first; 1: it waits, and comes behind all that is due with the next
};

class ChoiceSource {
 public:
  virtual ~ChoiceSource() = default;
  // One of `count` alternatives, 0..count-1; `count` is 2 or more. 0 is the plain one: nothing
  // unusual.
  virtual uint32_t Choose(ChoiceKind kind, uint32_t count) = 0;
};

// An answer other than 0, and which of the questions it was given to.
struct Deviation {
  uint32_t at = 0;
  uint32_t choice = 0;
  ChoiceKind kind = ChoiceKind::kFault;
  bool operator==(const Deviation&) const = default;
};
// By place, each place once. "12:1-40:3"; "" of none.
using Deviations = std::vector<Deviation>;
std::string ToText(const Deviations& deviations);
// Without kinds: those are known when it is run.
Result<Deviations> ParseDeviations(std::string_view text);

// Answers 0 but where it is told otherwise, and notes what it was asked after the last of these.
class GivenChoices final : public ChoiceSource {
 public:
  struct Question {
    uint32_t at = 0;
    uint32_t count = 0;
    ChoiceKind kind = ChoiceKind::kFault;
  };

  // `given` outlives it.
  explicit GivenChoices(const Deviations& given) : given_(given) {}

  uint32_t Choose(ChoiceKind kind, uint32_t count) override {
    const uint32_t at = asked_++;
    if (next_ < given_.size() && given_[next_].at == at) {
      const uint32_t choice = given_[next_++].choice;
      if (choice < count) return choice;
      if (!misfit_) misfit_ = Question{.at = at, .count = count, .kind = kind};
      return 0;
    }
    if (next_ == given_.size()) open_.push_back({.at = at, .count = count, .kind = kind});
    return 0;
  }

  // The questions after the last deviation, in turn.
  [[nodiscard]] const std::vector<Question>& open() const { return open_; }
  // Whether what was given could be answered so: else it is of another world.
  [[nodiscard]] bool Fits() const { return !misfit_ && next_ == given_.size(); }
  // Which of them could not, and why; nothing: all could.
  [[nodiscard]] std::optional<std::string> WhyUnfit() const;

 private:
  const Deviations& given_;
  size_t next_ = 0;
  uint32_t asked_ = 0;
  std::optional<Question> misfit_;  // the first that has no such answer
  std::vector<Question> open_;
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_CHOICES_CHOICE_H_
