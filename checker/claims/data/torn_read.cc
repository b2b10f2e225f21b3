#include "checker/claims/data/torn_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checker/evidence/calls.h"
#include "checker/evidence/claim_checker.h"
#include "checker/evidence/disturbances.h"
#include "checker/evidence/names.h"
#include "checker/sentences/violation_text.h"

namespace doublehold {
namespace {

// The version that a write found, and the version that it wrote or tried to write.
int64_t VersionBeforeWrite(const Call& write) { return write.asked[0]; }
int64_t VersionAfterWrite(const Call& write) {
  return write.Ok() ? write.answer[1] : write.asked[1];
}

// Whether a write took effect after its lease. A write with a higher value explains a torn read
// better: a write that a fault or its client delayed is preferred to a write that the machine
// delayed.
enum class WriteLateness : uint8_t { kInTime, kLateByStall, kLateOtherwise };

class TornReadChecker : ClaimChecker {
 public:
  TornReadChecker(const Evidence& evidence, const Limits& limits)
      : ClaimChecker(evidence, limits, "looks") {}

  ClaimVerdict Verdict() && {
    if (holds_.broken) return std::move(found_).Undecided(*holds_.broken);
    for (const Call& call : calls_.all) {
      if (call.op != Op::kWrite) continue;
      writes_[{call.key, VersionAfterWrite(call)}].push_back(&call);
      if (call.Ok()) writers_[call.key].insert(call.session);
    }
    int64_t passed_over = 0;
    int64_t undisturbed = 0;
    for (const Call& call : calls_.all) {
      if (call.op != Op::kLook) continue;
      const Hold* hold = holds_.Find(call.hold);
      const bool its = hold != nullptr && hold->owner() == call.session && hold->key == call.key &&
                       !(hold->released && Before(hold->core.to_ns, call.from_ns));
      if (!its || !call.Ok()) {
        ++passed_over;
        continue;
      }
      found_.Judged();
      if (call.answer[0] != call.answer[1]) JudgeTorn(call, *hold);
      if (!DidAnotherWrite(call)) ++undisturbed;
    }
    const int64_t judged = found_.judged() - undisturbed;
    if (found_.judged() == 0) found_.Doubt("nobody looked at a record under a lock");
    if (judged == 0) found_.Doubt("nobody looked at what another wrote");
    found_.Doubt(WhyTooLittle(judged, passed_over + undisturbed, "looks"));
    return std::move(found_).Conclude({.judged = Counted(found_.judged(), "look"),
                                       .violated = "saw half of a write",
                                       .valid = "none of {} saw half of a write"});
  }

 private:
  // Whether another session certainly wrote the record at some time.
  [[nodiscard]] bool DidAnotherWrite(const Call& look) const {
    const auto writers = writers_.find(look.key);
    return writers != writers_.end() &&
           std::ranges::any_of(writers->second, [&](auto one) { return one != look.session; });
  }

  void JudgeTorn(const Call& look, const Hold& hold) {
    const Call* unfinished = FindUnfinishedWrite(look);
    const std::string saw = fmt::format(
        "looked at {}-{} and saw version {} of one half and {} of "
        "the other",
        Seconds(look.from_ns), At(look.to_ns), look.answer[0], look.answer[1]);
    const FaultEpisode* loss = FindStoreLoss(look);
    if (unfinished != nullptr || loss != nullptr || !calls_.complete) {
      std::string doubt = fmt::format("{} {}", OwnerName(disturbances_, look.session), saw);
      if (loss != nullptr)
        doubt +=
            ", and the store may have kept half of a write: " + FaultClause(disturbances_, *loss);
      if (unfinished != nullptr)
        doubt += fmt::format(", and {}'s write of version {} at {} may have been left half done",
                             OwnerName(disturbances_, unfinished->session),
                             VersionAfterWrite(*unfinished), At(unfinished->from_ns));
      return found_.Doubt(std::move(doubt));
    }
    found_.Violated(look.to_ns, [&] { return DescribeTornRead(look, hold, saw); });
  }

  // Returns a write of one of the two versions that began before the look ended and may have been
  // left half done. Returns null if there is no such write.
  const Call* FindUnfinishedWrite(const Call& look) const {
    for (const int64_t version : {look.answer[0], look.answer[1]}) {
      const auto writes = writes_.find({look.key, version});
      if (writes == writes_.end()) continue;
      for (const Call* write : writes->second) {
        if (!write->Ok() && write->from_ns <= look.to_ns) return write;
      }
    }
    return nullptr;
  }

