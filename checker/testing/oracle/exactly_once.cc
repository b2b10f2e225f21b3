// The claim `exactly-once`: is there a choice of which saves of unknown outcome were carried out,
// and when, with which every task was saved once and the store holds what was counted?
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "checker/testing/oracle/operations.h"
#include "checker/testing/oracle/random_run.h"
#include "checker/testing/oracle/rows.h"

namespace doublehold::brute {
namespace {

constexpr int32_t kCounter = kReferee;

class SavingClients {
 public:
  explicit SavingClients(Prng& prng)
      : play_(prng), defective_(play_.OneIn(2)), tasks_(1 + play_.Any(3)) {}

  History Run() {
    play_.Begin(3, 12, [this](int32_t client, int64_t saves) { Save(client, saves); });
    play_.Later(30 + play_.Any(30), [this] { Count(); });
    return play_.Run({.lock = "brute", .lease = 10ms, .nodes = 1});
  }

 private:
  void Save(int32_t client, int64_t saves) {
    if (saves == 0) return;
    const int64_t task = 1 + play_.Any(tasks_);
    auto was = std::make_shared<bool>(false);
    play_.Record(client, Op::kSave, EventType::kInvoke, 0, {task});
    const auto on = [=, this](EventType type) {
      play_.Record(client, Op::kSave, type, 0, {task});
      play_.Later(play_.Any(6), [=, this] { Save(client, saves - 1); });
    };
    play_.Ask(
        [=, this] {
          *was = results_.contains(task) && !(defective_ && play_.OneIn(3));
          if (!*was && !(defective_ && play_.OneIn(8))) ++results_[task];
        },
        [=] { on(*was ? EventType::kFail : EventType::kOk); },
        [=, this] {
          if (play_.OneIn(3)) return;  // killed
          on(EventType::kInfo);
        });
  }

  // The tasks that have a result, and a little later the results.
  void Count() {
    const auto tasks = static_cast<int64_t>(results_.size());
    play_.Later(play_.Any(6), [=, this] {
      int64_t results = 0;
      for (const auto& [task, of_task] : results_) results += of_task;
      play_.Record(kCounter, Op::kFinal, EventType::kOk, 0, {tasks, results});
    });
  }

  Play play_;
  bool defective_;  // saves what it had saved, or loses it
  int64_t tasks_;
  std::map<int64_t, int64_t> results_;
};

History AnySaves(Prng& prng) { return SavingClients(prng).Run(); }

struct SavesCounted {
  int64_t tasks = 0, results = 0;
};

// The last count that nothing was recorded after.
std::optional<SavesCounted> CountIn(const History& history) {
  std::optional<SavesCounted> counted;
  for (const Event& event : history.events) {
    if (event.op == Op::kSave) counted.reset();
    if (event.op == Op::kFinal) counted = {event.value[0], event.value[1]};
  }
  return counted;
}

// Tries each of the unknown ones: never or later, before the tasks were counted, between the two
// counts.
bool SomeChoice(const std::vector<int64_t>& unknown, size_t next, std::multiset<int64_t>& before,
                std::multiset<int64_t>& between, const std::optional<SavesCounted>& counted) {
  if (next == unknown.size()) {
    const std::set<int64_t> tasks(before.begin(), before.end());
    std::multiset<int64_t> all = before;
    all.insert(between.begin(), between.end());
    const bool once = all.size() == std::set<int64_t>(all.begin(), all.end()).size();
    if (!counted) return once;
    return once && counted->tasks == static_cast<int64_t>(tasks.size()) &&
           counted->results == static_cast<int64_t>(all.size());
  }
  if (SomeChoice(unknown, next + 1, before, between, counted)) return true;
  for (std::multiset<int64_t>* when : {&before, &between}) {
    const auto at = when->insert(unknown[next]);
    if (SomeChoice(unknown, next + 1, before, between, counted)) return true;
    when->erase(at);
  }
  return false;
}

bool EachWasSavedOnce(const History& history) {
  std::multiset<int64_t> saved, between;
  std::vector<int64_t> unknown;
  for (const Deed& save : DeedsOf(history, {Op::kSave})) {
    if (save.Ok()) saved.insert(save.asked[0]);
    if (save.Perhaps()) unknown.push_back(save.asked[0]);
  }
  return SomeChoice(unknown, 0, saved, between, CountIn(history));
}

}  // namespace

ClaimTrials ExactlyOnceTrials() {
  return {.claim = "exactly-once", .any = AnySaves, .innocent = EachWasSavedOnce};
}

}  // namespace doublehold::brute
