#include "checker/explain/violation_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "checker/claims/data/stock.h"
#include "checker/evidence/library.h"
#include "checker/evidence/names.h"
#include "checker/evidence/traits.h"
#include "checker/explain/refine_sentence.h"
#include "checker/explain/violation_drawing.h"
#include "checker/sentences/violation_text.h"

namespace doublehold {
namespace {

constexpr size_t kMostUses = 2;  // only the last uses of a hold are described

std::string DescribeAnswer(const Call& call) {
  if (call.outcome == EventType::kInfo) return std::string(Describe(call.why));
  return "was answered at " + At(call.to_ns);
}

std::string DescribeRelease(const ViolationContext& record, const Call& call) {
  const bool unchecked = call.answer[0] == 1;
  const std::string deleted = LockHas(record.history.facts, LockTrait::kLooksFirst)
                                  ? "released the key, whose owner it had checked before, "
                                  : "released the key without checking its owner, ";
  if (call.outcome == EventType::kFail) {
    if (unchecked) return deleted + "and the key was gone";
    return record.history.facts.library
               ? "released the key, and was told that the lock was no longer its own"
               : "tried to release the key, and was refused: not its owner";
  }
  if (!call.Ok() || !unchecked) return "released the key, which " + DescribeAnswer(call);
  const auto freed = std::ranges::find_if(record.freed, [&](const auto& found) {
    const Hold& hold = *record.holds.Find(found.first);
    const Span& when = found.second.when;
    return hold.key == call.key && hold.owner() != call.session && when.from_ns == call.from_ns &&
           when.to_ns == call.to_ns;
  });
  const std::string what =
      freed == record.freed.end()
          ? "freeing whatever was there"
          : fmt::format("and freed the lock of {}",
                        OwnerName(record.disturbances, record.holds.Find(freed->first)->owner()));
  return fmt::format("{}{}; it was answered at {}", deleted, what, At(call.to_ns));
}

// Returns `ok` for a call or renewal that succeeded, or else the kind of its failure.
FactKind FactKindForOutcome(const auto& call, FactKind ok) {
  if (call.outcome == EventType::kOk) return ok;
  if (call.outcome == EventType::kFail) return FactKind::kRefused;
  return call.why == UnknownWhy::kNoAnswer ? FactKind::kUnanswered : FactKind::kError;
}

FactKind FactKindForUse(const Call& use) {
  const FactKind ok = use.op == Op::kRead    ? FactKind::kRead
                      : use.op == Op::kWrite ? FactKind::kWrote
                      : use.op == Op::kSave  ? FactKind::kSaved
                                             : FactKind::kLooked;
  return FactKindForOutcome(use, ok);
}

class Narrator {
 public:
  explicit Narrator(const ViolationContext& record) : record_(record) {}

  void AddHold(const Hold& hold) {
    if (!described_.insert(hold.hold).second) return;
    AddGrant(hold);
    AddRenewals(hold);
    AddUses(hold);
    AddEnd(hold);
  }

  void AddFault(const FaultEpisode& episode) {
    std::string text = FaultClause(record_.disturbances, episode);
    const bool known = std::ranges::any_of(steps_, [&](const auto& s) { return s.text == text; });
    if (known) return;
    steps_.push_back(
        {episode.from_ns, LaneName(record_, episode), FactKind::kFaultBegan, std::move(text)});
  }

  void AddForeignRelease(const Call& call) {
    const Hold* hold = record_.holds.Find(call.hold);
    if (hold != nullptr && described_.contains(hold->hold)) return;
    AddRelease(call.from_ns, OwnerName(record_.disturbances, call.session), call);
  }

  std::vector<StoryStep> Finish() && {
    std::set<int64_t> began;
    for (const StoryStep& step : steps_) {
      if (step.what == FactKind::kFaultBegan) began.insert(step.at_ns);
    }
    // Sorts the steps by time. A failed call comes after a fault that began at the same instant,
    // since the fault may have made the call fail.
    std::ranges::stable_sort(steps_, {}, [&](const StoryStep& step) {
      const bool failed = step.what == FactKind::kUnanswered || step.what == FactKind::kError ||
                          step.what == FactKind::kRefused;
      return std::pair(step.at_ns, failed && began.contains(step.at_ns));
    });
    if (steps_.size() > kMostSteps) steps_.resize(kMostSteps);
    return std::move(steps_);
  }

 private:
  std::string Owner(const Hold& hold) const {
    return OwnerName(record_.disturbances, hold.owner());
  }
  void Add(int64_t at_ns, const Hold& hold, FactKind what, std::string text) {
    steps_.push_back({at_ns, Owner(hold), what, std::move(text)});
  }
  void AddRelease(int64_t at_ns, std::string who, const Call& release) {
    std::string text = who + " " + DescribeRelease(record_, release);
    steps_.push_back(
        {at_ns, std::move(who), FactKindForOutcome(release, FactKind::kReleased), std::move(text)});
  }

  void AddGrant(const Hold& hold) {
    const Call* grant = record_.GrantOf(hold.hold);
    const int64_t until_ns = grant == nullptr ? hold.valid_until_ns : grant->answer[0];
    std::string text = Owner(hold) + " was granted the key";
    if (grant != nullptr && grant->answer[1] != 0)
      text += fmt::format(" with token {}", grant->answer[1]);
    if (grant != nullptr) text += fmt::format(", having asked at {}", At(grant->from_ns));
    if (until_ns >= kForeverNs) {
      text += "; its grant never ends";
    } else if (until_ns <= hold.core.from_ns || MayExtendUnrecorded(record_.history.facts)) {
      // The client knows only the earliest end. The service may have begun the lease later, and a
      // watchdog may have extended it.
      text += fmt::format("; its lease was certain only until {}", At(until_ns));
    } else {
      text += fmt::format("; its lease ran until {}", At(until_ns));
    }
    Add(hold.core.from_ns, hold, FactKind::kGranted, std::move(text));
  }

