#include "checker/told.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/decide.h"
#include "checker/scene.h"
#include "checker/story.h"

namespace doublehold {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::min();

// What was sent may arrive when nobody waits for it any more.
constexpr std::array<std::string_view, 7> kKeepingKinds{"black-hole", "bandwidth", "delay", "drip",
                                                        "hold",       "partition", "stall"};

// Grants of one key, by their answers: who asked last of those that were answered before an instant.
class Grants {
 public:
  explicit Grants(std::vector<const Call*> granted) : by_answer_(std::move(granted)) {
    std::ranges::stable_sort(by_answer_, {}, &Call::to_ns);
    const Call* last = nullptr;
    for (const Call* call : by_answer_) {
      if (last == nullptr || last->from_ns < call->from_ns) last = call;
      last_.push_back(last);
    }
  }

  // Null: none.
  [[nodiscard]] const Call* LastBefore(int64_t at_ns) const {
    const auto after = std::ranges::lower_bound(by_answer_, at_ns, {}, &Call::to_ns);
    return after == by_answer_.begin() ? nullptr
                                       : last_[static_cast<size_t>(after - by_answer_.begin()) - 1];
  }

 private:
  std::vector<const Call*> by_answer_;
  std::vector<const Call*> last_;  // of those up to each
};

class Checking {
 public:
  Checking(const Evidence& evidence, const Limits& limits)
      : calls_(evidence.calls()),
        holds_(evidence.holds()),
        scene_(evidence.scene()),
        stories_(limits) {}

  ClaimVerdict Verdict() && {
    ClaimVerdict verdict{.unit = "releases of lost locks"};
    if (holds_.broken) return Undecided(std::move(verdict), *holds_.broken);
    if (scene_.facts.nodes > 1) {
      return Undecided(
          std::move(verdict),
          "on several nodes it is not certain that a lock is lost when another is granted it");
    }
    if (!calls_.complete)
      return Undecided(std::move(verdict), "records were lost: others may have been let in");
    const std::map<OfKey, Grants> grants = AllGrants();
    for (const Call& call : calls_.all) {
      if (call.op == Op::kAcquire) NoteAcquire(call);
      if (call.op == Op::kRelease) Judge(call, grants, verdict);
    }
    verdict.count = count_;
    if (count_ == 0 && !doubt_.empty()) return Undecided(std::move(verdict), doubt_);
    if (verdict.opportunities == 0)
      return Undecided(std::move(verdict),
                       "no release was answered of a lock that was certainly another's meanwhile");
    const std::string of = Counted(verdict.opportunities, "release");
    return Decided(std::move(verdict), std::move(stories_),
                   fmt::format("{} of {} of a lost lock said that it had freed it", count_, of),
                   fmt::format("each of {} of a lost lock said so", of));
  }

 private:
  // Of a key's grants those that let nobody in beside them, or all; and those that were asked of the lock for certain, or all.
  struct OfKey {
    uint16_t key = 0;
    bool alone = false;
    bool certain = false;
    auto operator<=>(const OfKey&) const = default;
  };
  using OfSession = std::pair<SessionId, uint16_t>;

  // After a release that was not answered its session may go by its own count that it has the key.
  [[nodiscard]] std::map<OfKey, Grants> AllGrants() const {
    std::map<OfKey, std::vector<const Call*>> granted;
    std::set<OfSession> perhaps_in;
    for (const Call& call : calls_.all) {
      if (IsUnansweredExit(call)) perhaps_in.insert({call.session, call.key});
      if (call.op != Op::kAcquire || !call.Ok() || call.again) continue;
      const bool is_certain = !perhaps_in.contains({call.session, call.key});
      for (const bool alone : {false, true}) {
        if (alone && call.answer[2] != 0) continue;
        granted[{call.key, alone, false}].push_back(&call);
        if (is_certain) granted[{call.key, alone, true}].push_back(&call);
      }
    }
    std::map<OfKey, Grants> grants;
    for (auto& [key, calls] : granted) grants.try_emplace(key, std::move(calls));
    return grants;
  }

