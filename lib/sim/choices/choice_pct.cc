#include "lib/sim/choices/choice_pct.h"

#include <algorithm>

namespace doublehold::sim {

void PctChoices::Begin(uint64_t number) {
  random_ = Prng(terms_.seed, "pct", number);
  asked_ = orders_asked_ = faults_asked_ = 0;
  next_change_ = next_fault_ = 0;
  waits_ = false;
  deviations_.clear();
  changes_ = DrawPlaces(terms_.delays, terms_.order_questions);
  faults_ = DrawPlaces(terms_.faults, terms_.fault_questions);
  first_waits_ = terms_.delays > 0 && random_.Below(2) == 1;
}

std::vector<uint32_t> PctChoices::DrawPlaces(uint32_t count, uint32_t questions) {
  std::vector<uint32_t> places;
  for (uint32_t i = 0; i < count && questions > 0; ++i)
    places.push_back(static_cast<uint32_t>(random_.Below(questions)));
  std::ranges::sort(places);
  return places;
}

uint32_t PctChoices::Choose(ChoiceKind kind, uint32_t count) {
  const uint32_t at = asked_++;
  uint32_t choice = 0;
  if (kind == ChoiceKind::kOrder) {
    const uint32_t of_kind = orders_asked_++;
    for (; next_change_ < changes_.size() && changes_[next_change_] <= of_kind; ++next_change_)
      first_waits_ = !first_waits_;
    // After a deferral, the next question is about the event that took the deferred event's place.
    choice = first_waits_ && !waits_ ? 1 : 0;
    waits_ = choice == 1;
  } else {
    const uint32_t of_kind = faults_asked_++;
    // If two faults were drawn for one question, the second fault begins at the next question.
    if (next_fault_ < faults_.size() && faults_[next_fault_] <= of_kind) {
      ++next_fault_;
      choice = static_cast<uint32_t>(1 + random_.Below(count - 1));
    }
  }
  if (choice > 0) deviations_.push_back({.at = at, .choice = choice, .kind = kind});
  return choice;
}

}  // namespace doublehold::sim
