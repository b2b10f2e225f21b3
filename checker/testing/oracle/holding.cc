#include "checker/testing/oracle/holding.h"

#include <algorithm>
#include <memory>

#include "checker/testing/oracle/random_run.h"

namespace doublehold::brute {
namespace {

enum class Flavour : uint8_t { kPlain, kNested, kReaders };

struct Inside {
  int32_t client = 0;
  uint64_t hold = 0;
  bool shared = false;
  int64_t until = 0;
};

class HoldingClients {
 public:
  explicit HoldingClients(Prng& prng)
      : play_(prng),
        flavour_(static_cast<Flavour>(play_.Any(3))),
        careful_(play_.OneIn(3)),
        lease_(play_.OneIn(2) ? 2 + play_.Any(20) : 30 + play_.Any(60)) {}

  History Run() {
    play_.Begin(2, 8, [this](int32_t client, int64_t cycles) { Cycle(client, cycles); });
    return play_.Run({.lock = "brute", .lease = Lease(lease_), .nodes = 1});
  }

 private:
  void Cycle(int32_t client, int64_t cycles) {
    if (cycles == 0) return;
    const bool shared = flavour_ == Flavour::kReaders && !play_.OneIn(3);
    const auto again = [this, client, cycles] {
      play_.Later(play_.Any(9), [this, client, cycles] { Cycle(client, cycles - 1); });
    };
    Enter(
        client, shared, [this, client, again](uint64_t hold) { Work(client, hold, again); }, again);
  }

  void Enter(int32_t client, bool shared, const std::function<void(uint64_t)>& granted,
             const Play::Next& not_granted) {
    const uint64_t hold = play_.NewHold();
    const int64_t until = play_.now() + 1 + play_.Any(lease_);
    auto is_in = std::make_shared<bool>(false);
    play_.Record(client, Op::kAcquire, EventType::kInvoke, 0, {lease_});
    play_.Ask(
        [=, this] {
          *is_in = Take({client, hold, shared, until});
        },
        [=, this] {
          if (!*is_in) {
            play_.Record(client, Op::kAcquire, EventType::kFail, 0);
            return not_granted();
          }
          play_.Record(client, Op::kAcquire, EventType::kOk, hold, {until, 0, shared ? 1 : 0});
          granted(hold);
        },
        [=, this] {
          play_.Record(client, Op::kAcquire, EventType::kInfo, hold);
          if (play_.OneIn(2)) return not_granted();
          Leave(client, hold, not_granted);
        });
  }

  bool Take(const Inside& one) {
    const bool taken = std::ranges::any_of(inside_, [&](const Inside& other) {
      return other.client != one.client && !(other.shared && one.shared) &&
             play_.now() < other.until;
    });
    if (taken && (careful_ || play_.OneIn(3))) return false;
    inside_.push_back(one);
    return true;
  }

  void Work(int32_t client, uint64_t hold, const Play::Next& next) {
    if (play_.OneIn(3)) Extend(client, hold);
    if (play_.OneIn(4)) {
      play_.Record(client, Op::kRead, EventType::kInvoke, hold);
      play_.Record(client, Op::kRead, EventType::kOk, hold, {1});
    }
    const auto leave = [=, this] {
      play_.Later(play_.Any(6), [=, this] { End(client, hold, next); });
    };
    if (flavour_ != Flavour::kNested || play_.OneIn(2)) return leave();
    play_.Later(play_.Any(3), [=, this] {
      Enter(
          client, false,
          [=, this](uint64_t inner) {
            play_.Later(play_.Any(3), [=, this] { End(client, inner, leave); });
          },
          leave);
    });
  }

  // Beside what the session does.
  void Extend(int32_t client, uint64_t hold) {
    const int64_t until = play_.now() + 1 + play_.Any(lease_);
    play_.Record(client, Op::kExtend, EventType::kInvoke, hold, {until - play_.now()});
    auto done = std::make_shared<bool>(false);
    play_.Ask(
        [=, this] {
          for (Inside& one : inside_) {
            if (one.hold != hold || one.until < play_.now()) continue;
            *done = true;
            one.until = until;
          }
        },
        [=, this] {
          play_.Record(client, Op::kExtend, *done ? EventType::kOk : EventType::kFail, hold,
                       {*done ? until : 0});
          if (play_.OneIn(3)) Extend(client, hold);
        },
        [=, this] { play_.Record(client, Op::kExtend, EventType::kInfo, hold); });
  }

  // Or forgets to.
  void End(int32_t client, uint64_t hold, const Play::Next& next) {
    if (!play_.OneIn(8)) return Leave(client, hold, next);
    if (play_.OneIn(2)) play_.Record(client, Op::kLeave, EventType::kInfo, hold);
    next();
  }

