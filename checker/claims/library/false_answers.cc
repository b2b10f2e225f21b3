#include "checker/claims/library/false_answers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "checker/claims/library/free_intervals.h"
#include "checker/claims/library/lost_locks.h"
#include "checker/evidence/disturbances.h"

namespace doublehold {
namespace {

class FalseAnswerSearch {
 public:
  explicit FalseAnswerSearch(const Evidence& evidence)
      : evidence_(evidence),
        holds_(evidence.holds()),
        disturbances_(evidence.disturbances()),
        lease_ends_(evidence) {
    if (!disturbances_.facts.library) return;
    const std::vector<std::string>& can = disturbances_.facts.library->can;
    leases_end_ = std::ranges::find(can, "lease") != can.end();
  }

  std::vector<FalseAnswer> Find() && {
    for (const Call& call : evidence_.calls().all) {
      if (call.op == Op::kAcquire && call.outcome != EventType::kFail)
        acquires_[call.key].push_back(&call);
      if (call.op != Op::kRelease) continue;
      const bool blind = call.Ok() && call.answer[0] == 1;
      looks_ = looks_ || (call.Ok() && !blind);
      frees_anothers_ = frees_anothers_ || blind;
      if (blind || call.outcome == EventType::kInfo) releases_[call.key].push_back(&call);
    }
    for (const Call& call : evidence_.calls().all) {
      if (call.op == Op::kAcquire) NoteAcquire(call);
      if (call.op == Op::kRelease) NoteRelease(call);
    }
    return std::move(found_);
  }

 private:
  using OfSession = std::pair<SessionId, uint16_t>;

  struct Asked {
    bool unclear = false;  // some call has no answer: it may take effect at any time
    std::set<uint64_t> inside{};
    bool entered_again = false;  // re-entered since it last held nothing
  };
  struct Granted {
    const Call* acquire = nullptr;
    const Call* freed = nullptr;  // first release that reported success
  };

  void NoteAcquire(const Call& acquire) {
    Asked& asked = asked_[{acquire.session, acquire.key}];
    asked.unclear = asked.unclear || acquire.outcome == EventType::kInfo;
    if (!acquire.Ok()) return;
    asked.entered_again = !asked.inside.empty();
    asked.inside.insert(acquire.hold);
    granted_[acquire.hold] = {.acquire = &acquire};
  }

  void NoteRelease(const Call& release) {
    Asked& asked = asked_[{release.session, release.key}];
    asked.inside.erase(release.hold);
    const auto granted = granted_.find(release.hold);
    if (granted != granted_.end() && asked.inside.empty()) Look(release, granted->second, asked);
    asked.unclear = asked.unclear || release.outcome == EventType::kInfo;
  }

  void Look(const Call& release, Granted& granted, const Asked& asked) {
    const Hold* own = holds_.Find(release.hold);
    const bool frees = release.Ok() && release.answer[0] == 0;
    if (own == nullptr || (!frees && release.outcome != EventType::kFail)) return;
    const Span all{own->asked_ns, release.to_ns};
    const bool moved = WasActive(disturbances_, all, MovesAClock) ||
                       WasActive(disturbances_, all, LosesKeys) ||
                       WasActive(disturbances_, {0, release.to_ns}, IsCrash);
    // A delayed extension or release may still be carried out.
    const bool kept = WasActive(disturbances_, {own->asked_ns, release.from_ns}, KeepsMessages) ||
                      WasActive(disturbances_, {own->asked_ns, release.from_ns}, LosesMessages);
    // Readers may keep each other's locks alive.
    const bool certain = !asked.unclear && !asked.entered_again && !moved && !kept && !own->shared;
    FalseAnswer answer{.release = &release, .own = own};
    if (!frees) {
      answer.what = Falsehood::kWasThere;
      answer.at_ns = own->valid_until_ns;
      if (granted.freed != nullptr || !Before(release.to_ns, answer.at_ns)) return;
      const std::optional<bool> untouched = WasUntouched(release, *own);
      answer.certain = certain && untouched.value_or(false);
      if (untouched) found_.push_back(answer);
      return;
    }
    answer.certain = certain;
    if (granted.freed != nullptr) {
      answer.what = Falsehood::kWasFreed;
      answer.at_ns = granted.freed->to_ns;
      if (Before(answer.at_ns, release.from_ns)) found_.push_back(answer);
      return;
    }
    granted.freed = &release;
    answer.at_ns = lease_ends_.LatestNs(*granted.acquire);
    const bool over = release.from_ns - answer.at_ns > ToNs(disturbances_.facts.grace);
    if (leases_end_ && over) found_.push_back(answer);
  }

  // Whether nobody else can have taken the lock by the release; false: unknown. Empty: another
  // client was granted it.
  [[nodiscard]] std::optional<bool> WasUntouched(const Call& release, const Hold& own) const {
    bool untouched = true;
    for (const Call* other : acquires_.at(release.key)) {
      if (other->from_ns > release.to_ns) break;
      if (other->session == release.session || other->DoneNs() < own.asked_ns) continue;
      if (other->Ok() && !(own.shared && other->answer[2] != 0)) return std::nullopt;
      untouched = false;
    }
    // Either all releases of a lock check the owner, or none does. So an unanswered release is
    // taken to do as the answered ones did.
    const auto releases = releases_.find(release.key);
    if (releases == releases_.end()) return untouched;
    return untouched && std::ranges::none_of(releases->second, [&](const Call* other) {
             const bool harmless = !other->Ok() && looks_ && !frees_anothers_;
             return other != &release && !harmless && other->from_ns <= release.to_ns &&
                    other->DoneNs() >= own.asked_ns;
           });
  }

  const Evidence& evidence_;
  const Holds& holds_;
  const Disturbances& disturbances_;
  LeaseEnds lease_ends_;
  bool leases_end_ = false;  // the library declares that its leases end
  // Whether some answered release checked the owner, and whether some did not.
  bool looks_ = false, frees_anothers_ = false;
  std::map<uint16_t, std::vector<const Call*>> acquires_;  // that may have been granted
  // Releases that may have freed another owner's lock.
  std::map<uint16_t, std::vector<const Call*>> releases_;
  std::map<OfSession, Asked> asked_;
  std::unordered_map<uint64_t, Granted> granted_;
  std::vector<FalseAnswer> found_;
};

}  // namespace

std::vector<FalseAnswer> FindFalseAnswers(const Evidence& evidence) {
  return FalseAnswerSearch(evidence).Find();
}

}  // namespace doublehold