  // Of those, the last before `at_ns` of which the acquire was called after `since_ns`. Null: none.
  static const Call* After(const std::map<OfKey, Grants>& grants, const OfKey& which,
                           int64_t since_ns, int64_t at_ns) {
    const auto found = grants.find(which);
    const Call* last = found == grants.end() ? nullptr : found->second.LastBefore(at_ns);
    return last != nullptr && Before(since_ns, last->from_ns) ? last : nullptr;
  }

  [[nodiscard]] bool IsUnansweredExit(const Call& call) const {
    return call.op == Op::kRelease && call.outcome == EventType::kInfo &&
           holds_.Find(call.hold) != nullptr;
  }

  // In the order of invocations, so that a release finds what its session had asked for before.
  void NoteAcquire(const Call& acquire) {
    Asked& asked = asked_[{acquire.session, acquire.key}];
    asked.unknown = asked.unknown || acquire.outcome == EventType::kInfo;
    if (!acquire.Ok()) return;
    asked.inside.insert(acquire.hold);
    asked.granted_ns = acquire.to_ns;
  }

  // An acquire that is sent again, by a library of its own accord: one of them may be carried out at any time.
  [[nodiscard]] bool MayComeAgain(const Hold& own) const {
    const auto episodes = scene_.EpisodesWithin({own.asked_ns, own.core.from_ns});
    return std::ranges::any_of(episodes, [&](const FaultEpisode* episode) {
      const FaultFact& fault = scene_.facts.faults[static_cast<size_t>(episode->fault)];
      return (episode->client <= 0 || episode->client == own.client) &&
             std::ranges::find(kKeepingKinds, fault.kind) != kKeepingKinds.end();
    });
  }

  void Judge(const Call& release, const std::map<OfKey, Grants>& grants, ClaimVerdict& verdict) {
    Asked& asked = asked_[{release.session, release.key}];
    const bool is_first = asked.inside.erase(release.hold) > 0;
    asked.perhaps_in = asked.perhaps_in || IsUnansweredExit(release);
    const Hold* own = holds_.Find(release.hold);
    const bool looked =
        release.outcome == EventType::kFail || (release.Ok() && release.answer[0] == 0);
    // An inner exit frees nothing, and so has nothing to tell.
    if (own == nullptr || !looked || !is_first || !asked.inside.empty() || asked.unknown) return;
    // Readers let each other be.
    OfKey which{.key = release.key, .alone = own->shared, .certain = true};
    const Call* other = After(grants, which, asked.granted_ns, release.from_ns);
    which.certain = false;
    if (After(grants, which, asked.granted_ns, release.from_ns) == nullptr) return;
    if (WasActive(scene_, {own->asked_ns, release.to_ns}, LosesData)) return;
    if (other == nullptr || asked.perhaps_in || MayComeAgain(*own)) return Doubt(release);
    ++verdict.opportunities;
    if (release.outcome == EventType::kFail) return;
    ++count_;
    if (!stories_.Wanted()) return stories_.SawAt(release.to_ns);
    const Hold* theirs = holds_.Find(other->hold);
    stories_.Add(TellDeed(
        scene_, {.by = release.session,
                 .under = own,
                 .harmed = theirs,
                 .key = release.key,
                 .when = {release.from_ns, release.to_ns},
                 .what = fmt::format(
                     "released the key at {} and was told that this freed its lock, "
                     "which {} had been granted at {}",
                     At(release.from_ns), OwnerName(scene_, other->session), At(other->to_ns)),
                 .of_service = true}));
  }

  void Doubt(const Call& release) {
    if (!release.Ok() || !doubt_.empty()) return;
    doubt_ = fmt::format(
        "{} released the key at {} and was told that this freed its lock, which may have been so",
        OwnerName(scene_, release.session), At(release.from_ns));
  }

  struct Asked {
    bool unknown = false;         // something whose outcome nobody knows
    bool perhaps_in = false;      // by its own count: a release was not answered
    std::set<uint64_t> inside{};  // holds that it was granted and did not release
    int64_t granted_ns = kNever;  // when it was let in last
  };

  const Calls& calls_;
  const Holds& holds_;
  const Scene& scene_;
  Stories stories_;
  std::map<OfSession, Asked> asked_;
  int64_t count_ = 0;
  std::string doubt_;
};

}  // namespace

ClaimVerdict CheckTold(const Evidence& evidence, const Limits& limits) {
  return Checking(evidence, limits).Verdict();
}

}  // namespace doublehold