  void AddRenewals(const Hold& hold) {
    int64_t extended = 0;
    const Renewal* last = nullptr;
    for (const Renewal& renewal : record_.RenewalsOf(hold.hold)) {
      if (renewal.outcome == EventType::kOk) {
        ++extended;
        last = &renewal;
        continue;
      }
      Add(renewal.from_ns, hold, FactKindForOutcome(renewal, FactKind::kRenewed),
          fmt::format("{} asked to extend its lease, and {}", Owner(hold),
                      renewal.outcome == EventType::kFail ? "was refused at " + At(renewal.to_ns)
                                                          : std::string(Describe(renewal.why))));
    }
    if (last == nullptr) return;
    Add(last->to_ns, hold, FactKind::kRenewed,
        fmt::format("{}'s lease was extended{}{}", Owner(hold),
                    last->valid_until_ns >= kForeverNs ? "" : " until " + At(last->valid_until_ns),
                    extended == 1 ? "" : fmt::format(", the last of {} times", extended)));
  }

  void AddUses(const Hold& hold) {
    std::vector<StoryStep> uses;
    for (const Call* call : record_.UsesOf(hold)) {
      const bool answered = call->op != Op::kWrite && call->to_ns < kForeverNs;
      uses.push_back({answered ? call->to_ns : call->from_ns, Owner(hold), FactKindForUse(*call),
                      fmt::format("{} {}", Owner(hold), DescribeUse(*call))});
    }
    std::ranges::stable_sort(uses, {}, &StoryStep::at_ns);
    const size_t from = uses.size() - std::min(uses.size(), kMostUses);
    steps_.insert(steps_.end(), uses.begin() + static_cast<ptrdiff_t>(from), uses.end());
  }

  std::string DescribeUse(const Call& call) const {
    switch (call.op) {
      case Op::kRead:
        return call.Ok()                          ? fmt::format("read stock {}", call.answer[0])
               : call.outcome == EventType::kFail ? "was not let read"
                                                  : "asked for the stock, and was not answered";
      case Op::kWrite:
        return DescribeWrite(call);
      case Op::kSave:
        return fmt::format("saved task {}{}", call.asked[0],
                           call.outcome == EventType::kFail ? ", which had been saved" : "");
      default:
        return fmt::format("saw versions {} and {}", call.answer[0], call.answer[1]);
    }
  }

  // Does not name the overwritten stock: another client may have changed the stock since the read.
  std::string DescribeWrite(const Call& call) const {
    const bool takes_one = WriteModeOf(record_.history.facts) == WriteMode::kDecrement;
    const std::string asked = takes_one ? "take one" : fmt::format("write {}", call.asked[1]);
    const std::string read = fmt::format(", having read {}", call.asked[0]);
    if (call.outcome == EventType::kFail) return "was to " + asked + read + ", and was refused";
    if (takes_one && call.Ok())
      return fmt::format("took the stock to {}{}; that {}", call.answer[1], read,
                         DescribeAnswer(call));
    const std::string done = takes_one ? "was to take one" : fmt::format("wrote {}", call.asked[1]);
    return done + read + "; that " + DescribeAnswer(call);
  }

  void AddEnd(const Hold& hold) {
    const int64_t end_ns = hold.core.to_ns;
    if (hold.ExpiredBefore(end_ns) && hold.core.from_ns < hold.valid_until_ns) {
      const bool certain = !MayExtendUnrecorded(record_.history.facts);
      Add(hold.valid_until_ns, hold, FactKind::kLeaseEnded,
          Owner(hold) + (certain ? "'s lease was over"
                                 : "'s lease was over, unless its watchdog had extended it"));
    }
    if (!hold.released) {
      Add(end_ns, hold, hold.left ? FactKind::kLeft : FactKind::kLastSeen,
          Owner(hold) + (hold.left ? " left its section without releasing the key"
                                   : " was last seen, and never released the key"));
    } else if (const Call* release = record_.ReleaseOf(hold)) {
      AddRelease(end_ns, Owner(hold), *release);
    }
  }

  const ViolationContext& record_;
  std::vector<StoryStep> steps_;
  std::set<uint64_t> described_;
};

}  // namespace

std::vector<StoryStep> Narrate(const ViolationContext& record, const Violation& violation,
                               const Explanation& why) {
  Narrator narrator(record);
  for (const auto& ref : {violation.first, violation.second}) {
    const Hold* hold = ref ? record.holds.Find(ref->hold) : nullptr;
    if (hold != nullptr) narrator.AddHold(*hold);
  }
  for (const Call* call : why.calls) narrator.AddForeignRelease(*call);
  for (const FaultEpisode* episode : why.episodes) narrator.AddFault(*episode);
  return std::move(narrator).Finish();
}

void ExplainViolations(const ViolationContext& record, ClaimVerdict& verdict) {
  for (Violation& violation : verdict.violations) {
    Explanation why = ExplainViolation(record, verdict.claim, violation);
    violation.steps = Narrate(record, violation, why);
    violation.drawing = DrawViolation(record, violation, why);
    NameFaultsBehind(record, why, violation);
    violation.cause = why.cause;
    violation.because = std::move(why.because);
    violation.perhaps = std::move(why.perhaps);
  }
}

}  // namespace doublehold
