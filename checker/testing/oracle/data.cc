// Oracles of the claims `fencing`, `stock`, `torn-read` and `exactly-once`.
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

RunOptions DrawFencingOptions(const Dice& dice) {
  return {.work = Work::kTokens,
          .nested = 25,
          .forgets_release = 17,
          .reentrant = true,
          .frees_nested = true,
          .grants_held_lock = 50,
          .always_reports_success = true,
          .repeats_token = dice.Chance(33) ? 50 : 0,
          .checks_token = dice.Chance(50)};
}

// If `excludes` is false, the lock server grants every acquire, even of a held lock.
RunOptions MakeStoreOptions(Work work, bool excludes) {
  return {.work = work,
          .loses_acquire = 0,
          .loses_release = 0,
          .killed = 25,
          .grants_held_lock = excludes ? 0 : 100};
}

RunOptions DrawSaleOptions(const Dice& dice) {
  RunOptions options = MakeStoreOptions(Work::kSale, dice.Chance(50));
  options.max_pause = 12;
  options.counted_from = 90;
  options.miscounts = dice.Chance(25);
  return options;
}

RunOptions DrawRecordOptions(const Dice& dice) {
  RunOptions options = MakeStoreOptions(Work::kRecord, dice.Chance(25));
  options.tears_look = dice.Chance(75) ? 33 : 0;
  return options;
}

RunOptions DrawSaveOptions(const Dice& dice) {
  RunOptions options = MakeStoreOptions(Work::kSave, /*excludes=*/false);
  options.counted_from = 60;
  if (dice.Chance(50)) return options;
  options.loses_save = 12;
  options.repeats_save = 33;
  return options;
}

// Whether the session may already hold the lock when it invokes the acquire `again`. Only in this
// case may it be granted its own token again.
bool MayAlreadyHold(const std::vector<RecordedCall>& calls, const RecordedCall& again) {
  std::set<uint64_t> held;
  for (const RecordedCall& call : calls) {
    if (call.session != again.session) continue;
    if (call.IsUnknown() && call.from <= again.from) return true;
    if (call.invoked_at >= again.invoked_at) continue;
    if (call.op == Op::kAcquire && call.Ok()) held.insert(call.hold);
    if (call.op == Op::kRelease) held.erase(call.hold);
  }
  return !held.empty();
}

// Keeps only the successful calls that are not releases. Clears `before`, so a session's calls may
// take effect in any order that their times allow.
std::vector<RecordedCall> KeepSuccessful(std::vector<RecordedCall> calls) {
  std::erase_if(calls,
                [](const RecordedCall& call) { return !call.Ok() || call.op == Op::kRelease; });
  for (RecordedCall& call : calls) call.before = -1;
  return calls;
}

// Judges `fencing`. Both of these orders must exist:
// - An order of the grants in which tokens rise. A session that re-enters may get its token again.
// - An order of the reads and writes that the store accepted, in which tokens never fall.
bool TokensCanRise(const History& history) {
  // The token, the session and the invocation of the last grant.
  using Last = std::tuple<int64_t, SessionId, size_t>;
  const std::vector<RecordedCall> calls = ListRecordedCalls(history, {Op::kAcquire, Op::kRelease});
  const std::vector<RecordedCall> grants = KeepSuccessful(calls);
  const std::vector<RecordedCall> uses =
      KeepSuccessful(ListRecordedCalls(history, {Op::kRead, Op::kWrite}));
  const auto grant = [&](const Last& last, size_t step) {
    const RecordedCall& call = grants[step];
    const auto& [token, session, invoked_at] = last;
    const bool is_same = call.answer[1] == token && call.session == session;
    const bool again = is_same && invoked_at < call.invoked_at && MayAlreadyHold(calls, call);
    return NextStateIf(call.answer[1] > token || again,
                       Last{call.answer[1], call.session, call.invoked_at});
  };
  const auto use = [&](int64_t seen, size_t step) {
    const int64_t token = uses[step].answer[3];
    return NextStateIf(token >= seen, token);
  };
  return CanOrderSteps(MakeSteps(grants), Last{}, grant) &&
         CanOrderSteps(MakeSteps(uses), int64_t{0}, use);
}

// Returns the referee's count. Returns null if there is no count, or if a client recorded a write,
// an order or a save after the count.
const Event* FindFinalCount(const History& history) {
  const Event* count = nullptr;
  for (const Event& event : history.events) {
    if (event.op == Op::kWrite || event.op == Op::kOrder || event.op == Op::kSave) count = nullptr;
    if (event.op == Op::kFinal) count = &event;
  }
  return count;
}

