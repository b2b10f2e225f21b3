// Every decision of a simulated execution is an answer of a ChoiceSource. A list of answers
// determines an execution: the same list gives the same execution.
//
// Thread rule: one thread. The answers depend only on the questions and a seed, not on a clock.
#ifndef DOUBLEHOLD_LIB_SIM_CHOICES_CHOICE_H_
#define DOUBLEHOLD_LIB_SIM_CHOICES_CHOICE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/prng.h"
#include "lib/base/result.h"
#include "lib/sim/state/state_digest.h"

namespace doublehold::sim {

enum class ChoiceKind : uint8_t {
  // 0: no fault begins here. Any other answer selects the fault.
  kFault,
  // 0: the event that is due first happens first. 1: this event is deferred behind the next event,
  // and behind all events with the due time of the next event.
  kOrder,
};

class ChoiceSource {
 public:
  virtual ~ChoiceSource() = default;
  // Returns one of `count` alternatives, 0..count-1. `count` is at least 2. Answer 0 means no fault
  // and no reordering.
  virtual uint32_t Choose(ChoiceKind kind, uint32_t count) = 0;
  // Whether the world must call TakeState before each question about a fault. The answer must not
  // change while a world exists.
  [[nodiscard]] virtual bool WantsStates() const { return false; }
  // `idle`: how many of the question's last answers change nothing.
  virtual void TakeState(const std::function<StateDigest()>& /*digest*/, uint32_t /*idle*/) {}
};

// An answer other than 0, and the index of the question that it answers.
struct Deviation {
  uint32_t at = 0;
  uint32_t choice = 0;
  ChoiceKind kind = ChoiceKind::kFault;
  bool operator==(const Deviation&) const = default;
};
// Ordered by index, each index once. The text form is "12:1-40:3". The text of an empty list is
// empty.
using Deviations = std::vector<Deviation>;
std::string ToText(const Deviations& deviations);
// The text does not contain the kinds of the questions. Each kind is known only when the execution
// runs.
Result<Deviations> ParseDeviations(std::string_view text);

// Gives the answers listed in `given`, and answers 0 to every other question. Records the questions
// after the last listed answer.
class GivenChoices final : public ChoiceSource {
 public:
  struct Question {
    uint32_t at = 0;
    uint32_t count = 0;
    ChoiceKind kind = ChoiceKind::kFault;
  };

  struct State {
    StateDigest digest;
    uint32_t idle = 0;
  };

  // `given` must outlive this object. With `keeps_states`, keeps the world's states.
  explicit GivenChoices(const Deviations& given, bool keeps_states = false)
      : given_(given), keeps_states_(keeps_states) {}

  uint32_t Choose(ChoiceKind kind, uint32_t count) override {
    const uint32_t at = asked_++;
    if (next_ < given_.size() && given_[next_].at == at) {
      const uint32_t choice = given_[next_++].choice;
      if (choice < count) return choice;
      if (!misfit_) misfit_ = Question{.at = at, .count = count, .kind = kind};
      return 0;
    }
    if (next_ == given_.size()) {
      open_.push_back({.at = at, .count = count, .kind = kind});
      if (keeps_states_ && kind == ChoiceKind::kOrder) states_.emplace_back();
    }
    return 0;
  }

  [[nodiscard]] bool WantsStates() const override { return keeps_states_; }
  void TakeState(const std::function<StateDigest()>& digest, uint32_t idle) override {
    if (next_ == given_.size()) states_.push_back({.digest = digest(), .idle = idle});
  }

  // The questions after the last deviation, in order.
  [[nodiscard]] const std::vector<Question>& open() const { return open_; }
  // The world's state at each open question, if kept. None at a question about an order.
  [[nodiscard]] const std::vector<State>& states() const { return states_; }
  // Whether every given answer was possible. If not, the list belongs to another world.
  [[nodiscard]] bool Fits() const { return !misfit_ && next_ == given_.size(); }
  // Returns the first given answer that was not possible, with the reason. Returns nothing when all
  // answers were possible.
  [[nodiscard]] std::optional<std::string> WhyUnfit() const;

 private:
  const Deviations& given_;
  const bool keeps_states_;
  std::vector<State> states_;
  size_t next_ = 0;
  uint32_t asked_ = 0;
  std::optional<Question> misfit_;  // the first question for which the given answer is not possible
  std::vector<Question> open_;
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_CHOICES_CHOICE_H_
