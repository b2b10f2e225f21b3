#include "lib/sim/choices/random_walk.h"

#include <algorithm>

namespace doublehold::sim {

WalkTerms WithQuestions(WalkTerms terms, const std::vector<GivenChoices::Question>& plain) {
  const auto faults = std::ranges::count(plain, ChoiceKind::kFault, &GivenChoices::Question::kind);
  terms.fault_questions = static_cast<uint32_t>(faults);
  terms.order_questions = static_cast<uint32_t>(plain.size()) - terms.fault_questions;
  return terms;
}

RandomWalk::RandomWalk(const WalkTerms& terms) : terms_(terms), random_(0, "") { Begin(0); }

void RandomWalk::Begin(uint64_t number) {
  random_ = Prng(terms_.seed, "random walk", number);
  asked_ = 0;
  deviations_.clear();
  Draw(places_[static_cast<size_t>(ChoiceKind::kFault)], terms_.faults, terms_.fault_questions);
  Draw(places_[static_cast<size_t>(ChoiceKind::kOrder)], terms_.delays, terms_.order_questions);
}

// Draws `count` places among the questions of one kind. The first place is within the plain
// execution. Further places may be beyond its end, because an execution with a fault may ask more
// questions.
void RandomWalk::Draw(Places& places, uint32_t count, uint32_t questions) {
  places.asked = 0;
  places.next = 0;
  places.at.clear();
  places.awaited = kNoMore;
  if (questions == 0) return;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t reach = i == 0 ? questions : questions + questions / 2;
    places.at.push_back(static_cast<uint32_t>(random_.Below(reach)));
  }
  std::ranges::sort(places.at);
  if (count > 0) places.awaited = places.at.front();
}

uint32_t RandomWalk::Choose(ChoiceKind kind, uint32_t count) {
  const uint32_t at = asked_++;
  Places& places = places_[static_cast<size_t>(kind)];
  const uint32_t of_kind = places.asked++;
  // If two deviations were drawn for one question, the second deviation applies to the next
  // question.
  if (places.awaited > of_kind) return 0;
  places.awaited = ++places.next < places.at.size() ? places.at[places.next] : kNoMore;
  const auto choice = static_cast<uint32_t>(1 + random_.Below(count - 1));
  deviations_.push_back({.at = at, .choice = choice, .kind = kind});
  return choice;
}

}  // namespace doublehold::sim
