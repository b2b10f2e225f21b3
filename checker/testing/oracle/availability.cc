// The claim `availability`: of each refusal, can somebody have had the key at any instant of lease
// and grace before, can its client have stood behind another, or, on several nodes, not have asked
// all the time?
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "checker/testing/oracle/operations.h"
#include "checker/testing/oracle/random_run.h"
#include "checker/testing/oracle/rows.h"

namespace doublehold::brute {
namespace {

// Some never release what they had. A service that lies refuses a free key now and then.
class AskingClients {
 public:
  explicit AskingClients(Prng& prng)
      : play_(prng, 6),
        lease_(2 + play_.Any(6)),
        nodes_(play_.OneIn(3) ? 3 : 1),
        lies_(play_.OneIn(2)) {}

  History Run() {
    play_.Begin(4, 12, [this](int32_t client, int64_t cycles) { Cycle(client, 2 * cycles); });
    return play_.Run({.lock = "brute",
                      .lease = Lease(lease_),
                      .grace = Duration(play_.Any(4)),
                      .nodes = nodes_});
  }

 private:
  void Cycle(int32_t client, int64_t cycles) {
    if (cycles == 0) return;
    const auto next = [=, this] {
      play_.Later(play_.Any(play_.OneIn(3) ? 24 : lease_),
                  [=, this] { Cycle(client, cycles - 1); });
    };
    const uint64_t hold = play_.NewHold();
    const int64_t until = play_.now() + lease_;
    auto granted = std::make_shared<bool>(false);
    play_.Record(client, Op::kAcquire, EventType::kInvoke, 0, {lease_});
    const auto take = [=, this] { *granted = Take(client); };
    const auto answered = [=, this] {
      play_.Record(client, Op::kAcquire, *granted ? EventType::kOk : EventType::kFail,
                   *granted ? hold : 0, {*granted ? until : 0});
      if (!*granted || play_.OneIn(5)) return next();
      play_.Later(play_.Any(8), [=, this] { Leave(client, hold, next); });
    };
    // What may have been granted is in the way of all that follows: so few are.
    if (!play_.OneIn(8)) return play_.AskSafely(take, answered);
    play_.Ask(take, answered, [=, this] {
      play_.Record(client, Op::kAcquire, EventType::kInfo, hold);
      Leave(client, hold, next);
    });
  }

  bool Take(int32_t client) {
    const bool free = until_ <= play_.now() && !(lies_ && !play_.OneIn(3));
    if (free) owner_ = client;
    if (free) until_ = play_.now() + lease_;
    return free;
  }

  void Leave(int32_t client, uint64_t hold, const Play::Next& next) {
    const auto frees = [=, this] {
      const bool own = owner_ == client && play_.now() < until_;
      if (own) until_ = 0;
      return own;
    };
    play_.AskRelease(client, hold, frees, next);
  }

  Play play_;
  int64_t lease_;
  int nodes_;
  bool lies_;
  int32_t owner_ = 0;
  int64_t until_ = 0;
};

History AnyAsks(Prng& prng) { return AskingClients(prng).Run(); }

class Looking {
 public:
  explicit Looking(const History& history)
      : facts_(history.facts),
        lease_(ToNs(facts_.lease)),
        patience_(ToNs(facts_.lease + facts_.grace)),
        deeds_(DeedsOf(history, {Op::kAcquire, Op::kRelease})) {}

  bool EachRefusalIsRight() {
    return std::ranges::all_of(deeds_, [this](const Deed& deed) {
      return deed.op != Op::kAcquire || deed.outcome != EventType::kFail || IsRight(deed);
    });
  }

 private:
  bool IsRight(const Deed& refused) {
    const int64_t since = refused.from - patience_;
    if (since <= 0) return true;  // the run began with it
    for (int64_t at = since; at <= refused.to; ++at) {
      if (std::ranges::any_of(deeds_, [&](const Deed& d) { return MayBeTaken(d, at); }))
        return true;
    }
    if (facts_.nodes > 1 || OthersWait(refused)) {
      for (int64_t at = since - 1; at <= refused.from; ++at) {
        if (!Asks(refused, at)) return true;
      }
    }
    return facts_.nodes == 1 && OneMayHaveGone(refused, since - 1);
  }

  [[nodiscard]] const Deed* ReleaseOf(const Deed& acquire) const {
    const auto release = std::ranges::find_if(
        deeds_, [&](const Deed& d) { return d.op == Op::kRelease && d.hold == acquire.hold; });
    return release == deeds_.end() ? nullptr : &*release;
  }

