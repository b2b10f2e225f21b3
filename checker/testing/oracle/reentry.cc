// The claim `reentry`: is there an order of entries and exits in which a lock that counts them
// answers what was answered?
#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "checker/testing/oracle/operations.h"
#include "checker/testing/oracle/random_run.h"
#include "checker/testing/oracle/rows.h"

namespace doublehold::brute {
namespace {

enum class Fault : uint8_t { kNone, kInnerExitFrees, kCountsTwice };

class ReenteringClients {
 public:
  explicit ReenteringClients(Prng& prng) : play_(prng), fault_(static_cast<Fault>(play_.Any(3))) {}

  History Run() {
    play_.Begin(2, 12, [this](int32_t client, int64_t cycles) { Cycle(client, cycles); });
    return play_.Run({.lock = "brute", .lease = Lease(50), .grace = Duration(50), .nodes = 1});
  }

 private:
  void Cycle(int32_t client, int64_t cycles) {
    if (cycles == 0) return;
    const auto next = [=, this] {
      play_.Later(play_.Any(6), [=, this] { Cycle(client, cycles - 1); });
    };
    Enter(client, next, [=, this](uint64_t outer) {
      const auto out = [=, this] {
        play_.Later(play_.Any(12), [=, this] { Leave(client, outer, next); });
      };
      if (play_.OneIn(3)) return out();
      play_.Later(play_.Any(4), [=, this] {
        Enter(client, out, [=, this](uint64_t inner) { Leave(client, inner, out); });
      });
    });
  }

  void Enter(int32_t client, const Play::Next& not_granted,
             const std::function<void(uint64_t)>& granted) {
    const uint64_t hold = play_.NewHold();
    auto in = std::make_shared<bool>(false);
    play_.Record(client, Op::kAcquire, EventType::kInvoke, 0, {100'000});
    play_.Ask([=, this] { *in = Take(client); },
              [=, this] {
                play_.Record(client, Op::kAcquire, *in ? EventType::kOk : EventType::kFail,
                             *in ? hold : 0, {*in ? play_.now() + 100'000 : 1'000});
                *in ? granted(hold) : not_granted();
              },
              [=, this] {
                play_.Record(client, Op::kAcquire, EventType::kInfo, hold);
                play_.OneIn(2) ? Leave(client, hold, not_granted) : not_granted();
              });
  }

  bool Take(int32_t client) {
    if (times_ > 0 && owner_ != client) return false;
    owner_ = client;
    times_ += fault_ == Fault::kCountsTwice && play_.OneIn(3) ? 2 : 1;
    return true;
  }

  void Leave(int32_t client, uint64_t hold, const Play::Next& next) {
    const auto frees = [=, this] {
      const bool inside = times_ > 0 && owner_ == client;
      if (inside) times_ = fault_ == Fault::kInnerExitFrees ? 0 : times_ - 1;
      return inside;
    };
    play_.AskRelease(client, hold, frees, next);
  }

  Play play_;
  Fault fault_;
  int32_t owner_ = 0;
  int64_t times_ = 0;
};

History AnyNesting(Prng& prng) { return ReenteringClients(prng).Run(); }

struct EntriesCounted {
  SessionId owner;
  int times = 0;
  std::set<SessionId> asked;  // and were not granted it since: a fair lock lets them in first
  auto operator<=>(const EntriesCounted&) const = default;
};

bool MayEnter(const EntriesCounted& lock, SessionId who) {
  return lock.times == 0 || lock.owner == who;
}

EntriesCounted Entered(EntriesCounted lock, SessionId who) {
  lock.owner = who;
  ++lock.times;
  lock.asked.erase(who);
  return lock;
}

EntriesCounted Left(EntriesCounted lock) {
  if (--lock.times == 0) lock.owner = {};
  return lock;
}

std::vector<EntriesCounted> AfterEntry(const EntriesCounted& lock, const Deed& deed) {
  std::vector<EntriesCounted> next;
  EntriesCounted refused = lock;
  refused.asked.insert(deed.session);
  const bool others = std::ranges::any_of(
      lock.asked, [&](const SessionId& session) { return session != deed.session; });
  const bool may_enter = MayEnter(lock, deed.session);
  if (deed.outcome != EventType::kFail && may_enter) next.push_back(Entered(lock, deed.session));
  if (!deed.Ok() && (!may_enter || others)) next.push_back(refused);
  return next;
}

std::vector<EntriesCounted> AfterExit(const EntriesCounted& lock, const Deed& deed) {
  const bool own = lock.times > 0 && lock.owner == deed.session;
  if (deed.Perhaps()) return {own ? Left(lock) : lock};
  if (own != deed.Ok()) return {};
  return {own ? Left(lock) : lock};
}

bool IsCountedRightly(const History& history) {
  const std::vector<Deed> deeds = DeedsOf(history, {Op::kAcquire, Op::kRelease});
  std::vector<Step> steps;
  for (const Deed& deed : deeds) steps.push_back(deed.AsStep());
  const Effects<EntriesCounted> effects = [&](const EntriesCounted& lock, size_t step) {
    const Deed& deed = deeds[step];
    return deed.op == Op::kAcquire ? AfterEntry(lock, deed) : AfterExit(lock, deed);
  };
  return SomeOrder<EntriesCounted>(steps, {}, effects);
}

}  // namespace

ClaimTrials ReentryTrials() {
  return {.claim = "reentry",
          .any = AnyNesting,
          .innocent = IsCountedRightly,
          .misses =
              "it stands on what others were answered: where nobody asked meanwhile nothing shows",
          .misses_complete_ones = true};
}

}  // namespace doublehold::brute