  void Leave(int32_t client, uint64_t hold, const Play::Next& next) {
    play_.Record(client, Op::kRelease, EventType::kInvoke, hold);
    auto freed = std::make_shared<bool>(false);
    play_.Ask(
        [=, this] {
          *freed = std::erase_if(inside_, [hold](const Inside& i) { return i.hold == hold; }) > 0;
        },
        [=, this] {
          play_.Record(client, Op::kRelease, *freed ? EventType::kOk : EventType::kFail, hold);
          next();
        },
        [=, this] {
          if (play_.OneIn(3)) return;  // killed
          play_.Record(client, Op::kRelease, EventType::kInfo, hold);
          next();
        });
  }

  Play play_;
  Flavour flavour_;
  bool careful_;
  int64_t lease_;
  std::vector<Inside> inside_;
};

// Of one that was never released nor left.
int64_t EndOfUnreleased(const History& history, const Deed& grant) {
  const auto own = [&](const Event& event) {
    return SessionOf(event) == grant.session && event.task == TaskKind::kSession;
  };
  size_t last_under_it = 0;
  for (size_t i = 0; i < history.events.size(); ++i) {
    if (own(history.events[i]) && history.events[i].hold == grant.hold) last_under_it = i;
  }
  int64_t end = grant.to;
  for (size_t i = 0; i < history.events.size(); ++i) {
    const Event& event = history.events[i];
    if (!own(event)) continue;
    const bool anew = event.op == Op::kAcquire && event.type == EventType::kInvoke;
    if (anew && i > last_under_it) break;
    end = std::max(end, event.at_ns);
  }
  return end;
}

bool WasUnknown(const History& history, uint64_t hold) {
  return std::ranges::any_of(history.events, [hold](const Event& event) {
    return event.op == Op::kAcquire && event.type == EventType::kInfo && event.hold == hold;
  });
}

// When the session of one that was never released asked for the key again; or released what it
// perhaps had, or left this one and something extended it.
int64_t AskedAgain(const History& history, const Deed& grant) {
  size_t last_under_it = 0;
  int64_t again = kEver;
  int64_t unclear = kEver;
  bool granted = false;
  bool left = false;
  for (size_t i = 0; i < history.events.size(); ++i) {
    const Event& event = history.events[i];
    if (event.op == Op::kLeave && event.hold == grant.hold) left = true;
    if (left && event.op == Op::kExtend && event.hold == grant.hold &&
        event.type == EventType::kInvoke)
      unclear = std::min(unclear, event.at_ns);
    if (SessionOf(event) != grant.session || event.task != TaskKind::kSession) continue;
    const bool perhaps = event.op == Op::kRelease && WasUnknown(history, event.hold);
    granted = granted || (event.op == Op::kAcquire && event.type == EventType::kOk &&
                          event.hold == grant.hold);
    if (perhaps && granted) unclear = std::min(unclear, event.at_ns);
    if (event.hold == grant.hold) last_under_it = i, again = kEver;
    const bool asks = event.op == Op::kAcquire && event.type == EventType::kInvoke;
    if (asks && i > last_under_it && event.at_ns >= grant.to) again = std::min(again, event.at_ns);
  }
  return std::min(again, unclear);
}

}  // namespace

History AnyHolding(Prng& prng) { return HoldingClients(prng).Run(); }

std::vector<Holding> HoldingsOf(const History& history) {
  const std::vector<Deed> deeds = DeedsOf(history, {Op::kAcquire, Op::kRelease});
  std::vector<Holding> holdings;
  for (const Deed& grant : deeds) {
    if (grant.op != Op::kAcquire || !grant.Ok()) continue;
    Holding holding{.grant = grant, .shared = grant.answer[2] != 0, .end = -1};
    for (const Event& event : history.events) {
      if (event.op == Op::kLeave && event.hold == grant.hold) holding.end = event.at_ns;
    }
    for (const Deed& release : deeds) {
      if (release.op != Op::kRelease || release.hold != grant.hold) continue;
      holding.end = release.from;
      if (!release.Perhaps()) holding.gone = release.to;
    }
    const bool released = std::ranges::any_of(deeds, [&](const Deed& deed) {
      return deed.op == Op::kRelease && deed.hold == grant.hold;
    });
    if (holding.end < 0) holding.end = EndOfUnreleased(history, grant);
    holding.kept = released ? holding.end : std::max(holding.end, AskedAgain(history, grant));
    holdings.push_back(holding);
  }
  return holdings;
}

}  // namespace doublehold::brute
