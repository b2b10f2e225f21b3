#include "checker/testing/oracle/possession.h"

#include <algorithm>

namespace doublehold::brute {

PossessionOracle::PossessionOracle(const History& history, bool reentrant)
    : calls_(ListRecordedCalls(history, {Op::kAcquire, Op::kRelease})),
      steps_(MakeSteps(calls_)),
      reentrant_(reentrant) {
  for (size_t i = 0; i < calls_.size(); ++i) {
    const RecordedCall& call = calls_[i];
    // A refused call takes no effect. Its answer is not explained, so that more orders are tried.
    if (call.op == Op::kAcquire && call.Failed()) steps_[i].optional = true;
    // Calls of unknown outcome may take effect late. Only the others keep the session's order.
    int& after = steps_[i].after;
    while (after >= 0 && steps_[static_cast<size_t>(after)].optional)
      after = calls_[static_cast<size_t>(after)].before;
    if (call.op != Op::kAcquire || call.Failed()) continue;
    // Entries know when they end at the latest.
    steps_.push_back({call.from, kUnbounded, /*optional=*/true, static_cast<int>(i)});
    ends_of_.push_back(i);
  }
}

int64_t PossessionOracle::LeaseEnd(const RecordedCall& call, const RecordedCall& acquire) {
  return call.IsUnknown() ? kUnbounded : call.to + acquire.asked[0];
}

bool PossessionOracle::MayEnter(const Entries& entries, size_t acquire) const {
  const RecordedCall& call = calls_[acquire];
  const auto may_share = [&](const RecordedCall& one) {
    return one.IsUnknown() || one.answer[2] != 0;
  };
  return std::ranges::all_of(entries, [&](const Entry& held) {
    const RecordedCall& other = calls_[held.acquire];
    return (reentrant_ && other.session == call.session) || (may_share(other) && may_share(call));
  });
}

PossessionOracle::Entries PossessionOracle::Renewed(Entries entries,
                                                    const RecordedCall& call) const {
  for (Entry& entry : entries) {
    const RecordedCall& acquire = calls_[entry.acquire];
    const bool readers = acquire.answer[2] != 0 && call.answer[2] != 0;
    if (readers || (reentrant_ && acquire.session == call.session))
      entry.latest = std::max(entry.latest, LeaseEnd(call, acquire));
  }
  return entries;
}

std::vector<PossessionOracle::Entries> PossessionOracle::NextStates(Entries entries,
                                                                    size_t index) const {
  const RecordedCall& call = calls_[index];
  std::erase_if(entries, [&](const Entry& entry) { return entry.latest < call.from; });
  if (call.op == Op::kAcquire) {
    if (call.Failed()) return {entries};
    if (!MayEnter(entries, index)) return NextStateIf(call.IsUnknown(), entries);
    Entries entered = Renewed(entries, call);
    const Entry entry{index, LeaseEnd(call, call)};
    entered.insert(std::ranges::lower_bound(entered, entry), entry);
    return call.IsUnknown() ? std::vector<Entries>{entries, entered}
                            : std::vector<Entries>{entered};
  }
  std::vector<Entries> next;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (calls_[entries[i].acquire].session != call.session) continue;
    Entries left = entries;
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
    next.push_back(Renewed(left, call));
  }
  if (call.Failed()) return NextStateIf(next.empty(), entries);
  if (call.IsUnknown()) next.push_back(entries);
  return next;
}

bool PossessionOracle::SomeOrderLets(const SessionId& session, int64_t at) const {
  return SomeOrder(steps_, session, at, /*has=*/true);
}

bool PossessionOracle::SomeOrderDenies(const SessionId& session, int64_t at) const {
  std::vector<Step> steps = steps_;
  for (size_t i = 0; i < ends_of_.size(); ++i) {
    const RecordedCall& call = calls_[ends_of_[i]];
    Step& end = steps[calls_.size() + i];
    if (call.Ok()) end.from = std::max(end.from, call.answer[0]);
  }
  return SomeOrder(steps, session, at, /*has=*/false);
}

bool PossessionOracle::SomeOrder(const std::vector<Step>& all, const SessionId& session, int64_t at,
                                 bool has) const {
  std::vector<Step> steps = all;
  steps.push_back({at, at});
  return CanOrderSteps(steps, Entries{}, [&](const Entries& entries, size_t step) {
    if (step < calls_.size()) return NextStates(entries, step);
    if (step + 1 == steps.size()) {
      const bool had = std::ranges::any_of(entries, [&](const Entry& held) {
        return calls_[held.acquire].session == session && at <= held.latest;
      });
      return NextStateIf(had == has, entries);
    }
    Entries left = entries;
    std::erase_if(
        left, [&](const Entry& entry) { return entry.acquire == ends_of_[step - calls_.size()]; });
    return std::vector<Entries>{left};
  });
}

RunOptions DrawPossessionOptions(const Dice& dice) {
  const bool reentrant = dice.Chance(33);
  return {.lease = dice.Chance(33) ? 1'000 : 1 + dice.Below(16),
          .max_rounds = 2,
          .max_pause = 12,
          .max_stay = 12,
          .random_validity = dice.Chance(50),
          .nested = reentrant ? 50 : 0,
          .shared = reentrant ? 0 : 25,
          .releases_after_refusal = 17,
          .releases_after_unknown = 50,
          .forgets_release = 17,
          .leaves = 50,
          .loses_acquire = 12,
          .loses_release = 20,
          .reentrant = reentrant};
}

}  // namespace doublehold::brute
