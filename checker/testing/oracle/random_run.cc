#include "checker/testing/oracle/random_run.h"

#include <memory>

namespace doublehold::brute {

Play::Play(Prng& prng, int64_t lost_one_in)
    : prng_(prng),
      clients_(static_cast<int>(2 + Any(2))),
      stretch_(1 + Any(6)),
      lost_one_in_(lost_one_in),
      loses_(OneIn(2)) {}

void Play::Begin(int64_t most, int64_t within,
                 const std::function<void(int32_t client, int64_t rounds)>& round) {
  for (int32_t client = 1; client <= clients_; ++client) {
    const int64_t rounds = 1 + Any(most);
    Later(Any(within), [=] { round(client, rounds); });
  }
}

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

uint64_t Play::Enter(int32_t client) {
  const uint64_t hold = NewHold();
  Record(client, Op::kAcquire, EventType::kInvoke, 0, {1'000});
  Record(client, Op::kAcquire, EventType::kOk, hold, {1'000});
  return hold;
}

void Play::Leave(int32_t client, uint64_t hold) {
  Record(client, Op::kRelease, EventType::kInvoke, hold);
  Record(client, Op::kRelease, EventType::kOk, hold);
}

void Play::AskRelease(int32_t client, uint64_t hold, const Frees& frees, const Next& next,
                      bool unchecked) {
  Record(client, Op::kRelease, EventType::kInvoke, hold);
  const auto freed = std::make_shared<bool>(false);
  Ask([=] { *freed = frees(); },
      [=, this] {
        Record(client, Op::kRelease, *freed ? EventType::kOk : EventType::kFail, hold,
               {*freed && unchecked ? 1 : 0});
        next();
      },
      [=, this] {
        Record(client, Op::kRelease, EventType::kInfo, hold);
        next();
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
