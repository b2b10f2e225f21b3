// The claim `fencing`: is there an order of the grants in which their tokens rise, and one of what
// the store took in which none is below one before it?
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "checker/testing/oracle/operations.h"
#include "checker/testing/oracle/random_run.h"
#include "checker/testing/oracle/rows.h"

namespace doublehold::brute {
namespace {

class FencedClients {
 public:
  explicit FencedClients(Prng& prng)
      : play_(prng), forgets_(play_.OneIn(3)), takes_all_(play_.OneIn(2)) {}

  History Run() {
    play_.Begin(3, 8, [this](int32_t client, int64_t cycles) { Cycle(client, cycles); });
    return play_.Run({.lock = "brute", .lease = 10ms, .nodes = 1});
  }

 private:
  void Cycle(int32_t client, int64_t cycles) {
    if (cycles == 0) return;
    const auto next = [=, this] {
      play_.Later(play_.Any(6), [=, this] { Cycle(client, cycles - 1); });
    };
    Enter(
        client,
        [=, this](uint64_t hold, int64_t token) {
          Use(client, hold, token, play_.Any(3), [=, this] {
            if (!play_.OneIn(4)) return Leave(client, hold, next);
            Enter(
                client, [=, this](uint64_t inner, int64_t) { Leave(client, inner, next); }, next);
          });
        },
        next);
  }

  void Enter(int32_t client, const std::function<void(uint64_t, int64_t)>& granted,
             const Play::Next& not_granted) {
    const uint64_t hold = play_.NewHold();
    auto token = std::make_shared<int64_t>(0);
    play_.Record(client, Op::kAcquire, EventType::kInvoke, 0, {100});
    play_.Ask([=, this] { *token = TokenFor(client); },
              [=, this] {
                const bool ok = *token != 0;
                play_.Record(client, Op::kAcquire, ok ? EventType::kOk : EventType::kFail,
                             ok ? hold : 0, {ok ? play_.now() + 100 : 0, *token});
                ok ? granted(hold, *token) : not_granted();
              },
              [=, this] {
                play_.Record(client, Op::kAcquire, EventType::kInfo, hold);
                not_granted();
              });
  }

  // Its own again for who is in. A lease may be over at any time. 0: it is taken.
  int64_t TokenFor(int32_t client) {
    if (owner_ == client) return token_;
    if (owner_ != 0 && !play_.OneIn(2)) return 0;
    owner_ = client;
    if (forgets_ && play_.OneIn(2)) {
      token_ = std::max<int64_t>(1, token_ - play_.Any(2));
    } else {
      ++token_;
    }
    return token_;
  }

  void Use(int32_t client, uint64_t hold, int64_t token, int64_t times, const Play::Next& next) {
    if (times == 0) return next();
    const Op op = play_.OneIn(2) ? Op::kRead : Op::kWrite;
    auto taken = std::make_shared<bool>(false);
    play_.Record(client, op, EventType::kInvoke, hold, {0, 0, 0, token});
    const auto on = [=, this](EventType type) {
      play_.Record(client, op, type, hold, {0, 0, 0, token});
      play_.Later(play_.Any(8), [=, this] { Use(client, hold, token, times - 1, next); });
    };
    play_.Ask(
        [=, this] {
          *taken = takes_all_ || token >= seen_;
          if (*taken) seen_ = std::max(seen_, token);
        },
        [=] { on(*taken ? EventType::kOk : EventType::kFail); }, [=] { on(EventType::kInfo); });
  }

  void Leave(int32_t client, uint64_t hold, const Play::Next& next) {
    const auto frees = [=, this] {
      if (owner_ == client) owner_ = 0;
      return true;
    };
    play_.AskRelease(client, hold, frees, next);
  }

  Play play_;
  bool forgets_;    // the counter now and then
  bool takes_all_;  // the store does not compare
  int32_t owner_ = 0;
  int64_t token_ = 0;
  int64_t seen_ = 0;
};

History AnyFenced(Prng& prng) { return FencedClients(prng).Run(); }

// A session may be given its own token again: it had entered and not been told to leave since, or
// perhaps so.
bool MayBeItsOwn(const std::vector<Deed>& deeds, size_t grant) {
  const bool unsure = std::ranges::any_of(deeds, [&](const Deed& deed) {
    return deed.session == deeds[grant].session && deed.Perhaps() && deed.from <= deeds[grant].from;
  });
  std::vector<uint64_t> inside;
  for (size_t i = 0; i < grant; ++i) {
    const Deed& deed = deeds[i];
    if (deed.session != deeds[grant].session) continue;
    if (deed.op == Op::kAcquire && deed.Ok()) inside.push_back(deed.hold);
    if (deed.op == Op::kRelease) std::erase(inside, deed.hold);
  }
  return unsure || !inside.empty();
}

bool TokensRise(const History& history) {
  const std::vector<Deed> deeds = DeedsOf(history, {Op::kAcquire, Op::kRelease});
  std::vector<size_t> grants;
  std::vector<Step> steps;
  for (size_t i = 0; i < deeds.size(); ++i) {
    if (deeds[i].op != Op::kAcquire || !deeds[i].Ok()) continue;
    grants.push_back(i);
    steps.push_back({.from = deeds[i].from, .to = deeds[i].to});
  }
  using Last = std::pair<int64_t, SessionId>;
  const Effects<Last> effects = [&](const Last& last, size_t step) -> std::vector<Last> {
    const Deed& grant = deeds[grants[step]];
    const Last next{grant.answer[1], grant.session};
    const bool again = next == last && MayBeItsOwn(deeds, grants[step]);
    if (next.first > last.first || again) return {next};
    return {};
  };
  return SomeOrder<Last>(steps, {}, effects);
}

bool StoreCompares(const History& history) {
  std::vector<Deed> deeds = DeedsOf(history, {Op::kRead, Op::kWrite});
  std::erase_if(deeds, [](const Deed& deed) { return !deed.Ok(); });
  std::vector<Step> steps;
  for (const Deed& deed : deeds) steps.push_back({.from = deed.from, .to = deed.to});
  const Effects<int64_t> effects = [&](const int64_t& seen, size_t step) -> std::vector<int64_t> {
    const int64_t token = deeds[step].answer[3];
    if (token < seen) return {};
    return {token};
  };
  return SomeOrder<int64_t>(steps, 0, effects);
}

bool RiseAndAreCompared(const History& history) {
  return TokensRise(history) && StoreCompares(history);
}

}  // namespace

ClaimTrials FencingTrials() {
  return {.claim = "fencing", .any = AnyFenced, .innocent = RiseAndAreCompared};
}

}  // namespace doublehold::brute
