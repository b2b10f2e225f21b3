// The claim `release-result`: for each release that looked and said that it freed its own, is there
// an order of the grants in which its own was still there? And the claim `lost-lock-notification`:
// of each release, was it there when, from then on, its holder was not told for lease and grace?
#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "checker/testing/oracle/operations.h"
#include "checker/testing/oracle/random_run.h"
#include "checker/testing/oracle/rows.h"

namespace doublehold::brute {
namespace {

// Their leases are often too short for what they do; a service that lies says of every release that
// it freed the caller's, or that it did not.
class ClientsWithResults {
 public:
  explicit ClientsWithResults(Prng& prng)
      : play_(prng), lease_(1 + play_.Any(16)), lies_(play_.OneIn(2)), denies_(play_.OneIn(3)) {}

  History Run() {
    play_.Begin(3, 12, [this](int32_t client, int64_t cycles) { Cycle(client, cycles); });
    RunFacts facts{
        .lock = "brute", .lease = Lease(lease_), .grace = Duration(play_.Any(3)), .nodes = 1};
    if (play_.OneIn(2)) facts.library = LibraryFact{"brute", "1", {"lease"}};
    return play_.Run(facts);
  }

  // Their library tells some of them at some time, lost or not.
  History RunNotified() {
    lease_ = 1 + play_.Any(5);
    notifies_ = true;
    play_.Begin(3, 12, [this](int32_t client, int64_t cycles) { Cycle(client, cycles); });
    return play_.Run({.lock = "brute",
                      .lease = Lease(lease_),
                      .grace = Duration(play_.Any(3)),
                      .nodes = 1,
                      .library = LibraryFact{"brute", "1", {"lost"}}});
  }

 private:
  void Cycle(int32_t client, int64_t cycles) {
    if (cycles == 0) return;
    const auto next = [=, this] {
      play_.Later(play_.Any(6), [=, this] { Cycle(client, cycles - 1); });
    };
    const uint64_t hold = play_.NewHold();
    const int64_t until = play_.now() + lease_;
    const bool shared = play_.OneIn(6);
    auto granted = std::make_shared<bool>(false);
    play_.Record(client, Op::kAcquire, EventType::kInvoke, 0, {lease_});
    const auto take = [=, this] { *granted = Take(client, until, shared); };
    const auto answered = [=, this] {
      play_.Record(client, Op::kAcquire, *granted ? EventType::kOk : EventType::kFail,
                   *granted ? hold : 0, {*granted ? until : 0, 0, *granted && shared ? 1 : 0});
      if (!*granted) return next();
      const int64_t since = play_.now();
      play_.Later(play_.Any(24), [=, this] {
        const int64_t held = play_.now() - since;
        if (notifies_ && play_.OneIn(2))
          play_.Record(client, Op::kLostNotification, EventType::kInfo, hold,
                       {since + play_.Any(held + 1)});
        Leave(client, hold, next);
      });
    };
    // What may have been granted to the caller unknown to it explains any release of its own: so
    // few are.
    if (!play_.OneIn(6)) return play_.AskSafely(take, answered);
    play_.Ask(take, answered, [=, this] {
      play_.Record(client, Op::kAcquire, EventType::kInfo, hold);
      next();
    });
  }

  bool Take(int32_t client, int64_t until, bool shared) {
    std::erase_if(there_, [this](const auto& one) { return one.until <= play_.now(); });
    const bool free = there_.empty() ||
                      (shared && std::ranges::all_of(there_, [](auto& one) { return one.shared; }));
    if (free) there_.push_back({client, until, shared});
    return free;
  }

  void Leave(int32_t client, uint64_t hold, const Play::Next& next) {
    const auto frees = [=, this] {
      const auto own = std::erase_if(
          there_, [&](const auto& one) { return one.client == client && play_.now() < one.until; });
      return !denies_ && (own > 0 || lies_);
    };
    play_.AskRelease(client, hold, frees, next);
  }

  struct There {
    int32_t client = 0;
    int64_t until = 0;
    bool shared = false;
  };