// Judges `stock`. An order of the reads and writes must exist in which every write replaces the
// stock that its client had read. The referee's count of the stock must match that order. The
// referee's count of orders must be the number of confirmed orders, plus at most one for each write
// of unknown outcome. No count of the stock may be below 0, however early it was taken.
bool SalesCanBeOrdered(const History& history) {
  const bool is_below_zero = std::ranges::any_of(history.events, [](const Event& event) {
    return event.op == Op::kFinal && event.value[0] < 0;
  });
  if (is_below_zero) return false;
  std::vector<RecordedCall> calls = ListRecordedCalls(history, {Op::kRead, Op::kWrite});
  const auto orders = std::ranges::count_if(history.events, [](const Event& event) {
    return event.op == Op::kOrder && event.type == EventType::kOk;
  });
  const auto unknown = std::ranges::count_if(calls, &RecordedCall::IsUnknown);
  if (const Event* count = FindFinalCount(history)) {
    if (count->value[1] < orders || count->value[1] > orders + unknown) return false;
    calls.push_back({.op = Op::kRead,
                     .from = count->at_ns,
                     .to = count->at_ns,
                     .outcome = EventType::kOk,
                     .answer = count->value});
  }
  return CanOrderSteps(
      MakeSteps(calls), history.facts.initial_stock, [&](int64_t stock, size_t step) {
        const auto [from, to] = calls[step].op == Op::kRead
                                    ? std::pair(calls[step].answer[0], calls[step].answer[0])
                                    : std::pair(calls[step].asked[0], calls[step].asked[1]);
        return NextStateIf(stock == from, to);
      });
}

// Whether, in some order of the writes, the record has at one instant both versions that `look`
// returned.
bool CanExplainLook(const std::vector<RecordedCall>& writes, const RecordedCall& look) {
  using Record = std::array<int64_t, 2>;
  std::vector<Step> steps{{.from = look.from, .to = look.to}};
  std::vector<Record> written{{}};  // by step: the version written to each half, or 0
  for (const RecordedCall& write : writes) {
    const int64_t version = write.asked[1];
    if (write.Ok()) {
      steps.push_back({.from = write.from, .to = write.to});
      written.push_back({version, version});
      continue;
    }
    // A write that failed or has an unknown outcome may write one half, both halves or nothing.
    steps.insert(steps.end(), 2, {.from = write.from, .optional = true});
    written.push_back({version, 0});
    written.push_back({0, version});
  }
  return CanOrderSteps(steps, Record{1, 1}, [&](Record now, size_t step) -> std::vector<Record> {
    if (step == 0 && now != Record{look.answer[0], look.answer[1]}) return {};
    for (const size_t half : {0, 1}) {
      if (written[step][half] != 0) now[half] = written[step][half];
    }
    return {now};
  });
}

// Judges `torn-read`: whether every look can be explained.
bool LooksCanBeExplained(const History& history) {
  const std::vector<RecordedCall> writes = ListRecordedCalls(history, {Op::kWrite});
  return std::ranges::all_of(
      ListRecordedCalls(history, {Op::kLook}), [&](const RecordedCall& look) {
        return !look.Ok() || look.answer[0] == look.answer[1] || CanExplainLook(writes, look);
      });
}

// Judges `exactly-once`. Tries every combination of times at which the saves of unknown outcome may
// have taken effect. At least one combination must save no task twice and match the referee's
// counts.
bool TasksCanBeSavedOnce(const History& history) {
  std::vector<int64_t> saved, unknown;
  for (const RecordedCall& save : ListRecordedCalls(history, {Op::kSave})) {
    if (save.Ok()) saved.push_back(save.asked[0]);
    if (save.IsUnknown()) unknown.push_back(save.asked[0]);
  }
  const Event* count = FindFinalCount(history);
  int64_t choices = 1;
  for (size_t i = 0; i < unknown.size(); ++i) choices *= 3;
  for (int64_t choice = 0; choice < choices; ++choice) {
    std::multiset<int64_t> results(saved.begin(), saved.end());
    std::set<int64_t> tasks(saved.begin(), saved.end());
    int64_t rest = choice;
    for (const int64_t task : unknown) {
      // The referee counts tasks first, then results. `rest % 3` is the choice for this save:
      // 0: no effect, or an effect after both counts; 1: between the counts; 2: before both.
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
  return {
      {.claim = "fencing", .options = DrawFencingOptions, .is_explainable = TokensCanRise},
      {.claim = "stock", .options = DrawSaleOptions, .is_explainable = SalesCanBeOrdered},
      {.claim = "exactly-once", .options = DrawSaveOptions, .is_explainable = TasksCanBeSavedOnce},
      {.claim = "torn-read", .options = DrawRecordOptions, .is_explainable = LooksCanBeExplained}};
}

}  // namespace doublehold::brute
