#include "checker/brute/play.h"

#include <algorithm>

namespace doublehold::brute {

Play::Play(Prng& prng, int clients, int64_t lost_one_in)
    : prng_(prng),
      stretch_(1 + Any(6)),
      lost_one_in_(lost_one_in),
      loses_(OneIn(2)),
      clients_(clients) {}

void Play::Ask(const Next& work, Next answered, Next lost) {
  if (loses_ && OneIn(lost_one_in_)) {
    if (!OneIn(3)) Later(Any(OneIn(2) ? stretch_ : 8 * stretch_), work);
    return Later(Any(stretch_), std::move(lost));
  }
  AskSafely(work, std::move(answered));
}

void Play::AskSafely(const Next& work, Next answered) {
  Later(Any(stretch_), [this, work, answered = std::move(answered)] {
    work();
    Later(Any(stretch_), answered);
  });
}

void Play::Record(int32_t client, Op op, EventType type, uint64_t hold, Values values) {
  events_.push_back({.at_ns = now_,
                     .hold = hold,
                     .client = client,
                     .op = op,
                     .type = type,
                     .task = op == Op::kExtend ? TaskKind::kWatchdog : TaskKind::kSession,
                     .value = values});
}

History Play::Run(RunFacts facts) {
  while (!due_.empty()) {
    const auto first = due_.begin();
    now_ = first->first;
    const Next next = std::move(first->second);
    due_.erase(first);
    next();
  }
  facts.clients = clients_;
  facts.keys = {"a"};
  return {.facts = std::move(facts), .events = std::move(events_)};
}

}  // namespace doublehold::brute
