#include "checker/told.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "checker/decide.h"
#include "checker/scene.h"
#include "checker/story.h"

namespace doublehold {
namespace {

// The grants of one key, by their answers: who asked last of those that were answered before an instant.
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
    std::map<uint16_t, std::vector<const Call*>> granted;
    for (const Call& call : calls_.all) {
      if (call.op == Op::kAcquire && call.Ok() && !call.again) granted[call.key].push_back(&call);
    }
    std::map<uint16_t, Grants> grants;
    for (auto& [key, calls] : granted) grants.try_emplace(key, std::move(calls));
    for (const Call& call : calls_.all) {
      if (call.op == Op::kAcquire) NoteAcquire(call);
      const auto of_key = grants.find(call.key);
      if (call.op == Op::kRelease && of_key != grants.end()) Judge(call, of_key->second, verdict);
    }
    verdict.count = count_;
    if (verdict.opportunities == 0)
      return Undecided(std::move(verdict),
                       "nobody released a lock that another had been granted meanwhile");
    const std::string of = Counted(verdict.opportunities, "release");
    return Decided(std::move(verdict), std::move(stories_),
                   fmt::format("{} of {} of a lost lock said that it had freed it", count_, of),
                   fmt::format("each of {} of a lost lock said so", of));
  }

 private:
  using OfKey = std::pair<SessionId, uint16_t>;

  // In the order of invocations, so that a release finds what its session had asked for before.
  void NoteAcquire(const Call& acquire) {
    Asked& asked = asked_[{acquire.session, acquire.key}];
    asked.unknown = asked.unknown || acquire.outcome == EventType::kInfo;
    if (acquire.Ok()) asked.granted_last = acquire.hold;
    if (acquire.Ok() && acquire.again) asked.nested = true;
    if (acquire.Ok() && !acquire.again) asked.nested = false;
  }

  void Judge(const Call& release, const Grants& grants, ClaimVerdict& verdict) {
    const Hold* own = holds_.Find(release.hold);
    const bool looked =
        release.outcome == EventType::kFail || (release.Ok() && release.answer[0] == 0);
    if (own == nullptr || !looked) return;
    const Asked& asked = asked_[{release.session, release.key}];
    if (asked.unknown || asked.nested || asked.granted_last != release.hold) return;
    const Call* other = grants.LastBefore(release.from_ns);
    if (other == nullptr || !Before(own->core.from_ns, other->from_ns)) return;
    if (own->shared && other->answer[2] != 0) return;  // readers let each other be
    if (WasActive(scene_, {own->asked_ns, release.to_ns}, LosesData)) return;
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

  struct Asked {
    bool unknown = false;       // something whose outcome nobody knows
    bool nested = false;        // and was let in while it was in
    uint64_t granted_last = 0;  // a hold
  };

  const Calls& calls_;
  const Holds& holds_;
  const Scene& scene_;
  Stories stories_;
  std::map<OfKey, Asked> asked_;
  int64_t count_ = 0;
};

}  // namespace

ClaimVerdict CheckTold(const Evidence& evidence, const Limits& limits) {
  return Checking(evidence, limits).Verdict();
}

}  // namespace doublehold
