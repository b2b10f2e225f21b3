// The claim `release`: for each release that did not look, is there an order of the grants in which
// what it freed was its own, or nobody's any more?
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "checker/testing/oracle/holding.h"
#include "checker/testing/oracle/random_run.h"
#include "checker/testing/oracle/rows.h"

namespace doublehold::brute {
namespace {

class ReleasingClients {
 public:
  explicit ReleasingClients(Prng& prng)
      : play_(prng), lease_(play_.OneIn(4) ? 1'000 : 1 + play_.Any(12)), looks_(play_.OneIn(8)) {}

  History Run() {
    play_.Begin(2, 12, [this](int32_t client, int64_t cycles) { Cycle(client, cycles); });
    return play_.Run({.lock = "brute", .lease = Lease(lease_), .nodes = 1});
  }

 private:
  void Cycle(int32_t client, int64_t cycles) {
    if (cycles == 0) return;
    const auto next = [=, this] {
      play_.Later(play_.Any(6), [=, this] { Cycle(client, cycles - 1); });
    };
    const uint64_t hold = play_.NewHold();
    const int64_t until = play_.now() + lease_;
    auto granted = std::make_shared<bool>(false);
    play_.Record(client, Op::kAcquire, EventType::kInvoke, 0, {lease_});
    const auto take = [=, this] { *granted = Take(client, until); };
    const auto answered = [=, this] {
      play_.Record(client, Op::kAcquire, *granted ? EventType::kOk : EventType::kFail,
                   *granted ? hold : 0, {*granted ? until : 0});
      if (!*granted) {  // "finally" releases all the same, now and then
        if (!play_.OneIn(6)) return next();
        return Leave(client, 0, next);
      }
      if (play_.OneIn(8)) return next();  // forgets it
      play_.Later(play_.Any(24), [=, this] { Leave(client, hold, next); });
    };
    // What may have been granted unknown to anybody explains any release: so few are.
    if (!play_.OneIn(4)) return play_.AskSafely(take, answered);
    play_.Ask(take, answered, [=, this] {
      play_.Record(client, Op::kAcquire, EventType::kInfo, hold);
      next();
    });
  }

  bool Take(int32_t client, int64_t until) {
    if (owner_ != 0 && play_.now() < until_) return false;
    owner_ = client;
    until_ = until;
    return true;
  }

  void Leave(int32_t client, uint64_t hold, const Play::Next& next) {
    const auto frees = [=, this] {
      const bool freed = owner_ != 0 && play_.now() < until_ && (!looks_ || owner_ == client);
      if (freed) owner_ = 0;
      return freed;
    };
    play_.AskRelease(client, hold, frees, next, !looks_);
  }

  Play play_;
  int64_t lease_;
  bool looks_;
  int32_t owner_ = 0;
  int64_t until_ = 0;
};

History AnyOwnReleases(Prng& prng) { return ReleasingClients(prng).Run(); }

// What is there: who was granted it, and whether that one has begun to release it since.
using There = std::vector<std::pair<size_t, bool>>;

class Grants {
 public:
  explicit Grants(const History& history) : holdings_(HoldingsOf(history)) {
    for (const Deed& deed : DeedsOf(history, {Op::kAcquire, Op::kRelease})) {
      if (deed.op == Op::kRelease) {
        if (deed.Ok() && deed.answer[0] == 1) unchecked_.push_back(deed);
        for (Known& known : grants_) known.left = known.left || known.deed.hold == deed.hold;
      } else if (deed.outcome != EventType::kFail) {
        grants_.push_back({.deed = deed, .again = MayBeIn(deed.session)});
      }
    }
    for (Known& known : grants_) {
      known.step = steps_.size();
      Step step = known.deed.AsStep();
      step.after = -1;
      steps_.push_back(step);
      owner_.push_back(&known);
      for (const Holding& holding : holdings_) {
        if (holding.grant.hold != known.deed.hold) continue;
        steps_.push_back(
            {.from = holding.end, .to = holding.end, .after = static_cast<int>(known.step)});
        owner_.push_back(&known);
      }
    }
  }

  [[nodiscard]] bool AllInnocent() const {
    return std::ranges::all_of(unchecked_, [this](const Deed& r) { return IsInnocent(r); });
  }

 private:
  struct Known {
    Deed deed;
    bool again = false;
    bool left = false;
    size_t step = 0;
  };

  [[nodiscard]] bool MayBeIn(SessionId session) const {
    return std::ranges::any_of(grants_, [&](const Known& known) {
      return known.deed.session == session && known.deed.Ok() && !known.left;
    });
  }

  [[nodiscard]] bool IsInnocent(const Deed& release) const {
    std::vector<Step> steps = steps_;
    steps.push_back({.from = release.from, .to = release.to});
    const Effects<There> effects = [&](const There& there, size_t step) -> std::vector<There> {
      if (step == steps_.size()) {
        // Something was there, or it would not have freed it.
        const bool harmless = std::ranges::any_of(there, [&](const auto& lock) {
          const Deed& grant = owner_[lock.first]->deed;
          return lock.second || grant.Perhaps() || grant.session == release.session;
        });
        return harmless ? std::vector<There>{there} : std::vector<There>{};
      }
      const Known& known = *owner_[step];
      if (step != known.step) {
        There next = there;
        for (auto& [lock, over] : next) over = over || lock == known.step;
        return {next};
      }
      const There own{{step, false}};
      // Who is in already need not have asked the server.
      return known.again ? std::vector<There>{there, own} : std::vector<There>{own};
    };
    return SomeOrder<There>(steps, {}, effects);
  }

  std::vector<Holding> holdings_;
  std::vector<Known> grants_;
  std::vector<Deed> unchecked_;
  std::vector<Step> steps_;
  std::vector<const Known*> owner_;  // of each step
};

bool EachFreedItsOwn(const History& history) { return Grants(history).AllInnocent(); }

}  // namespace

ClaimTrials ReleaseTrials() {
  return {.claim = "release", .any = AnyOwnReleases, .innocent = EachFreedItsOwn};
}

}  // namespace doublehold::brute