  // Its session had it before, and did not release it since.
  [[nodiscard]] bool MayBeInside(const Deed& again) const {
    return std::ranges::any_of(deeds_, [&](const Deed& d) {
      const bool before =
          d.op == Op::kAcquire && d.Ok() && d.session == again.session && &d < &again;
      return before && ReleaseOf(d) == nullptr;
    });
  }

  bool MayBeTaken(const Deed& acquire, int64_t at) {
    if (acquire.op != Op::kAcquire || acquire.outcome == EventType::kFail || at < acquire.from)
      return false;
    const Deed* release = ReleaseOf(acquire);
    const bool freed = release != nullptr && release->Ok();
    if (acquire.Perhaps()) return facts_.nodes > 1 || !freed || at <= release->to;
    const bool refused = release != nullptr && release->outcome == EventType::kFail;
    if (freed || (refused && facts_.nodes == 1)) return at <= release->to;
    int64_t until = acquire.to + lease_;
    if (refused) until = std::max(until, release->to);
    bool gone = false, again = false;
    for (const Deed& other : deeds_) {
      if (other.op != Op::kAcquire || other.outcome == EventType::kFail || &other <= &acquire)
        continue;
      if (other.session == acquire.session) {
        again = again || other.from <= until;
        continue;
      }
      const int64_t left = release == nullptr ? acquire.to : release->from;
      gone = gone || (other.Ok() && !MayBeInside(other) && acquire.to < other.from &&
                      left < other.to && other.to < at);
    }
    return (again || at <= until) && !gone;
  }

  // It asked before that was refused, and was not granted it since.
  [[nodiscard]] bool Waits(const Deed& asked, const Deed& refused) const {
    if (asked.op != Op::kAcquire || asked.session == refused.session || asked.from > refused.to)
      return false;
    return std::ranges::none_of(deeds_, [&](const Deed& granted) {
      return granted.op == Op::kAcquire && granted.Ok() && granted.session == asked.session &&
             granted.to <= refused.to && &granted >= &asked;
    });
  }

  [[nodiscard]] bool OthersWait(const Deed& refused) const {
    return std::ranges::any_of(deeds_, [&](const Deed& d) { return Waits(d, refused); });
  }

  // Somebody who waits did not ask for more than a lease, at an instant since then.
  [[nodiscard]] bool OneMayHaveGone(const Deed& refused, int64_t since) const {
    return std::ranges::any_of(deeds_, [&](const Deed& asked) {
      if (!Waits(asked, refused)) return false;
      const auto next = std::find_if(&asked + 1, deeds_.data() + deeds_.size(), [&](const Deed& d) {
        return d.op == Op::kAcquire && d.session == asked.session && d.from <= refused.to;
      });
      const bool is_last = next == deeds_.data() + deeds_.size();
      const int64_t back = is_last ? refused.to : next->from;
      if (asked.to >= back) return false;
      if (asked.outcome != EventType::kFail) return back > since;
      return back - asked.to > lease_ && back > since;
    });
  }

  // Whether its session was asking then, or asked again no more than a lease after it had been
  // refused before; what it asked before it had the key itself is another matter, be it at the same
  // instant.
  [[nodiscard]] bool Asks(const Deed& refused, int64_t at) const {
    const Deed* before = nullptr;
    for (const Deed& deed : deeds_) {
      if (deed.op != Op::kAcquire || deed.session != refused.session) continue;
      const auto is_own_grant = [&](const Deed& later) {
        return later.op == Op::kAcquire && later.Ok() && later.session == refused.session;
      };
      if (&deed < &refused && std::any_of(&deed, &refused, is_own_grant)) continue;
      if (deed.outcome == EventType::kFail && deed.from <= at && at <= deed.to) return true;
      if (deed.from > at)
        return before != nullptr && before->outcome == EventType::kFail &&
               deed.from - before->to <= lease_;
      before = &deed;
    }
    return false;
  }

  const RunFacts& facts_;
  const int64_t lease_;
  const int64_t patience_;
  std::vector<Deed> deeds_;
};

bool EachRefusalIsRight(const History& history) { return Looking(history).EachRefusalIsRight(); }

}  // namespace

ClaimTrials AvailabilityTrials() {
  return {.claim = "availability",
          .any = AnyAsks,
          .innocent = EachRefusalIsRight,
          .misses =
              "whose own release says that it freed it, an acquire of unknown outcome may "
              "have been another of its session"};
}

}  // namespace doublehold::brute