  // Returns a fault by which the store may have half of a write in the look. Returns null if there
  // is none. A write must have begun before the end of the fault. A confirmed write after the fault
  // and before the look has set both halves.
  [[nodiscard]] const FaultEpisode* FindStoreLoss(const Call& look) const {
    const auto tears = [&](const FaultEpisode& episode) {
      if (episode.from_ns > look.to_ns || !LosesStoreData(episode, FaultFor(facts_, episode)))
        return false;
      bool may_tear = false;
      for (const Call& write : calls_.all) {
        if (write.op != Op::kWrite || write.key != look.key) continue;
        may_tear = may_tear || write.from_ns <= episode.to_ns;
        const bool between = Before(episode.to_ns, write.from_ns);
        if (write.Ok() && between && Before(write.to_ns, look.from_ns)) return false;
      }
      return may_tear;
    };
    const auto loss = std::ranges::find_if(disturbances_.episodes, tears);
    return loss == disturbances_.episodes.end() ? nullptr : &*loss;
  }

  // Returns the write of one of the two versions that most likely tore the record, or null. Prefers
  // a write that was in progress during the look. Among several such writes, prefers the highest
  // WriteLateness. If no write was in progress, returns the latest write.
  const Call* FindTearingWrite(const Call& look) const {
    const Call* in_progress = nullptr;
    const Call* latest = nullptr;
    for (const int64_t version : {look.answer[0], look.answer[1]}) {
      const auto writes = writes_.find({look.key, version});
      if (writes == writes_.end()) continue;
      for (const Call* write : writes->second) {
        if (latest == nullptr || latest->from_ns < write->from_ns) latest = write;
        if (!Overlap({write->from_ns, write->to_ns + 1}, {look.from_ns, look.to_ns + 1})) continue;
        if (in_progress == nullptr || LatenessForWrite(*in_progress) < LatenessForWrite(*write))
          in_progress = write;
      }
    }
    return in_progress != nullptr ? in_progress : latest;
  }

  static bool IsLate(const Hold* hold, int64_t at_ns) {
    return hold != nullptr && hold->ExpiredBefore(at_ns);
  }

  WriteLateness LatenessForWrite(const Call& write) const {
    const Hold* hold = holds_.Find(write.hold);
    if (hold != nullptr && hold->DoubtfulAt(write.to_ns)) return WriteLateness::kLateByStall;
    return IsLate(hold, write.to_ns) ? WriteLateness::kLateOtherwise : WriteLateness::kInTime;
  }

  [[nodiscard]] Violation DescribeTornRead(const Call& look, const Hold& hold,
                                           const std::string& saw) const {
    const Call* write = FindTearingWrite(look);
    const Hold* others = write == nullptr ? nullptr : holds_.Find(write->hold);
    const std::string wrote =
        write == nullptr
            ? "; who wrote in between is not known"
            : fmt::format("; {} wrote version {} over {} at {}-{}",
                          OwnerName(disturbances_, write->session), VersionAfterWrite(*write),
                          VersionBeforeWrite(*write), Seconds(write->from_ns), At(write->to_ns));
    WrongOperation operation{.by = look.session,
                             .under = &hold,
                             .harmed = others,
                             .key = look.key,
                             .when = {look.to_ns, look.to_ns},
                             .what = saw + wrote};
    if (write != nullptr && IsLate(others, write->to_ns) && !IsLate(&hold, look.to_ns)) {
      operation = {
          .by = write->session,
          .under = others,
          .harmed = &hold,
          .key = look.key,
          .when = {write->to_ns, write->to_ns},
          .what = fmt::format("wrote version {} over {} until {}, while {} {}",
                              VersionAfterWrite(*write), VersionBeforeWrite(*write),
                              At(write->to_ns), OwnerName(disturbances_, look.session), saw)};
    }
    operation.on_store = true;
    Violation violation = DescribeWrongOperation(disturbances_, operation);
    violation.from_ns = look.from_ns;
    violation.to_ns = look.to_ns;
    return violation;
  }

  static std::string Seconds(int64_t at_ns) {
    return fmt::format("{:.3f}", ToSeconds(Duration(at_ns)));
  }

  // By key and the version that the writes left.
  std::map<std::pair<uint16_t, int64_t>, std::vector<const Call*>> writes_;
  std::map<uint16_t, std::set<SessionId>> writers_;  // by key; sessions with a confirmed write
};

}  // namespace

ClaimVerdict CheckTornRead(const Evidence& evidence, const Limits& limits) {
  return TornReadChecker(evidence, limits).Verdict();
}

}  // namespace doublehold
