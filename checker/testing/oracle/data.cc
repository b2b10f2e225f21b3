// The claims `fencing`, `stock`, `torn-read` and `exactly-once`.
#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "checker/testing/oracle/claim_trials.h"
#include "checker/testing/oracle/recorded_calls.h"

namespace doublehold::brute {
namespace {

RunOptions FencedRun(const Dice& dice) {
  return {.work = Work::kTokens,
          .nested = 25,
          .forgets = 17,
          .reentrant = true,
          .frees_nested = true,
          .grants_taken = 50,
          .says_freed = true,
          .repeats_token = dice.Chance(33) ? 50 : 0,
          .checks_token = dice.Chance(50)};
}

// The lock grants each acquire, or excludes.
RunOptions StoreRun(Work work, bool excludes) {
  return {.work = work,
          .loses_acquire = 0,
          .loses_release = 0,
          .killed = 25,
          .grants_taken = excludes ? 0 : 100};
}

RunOptions SellingRun(const Dice& dice) {
  RunOptions options = StoreRun(Work::kSale, dice.Chance(50));
  options.max_pause = 12;
  options.counted_from = 90;
  options.miscounts = dice.Chance(25);
  return options;
}

RunOptions RecordRun(const Dice& dice) {
  RunOptions options = StoreRun(Work::kRecord, dice.Chance(25));
  options.tears_look = dice.Chance(75) ? 33 : 0;
  return options;
}

RunOptions SavingRun(const Dice& dice) {
  RunOptions options = StoreRun(Work::kSave, /*excludes=*/false);
  options.counted_from = 60;
  if (dice.Chance(50)) return options;
  options.loses_save = 12;
  options.repeats_save = 33;
  return options;
}

// A session may be granted its own token again: it may have the lock.
bool MayHaveLock(const std::vector<RecordedCall>& calls, const RecordedCall& again) {
  std::set<uint64_t> inside;
  for (const RecordedCall& call : calls) {
    if (call.session != again.session) continue;
    if (call.IsUnknown() && call.from <= again.from) return true;
    if (call.invoked_at >= again.invoked_at) continue;
    if (call.op == Op::kAcquire && call.Ok()) inside.insert(call.hold);
    if (call.op == Op::kRelease) inside.erase(call.hold);
  }
  return !inside.empty();
}

// Those of the calls that succeeded, in any order.
std::vector<RecordedCall> Granted(std::vector<RecordedCall> calls) {
  std::erase_if(calls,
                [](const RecordedCall& call) { return !call.Ok() || call.op == Op::kRelease; });
  for (RecordedCall& call : calls) call.before = -1;
  return calls;
}

// Fencing: is there an order of the grants in which tokens rise, and one of what the store accepted
// in which none is below one before it?
bool TokensRise(const History& history) {
  using Last = std::tuple<int64_t, SessionId, size_t>;  // its token, its session, its invocation
  const std::vector<RecordedCall> calls = CallsIn(history, {Op::kAcquire, Op::kRelease});
  const std::vector<RecordedCall> grants = Granted(calls);
  const std::vector<RecordedCall> uses = Granted(CallsIn(history, {Op::kRead, Op::kWrite}));
  const auto grant = [&](const Last& last, size_t step) {
    const RecordedCall& call = grants[step];
    const auto& [token, session, invoked_at] = last;
    const bool is_same = call.answer[1] == token && call.session == session;
    const bool again = is_same && invoked_at < call.invoked_at && MayHaveLock(calls, call);
    return OnlyIf(call.answer[1] > token || again,
                  Last{call.answer[1], call.session, call.invoked_at});
  };
  const auto use = [&](int64_t seen, size_t step) {
    const int64_t token = uses[step].answer[3];
    return OnlyIf(token >= seen, token);
  };
  return SomeOrder(StepsOf(grants), Last{}, grant) && SomeOrder(StepsOf(uses), int64_t{0}, use);
}

// What the referee counted, if no client went on after it.
const Event* FinalCount(const History& history) {
  const Event* count = nullptr;
  for (const Event& event : history.events) {
    if (event.op == Op::kWrite || event.op == Op::kOrder || event.op == Op::kSave) count = nullptr;
    if (event.op == Op::kFinal) count = &event;
  }
  return count;
}

// Stock: is there an order of the reads and the writes in which each write took its unit from the
// stock that it had read, and the stock in the end is what was counted?
bool EachTookItsUnit(const History& history) {
  std::vector<RecordedCall> calls = CallsIn(history, {Op::kRead, Op::kWrite});
  const auto orders = std::ranges::count_if(history.events, [](const Event& event) {
    return event.op == Op::kOrder && event.type == EventType::kOk;
  });
  const auto unknown = std::ranges::count_if(calls, &RecordedCall::IsUnknown);
  if (const Event* count = FinalCount(history)) {
    if (count->value[1] < orders || count->value[1] > orders + unknown) return false;
    calls.push_back({.op = Op::kRead,
                     .from = count->at_ns,
                     .to = count->at_ns,
                     .outcome = EventType::kOk,
                     .answer = count->value});
  }
  return SomeOrder(StepsOf(calls), history.facts.initial_stock, [&](int64_t stock, size_t step) {
    const auto [from, to] = calls[step].op == Op::kRead
                                ? std::pair(calls[step].answer[0], calls[step].answer[0])
                                : std::pair(calls[step].asked[0], calls[step].asked[1]);
    return OnlyIf(stock == from, to);
  });
}

// Torn read: is there an order of the writes, done whole or half, in which the record had these two
// versions at one instant?
bool CanHaveSeen(const std::vector<RecordedCall>& writes, const RecordedCall& look) {
  using Record = std::array<int64_t, 2>;
  std::vector<Step> steps{{.from = look.from, .to = look.to}};
  std::vector<Record> written{{}};  // by step; 0: leaves that half
  for (const RecordedCall& write : writes) {
    const int64_t version = write.asked[1];
    if (write.Ok()) {
      steps.push_back({.from = write.from, .to = write.to});
      written.push_back({version, version});
      continue;
    }
    // It may have done either half, both or nothing.
    steps.insert(steps.end(), 2, {.from = write.from, .perhaps = true});
    written.push_back({version, 0});
    written.push_back({0, version});
  }
  return SomeOrder(steps, Record{1, 1}, [&](Record now, size_t step) -> std::vector<Record> {
    if (step == 0 && now != Record{look.answer[0], look.answer[1]}) return {};
    for (const size_t half : {0, 1}) {
      if (written[step][half] != 0) now[half] = written[step][half];
    }
    return {now};
  });
}

bool NoReadIsTorn(const History& history) {
  const std::vector<RecordedCall> writes = CallsIn(history, {Op::kWrite});
  return std::ranges::all_of(CallsIn(history, {Op::kLook}), [&](const RecordedCall& look) {
    return !look.Ok() || look.answer[0] == look.answer[1] || CanHaveSeen(writes, look);
  });
}

// Exactly once: is there a choice of which unknown saves were carried out with which every task was
// saved once, and the store has what was counted?
bool EachIsSavedOnce(const History& history) {
  std::vector<int64_t> saved, unknown;
  for (const RecordedCall& save : CallsIn(history, {Op::kSave})) {
    if (save.Ok()) saved.push_back(save.asked[0]);
    if (save.IsUnknown()) unknown.push_back(save.asked[0]);
  }
  const Event* count = FinalCount(history);
  int64_t choices = 1;
  for (size_t i = 0; i < unknown.size(); ++i) choices *= 3;
  for (int64_t choice = 0; choice < choices; ++choice) {
    std::multiset<int64_t> results(saved.begin(), saved.end());
    std::set<int64_t> tasks(saved.begin(), saved.end());
    int64_t rest = choice;
    for (const int64_t task : unknown) {
      // Each: never or after the count, between the counts of tasks and of results, before both.
      if (rest % 3 > 0) results.insert(task);
      if (rest % 3 > 1) tasks.insert(task);
      rest /= 3;
    }
    const std::set<int64_t> once(results.begin(), results.end());
    if (once.size() != results.size()) continue;
    if (count == nullptr || (count->value[0] == static_cast<int64_t>(tasks.size()) &&
                             count->value[1] == static_cast<int64_t>(results.size())))
      return true;
  }
  return false;
}

}  // namespace

std::vector<ClaimTrials> DataTrials() {
  return {{.claim = "fencing", .options = FencedRun, .is_right = TokensRise},
          {.claim = "stock", .options = SellingRun, .is_right = EachTookItsUnit},
          {.claim = "exactly-once", .options = SavingRun, .is_right = EachIsSavedOnce},
          {.claim = "torn-read", .options = RecordRun, .is_right = NoReadIsTorn}};
}

}  // namespace doublehold::brute
