// The claim `order`: for each grant and each of the others, is there an order of what the two asked
// in which the grant passed nobody by?
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "checker/testing/oracle/operations.h"
#include "checker/testing/oracle/random_run.h"
#include "checker/testing/oracle/rows.h"

namespace doublehold::brute {
namespace {

class QueueingClients {
 public:
  explicit QueueingClients(Prng& prng) : play_(prng, 8), fair_(play_.OneIn(4)) {}

  History Run() {
    taken_until_ = 10 + play_.Any(30);
    play_.Begin(2, 12, [this](int32_t client, int64_t waits) { Wait(client, waits); });
    return play_.Run({.lock = "brute", .lease = 10ms, .nodes = 1});
  }

 private:
  void Wait(int32_t client, int64_t waits) {
    if (waits == 0) return;
    play_.Record(client, Op::kWait, EventType::kInvoke, 0);
    Try(client, 2 + play_.Any(4), [=, this](uint64_t hold) {
      play_.Record(client, Op::kWait, hold == 0 ? EventType::kFail : EventType::kOk, hold);
      // Not at the instant at which it gave up: nobody could tell the two waits apart.
      const auto next = [=, this] {
        play_.Later(1 + play_.Any(12), [=, this] { Wait(client, waits - 1); });
      };
      if (hold == 0) return next();
      play_.Later(play_.Any(8), [=, this] { Leave(client, hold, next); });
    });
  }

  // `over`: with the hold that was granted, or none.
  void Try(int32_t client, int64_t tries, const std::function<void(uint64_t)>& over) {
    if (tries == 0) return over(0);
    const uint64_t hold = play_.NewHold();
    auto granted = std::make_shared<bool>(false);
    play_.Record(client, Op::kAcquire, EventType::kInvoke, 0, {1'000});
    const auto again = [=, this] {
      play_.Later(play_.Any(10), [=, this] { Try(client, tries - 1, over); });
    };
    play_.Ask([=, this] { *granted = Take(client); },
              [=, this] {
                if (*granted) {
                  play_.Record(client, Op::kAcquire, EventType::kOk, hold, {play_.now() + 1'000});
                  return over(hold);
                }
                play_.Record(client, Op::kAcquire, EventType::kFail, 0, {1'000});
                again();
              },
              [=, this] {
                play_.Record(client, Op::kAcquire, EventType::kInfo, hold);
                again();
              });
  }

  bool Take(int32_t client) {
    const auto place = std::ranges::find(queue_, client);
    const bool turn = queue_.empty() || place == queue_.begin() || !fair_;
    const bool free = owner_ == client || play_.now() >= taken_until_;
    if (!free || !turn) {
      if (place == queue_.end()) queue_.push_back(client);
      return false;
    }
    if (place != queue_.end()) queue_.erase(place);
    owner_ = client;
    taken_until_ = play_.now() + 1 + play_.Any(30);
    return true;
  }

  void Leave(int32_t client, uint64_t hold, const Play::Next& next) {
    play_.Record(client, Op::kRelease, EventType::kInvoke, hold);
    play_.AskSafely(
        [=, this] {
          if (owner_ == client) taken_until_ = 0;
        },
        [=, this] {
          play_.Record(client, Op::kRelease, EventType::kOk, hold);
          next();
        });
  }

  Play play_;
  bool fair_;
  int32_t owner_ = 0;
  int64_t taken_until_;
  std::vector<int32_t> queue_;
};

History AnyQueue(Prng& prng) { return QueueingClients(prng).Run(); }

// Who stands in the queue, of the two.
struct Standing {
  bool comer = false, waiter = false;
  bool comer_first = false;  // where both do
  auto operator<=>(const Standing&) const = default;
};

void Enter(Standing& standing, bool comer) {
  if (comer && !standing.comer) {
    standing.comer = true;
    standing.comer_first = !standing.waiter;
  } else if (!comer && !standing.waiter) {
    standing.waiter = true;
    standing.comer_first = standing.comer;
  }
}

class Pair {
 public:
  Pair(const std::vector<Deed>& deeds, const Deed& grant, SessionId waiter)
      : grant_(grant), waiter_(waiter) {
    int last[2] = {-1, -1};
    for (size_t i = 0; i < deeds.size(); ++i) {
      const Deed& deed = deeds[i];
      const bool comer = deed.session == grant.session;
      if (!comer && deed.session != waiter) continue;
      int& before = last[comer ? 1 : 0];
      if (deed.op == Op::kWait) {
        if (!tries_.empty() && before >= 0) ends_wait_[static_cast<size_t>(before)] = true;
        continue;
      }
      if (deed.op != Op::kAcquire) continue;
      Step step = deed.AsStep();
      step.after = before;
      before = static_cast<int>(tries_.size());
      tries_.push_back(deed);
      steps_.push_back(step);
      ends_wait_.push_back(false);
    }
    for (const int before : last) {
      if (before >= 0) ends_wait_[static_cast<size_t>(before)] = true;
    }
  }

  [[nodiscard]] bool CanHavePassedNobody() const {
    const Effects<Standing> effects = [&](const Standing& now, size_t step) {
      return tries_[step].session == waiter_ ? OfWaiter(now, step) : OfComer(now, step);
    };
    return SomeOrder<Standing>(steps_, {}, effects);
  }

 private:
  // It keeps its place for as long as it asks again; when nobody knows what became of a question of
  // its, it may have been granted the key, or stand there for the first time.
  [[nodiscard]] std::vector<Standing> OfWaiter(const Standing& now, size_t step) const {
    Standing gone = now, there = now;
    gone.waiter = gone.comer_first = false;
    Enter(there, false);
    if (tries_[step].Ok()) return {gone};
    if (tries_[step].Perhaps()) return {now, there, gone};
    if (ends_wait_[step]) return {there, gone};
    return {there};
  }

  // It may have kept whatever place it ever had.
  [[nodiscard]] std::vector<Standing> OfComer(const Standing& now, size_t step) const {
    const Deed& deed = tries_[step];
    Standing there = now, gone = now;
    Enter(there, true);
    gone.comer = gone.comer_first = false;
    if (!deed.Ok()) return {there};
    const bool passes = now.waiter && !(now.comer && now.comer_first);
    if (passes && deed.hold == grant_.hold) return {};
    return {gone};
  }

  const Deed& grant_;
  SessionId waiter_;
  std::vector<Deed> tries_;
  std::vector<bool> ends_wait_;  // the last of its wait
  std::vector<Step> steps_;
};

bool NobodyWasPassedBy(const History& history) {
  const std::vector<Deed> deeds = DeedsOf(history, {Op::kWait, Op::kAcquire});
  return std::ranges::all_of(deeds, [&](const Deed& grant) {
    if (grant.op != Op::kAcquire || !grant.Ok()) return true;
    for (int32_t client = 1; client <= history.facts.clients; ++client) {
      if (client == grant.session.client) continue;
      if (!Pair(deeds, grant, {.client = client}).CanHavePassedNobody()) return false;
    }
    return true;
  });
}

}  // namespace

ClaimTrials OrderTrials() {
  return {.claim = "order",
          .any = AnyQueue,
          .innocent = NobodyWasPassedBy,
          .misses =
              "a question of unknown outcome counts as a place for every later grant, not for one"};
}

}  // namespace doublehold::brute
