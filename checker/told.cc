#include "checker/told.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "checker/decide.h"
#include "checker/lost_locks.h"
#include "checker/story.h"

namespace doublehold {
namespace {

class ReleaseResultChecker {
 public:
  ReleaseResultChecker(const Evidence& evidence, const Limits& limits)
      : evidence_(evidence), stories_(limits) {}

  ClaimVerdict Verdict() && {
    ClaimVerdict verdict{.unit = "releases of lost locks"};
    if (const auto why = WhyNoLossIsCertain(evidence_)) return Undecided(std::move(verdict), *why);
    for (const LostLock& lost : FindLostLocks(evidence_)) Judge(lost, verdict);
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
  void Judge(const LostLock& lost, ClaimVerdict& verdict) {
    const Call& release = *lost.release;
    const bool looked =
        release.outcome == EventType::kFail || (release.Ok() && release.answer[0] == 0);
    if (!looked) return;
    if (!lost.certain) return Doubt(release);
    ++verdict.opportunities;
    if (release.outcome == EventType::kFail) return;
    ++count_;
    if (!stories_.Wanted()) return stories_.SawAt(release.to_ns);
    const Scene& scene = evidence_.scene();
    const Hold* theirs = evidence_.holds().Find(lost.last->hold);
    stories_.Add(TellDeed(
        scene, {.by = release.session,
                .under = lost.own,
                .harmed = theirs,
                .key = release.key,
                .when = {release.from_ns, release.to_ns},
                .what = fmt::format("released the key at {} and was told that this freed its lock, "
                                    "which {} had been granted at {}",
                                    At(release.from_ns), OwnerName(scene, lost.last->session),
                                    At(lost.last->to_ns)),
                .of_service = true}));
  }

  void Doubt(const Call& release) {
    if (!release.Ok() || !doubt_.empty()) return;
    doubt_ = fmt::format(
        "{} released the key at {} and was told that this freed its lock, which may have been so",
        OwnerName(evidence_.scene(), release.session), At(release.from_ns));
  }

  const Evidence& evidence_;
  Stories stories_;
  int64_t count_ = 0;
  std::string doubt_;
};

}  // namespace

ClaimVerdict CheckTold(const Evidence& evidence, const Limits& limits) {
  return ReleaseResultChecker(evidence, limits).Verdict();
}

}  // namespace doublehold