  Play play_;
  int64_t lease_;
  bool lies_;
  bool denies_;
  bool notifies_ = false;
  std::vector<There> there_;
};

History AnyReleaseResults(Prng& prng) { return ClientsWithResults(prng).Run(); }
History AnyNotifications(Prng& prng) { return ClientsWithResults(prng).RunNotified(); }

// Whose locks are there: of readers perhaps several.
struct ResultOwners {
  std::vector<SessionId> sessions;
  bool shared = false;
  auto operator<=>(const ResultOwners&) const = default;
};

// Whether the lock of its session may have been there, or gone, at some time of these. What was
// granted so long before is not; 0: nobody knows how long a lease lasts.
bool MayBe(bool there, const std::vector<Deed>& deeds, const Deed& release, Step when,
           int64_t lasts = 0) {
  std::vector<const Deed*> grants;
  std::vector<Step> steps;
  int its_last = -1;
  for (const Deed& deed : deeds) {
    if (deed.op != Op::kAcquire || deed.outcome == EventType::kFail) continue;
    // What a session asks for after its release it asks for then, be it at the same instant.
    const bool its = deed.session == release.session;
    if (its && &deed > &release) continue;
    if (its && lasts > 0 && deed.Ok() && release.from - deed.to > lasts) continue;
    // It asks for one after the other, likewise.
    const auto before = std::find_if(grants.rbegin(), grants.rend(), [&](const Deed* other) {
      return other->session == deed.session;
    });
    steps.push_back(deed.AsStep());
    steps.back().after = static_cast<int>(grants.rend() - before) - 1;
    if (its) its_last = static_cast<int>(grants.size());
    grants.push_back(&deed);
  }
  when.after = its_last;
  steps.push_back(when);
  const Effects<ResultOwners> effects = [&](const ResultOwners& now,
                                            size_t step) -> std::vector<ResultOwners> {
    if (step == grants.size()) {
      const bool own = std::ranges::find(now.sessions, release.session) != now.sessions.end();
      return own == there ? std::vector<ResultOwners>{now} : std::vector<ResultOwners>{};
    }
    const Deed& grant = *grants[step];
    // Of one that is not answered nobody knows whether it reads.
    const bool shared = grant.Perhaps() || grant.answer[2] != 0;
    ResultOwners next = shared && now.shared ? now : ResultOwners{};
    next.sessions.push_back(grant.session);
    next.shared = shared;
    return {next};
  };
  return SomeOrder<ResultOwners>(steps, {}, effects);
}

// A release of its session before it that was not answered may be carried out now.
bool MayBeFreedLate(const std::vector<Deed>& deeds, const Deed& release) {
  return std::ranges::any_of(deeds, [&](const Deed& deed) {
    return deed.op == Op::kRelease && deed.session == release.session && deed.Perhaps() &&
           &deed < &release;
  });
}

bool EachSaidSoRightly(const History& history) {
  std::map<uint64_t, int64_t> until;
  for (const Event& event : history.events) {
    if (event.op == Op::kAcquire && event.type == EventType::kOk)
      until[event.hold] = event.value[0];
  }
  const RunFacts& facts = history.facts;
  const int64_t lasts = facts.library ? ToNs(facts.lease + facts.grace) : 0;
  const std::vector<Deed> deeds = DeedsOf(history, {Op::kAcquire, Op::kRelease});
  return std::ranges::all_of(deeds, [&](const Deed& deed) {
    if (deed.op != Op::kRelease) return true;
    const Step when{.from = deed.from, .to = deed.to};
    if (deed.outcome == EventType::kFail) {
      return until.at(deed.hold) <= deed.to || MayBeFreedLate(deeds, deed) ||
             MayBe(false, deeds, deed, when);
    }
    const bool said = deed.Ok() && deed.answer[0] == 0;
    return !said || MayBe(true, deeds, deed, when, lasts);
  });
}

// A lease and grace before it was told, or before its release: lost by then, it was to be told.
bool EachWasNotifiedInTime(const History& history) {
  std::map<uint64_t, int64_t> told, granted;
  for (const Event& event : history.events) {
    if (event.op == Op::kLostNotification) told[event.hold] = event.value[0];
    if (event.op == Op::kAcquire && event.type == EventType::kOk) granted[event.hold] = event.at_ns;
  }
  const int64_t patience = ToNs(history.facts.lease + history.facts.grace);
  const std::vector<Deed> deeds = DeedsOf(history, {Op::kAcquire, Op::kRelease});
  return std::ranges::all_of(deeds, [&](const Deed& deed) {
    if (deed.op != Op::kRelease) return true;
    const auto came = told.find(deed.hold);
    const int64_t until = came == told.end() ? deed.from : std::min(deed.from, came->second);
    const int64_t due = until - patience;
    return due <= granted.at(deed.hold) || MayBe(true, deeds, deed, {.from = due, .to = due});
  });
}

}  // namespace

ClaimTrials ReleaseResultTrials() {
  return {.claim = "release-result", .any = AnyReleaseResults, .innocent = EachSaidSoRightly};
}

ClaimTrials LostLockNotificationTrials() {
  return {.claim = "lost-lock-notification",
          .any = AnyNotifications,
          .innocent = EachWasNotifiedInTime};
}

}  // namespace doublehold::brute
