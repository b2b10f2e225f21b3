#include "checker/claims/data/exactly_once.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "checker/evidence/calls.h"
#include "checker/evidence/disturbances.h"
#include "checker/evidence/names.h"
#include "checker/sentences/violation_text.h"
#include "checker/verdict/decide.h"

namespace doublehold {
namespace {

using Task = std::pair<uint16_t, int64_t>;  // key and number of the task

// Counts are clamped to this limit. The limit is above the counts of any run, and small enough that
// sums cannot overflow.
constexpr int64_t kMostSaves = int64_t{1} << 40;

Task SavedTask(const Call& save) {
  return {save.key, save.asked[0] != 0 ? save.asked[0] : save.answer[0]};
}

// The saves of each task, in the order of their answers.
std::map<Task, std::vector<const Call*>> GroupSavesByTask(const Calls& calls) {
  std::map<Task, std::vector<const Call*>> saves;
  for (const Call& call : calls.all) {
    if (call.op == Op::kSave) saves[SavedTask(call)].push_back(&call);
  }
  for (auto& [task, of_task] : saves) std::ranges::stable_sort(of_task, {}, &Call::to_ns);
  return saves;
}

void CountTask(const std::vector<const Call*>& saves, SaveCount& count) {
  const auto ok = std::ranges::count_if(saves, [](const Call* save) { return save->Ok(); });
  const auto unknown = std::ranges::count_if(
      saves, [](const Call* save) { return save->outcome == EventType::kInfo; });
  count.saved += ok;
  count.unknown += unknown;
  count.twice += std::max<int64_t>(0, ok - 1);
  if (ok + unknown > 1) count.perhaps_twice += unknown;
  if (ok > 0) count.tasks.insert(SavedTask(*saves.front()));
  if (ok + unknown > 0) count.perhaps_tasks.insert(SavedTask(*saves.front()));
}

void CountFinal(const History& history, SaveCount& count) {
  std::map<uint16_t, std::pair<int64_t, int64_t>> counted;  // by key: the last count
  std::set<uint16_t> touched;  // keys with a save after their last count
  for (const Event& event : history.events) {
    if (event.op == Op::kLost) count.complete = false;
    if (event.op == Op::kSave && event.client > kReferee && counted.contains(event.key))
      touched.insert(event.key);
    if (event.op != Op::kFinal || event.type != EventType::kOk) continue;
    counted[event.key] = {std::clamp(event.value[0], -kMostSaves, kMostSaves),
                          std::clamp(event.value[1], -kMostSaves, kMostSaves)};
    touched.erase(event.key);
  }
  count.touched_after_final = !touched.empty();
  for (const auto& [key, tasks_and_results] : counted) {
    count.final_tasks = count.final_tasks.value_or(0) + tasks_and_results.first;
    count.final_results = count.final_results.value_or(0) + tasks_and_results.second;
  }
  count.covered = std::ranges::all_of(
      count.tasks, [&](const Task& task) { return counted.contains(task.first); });
}

// Two saves of one task. Blames the first save if only its lease had expired. Otherwise blames the
// second save.
struct SavedTwice {
  const Call& first;
  const Call& again;
  const Hold* first_hold;
  const Hold* again_hold;

  [[nodiscard]] bool IsFirstToBlame() const {
    const auto late = [](const Hold* hold, int64_t at_ns) {
      return hold != nullptr && hold->ExpiredBefore(at_ns);
    };
    return late(first_hold, first.to_ns) && !late(again_hold, again.from_ns);
  }

  [[nodiscard]] Violation Describe(const Disturbances& disturbances) const {
    const bool blame_first = IsFirstToBlame();
    const Call& blamed = blame_first ? first : again;
    const Call& other = blame_first ? again : first;
    return DescribeWrongOperation(
        disturbances,
        {.by = blamed.session,
         .under = blame_first ? first_hold : again_hold,
         .harmed = blame_first ? again_hold : first_hold,
         .key = again.key,
         .when = blame_first ? Span{first.to_ns, first.to_ns} : Span{again.from_ns, again.to_ns},
         .what =
             fmt::format("saved task {} at {}, and {} saved it {}at {}", SavedTask(again).second,
                         At(blamed.to_ns), OwnerName(disturbances, other.session),
                         blame_first ? "again " : "", At(other.to_ns)),
         .on_store = true});
  }
};

std::string WhySavesUndecided(const SaveCount& count) {
  if (count.saved == 0) return "no task was saved";
  if (!count.final_results || !count.covered)
    return "how many results are in the store is not known";
  if (count.touched_after_final)
    return "tasks were still being saved when the results were counted";
  if (count.perhaps_twice > 0 && *count.final_results > *count.final_tasks) {
    return fmt::format("{} of unknown outcome may have saved a task again",
                       Counted(count.perhaps_twice, "save"));
  }
  return "";
}

}  // namespace

int64_t SaveCount::Surplus() const {
  if (!Final()) return 0;
  const int64_t beyond = *final_results - *final_tasks - unknown;
  const int64_t unexplained =
      complete ? *final_results - static_cast<int64_t>(perhaps_tasks.size()) : 0;
  return std::max<int64_t>({0, complete ? beyond : 0, unexplained});
}

int64_t SaveCount::Missing() const {
  return Final() && covered
             ? std::max<int64_t>(0, static_cast<int64_t>(tasks.size()) - *final_tasks)
             : 0;
}

SaveCount CountSaves(const Evidence& evidence) {
  SaveCount count;
  for (const auto& [task, saves] : GroupSavesByTask(evidence.calls())) CountTask(saves, count);
  CountFinal(evidence.history(), count);
  return count;
}

ClaimVerdict CheckExactlyOnce(const Evidence& evidence, const Limits& limits) {
  ClaimFindings found("saves", limits);
  const SaveCount count = CountSaves(evidence);
  found.Judged(count.saved);
  if (count.twice > 0) {
    const Holds& holds = evidence.holds();
    for (const auto& [task, saves] : GroupSavesByTask(evidence.calls())) {
      const Call* first = nullptr;
      for (const Call* save : saves) {
        if (!save->Ok()) continue;
        if (first == nullptr) {
          first = save;
          continue;
        }
        const SavedTwice twice{*first, *save, holds.Find(first->hold), holds.Find(save->hold)};
        const int64_t at_ns = twice.IsFirstToBlame() ? first->to_ns : save->to_ns;
        found.Violated(at_ns, [&] { return twice.Describe(evidence.disturbances()); });
      }
    }
  }
  const int64_t more = count.Surplus() - count.twice;
  if (more > 0) {
    found.Add({.count = more,
               .sentence = fmt::format(
                   "{} are in the store, of {}, and at most {} can have been saved",
                   Counted(*count.final_results, "result"), Counted(*count.final_tasks, "task"),
                   Counted(static_cast<int64_t>(count.perhaps_tasks.size()), "task"))},
              0);
  }
  if (count.Missing() > 0) {
    found.Add({.count = count.Missing(),
               .sentence = fmt::format("{} were saved, and {} in the store have a result",
                                       Counted(static_cast<int64_t>(count.tasks.size()), "task"),
                                       *count.final_tasks)},
              0);
  }
  found.CountAs(std::max({count.twice, count.Surplus(), count.Missing()}));
  found.Doubt(WhySavesUndecided(count));
  return std::move(found).Conclude({.judged = Counted(count.saved, "confirmed save"),
                                    .violated = "went wrong",
                                    .valid = "{}, each of a task of its own"});
}

}  // namespace doublehold
