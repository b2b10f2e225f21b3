#include "checker/evidence/server_waits.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace doublehold {
namespace {

// Only stock operations go to the store, and they go nowhere else.
bool IsOfStore(Op op) {
  return op == Op::kRead || op == Op::kWrite || op == Op::kOrder || op == Op::kSave ||
         op == Op::kLook || op == Op::kFinal;
}

auto WhoAndWhen(const Wait& wait) { return std::tuple(wait.session, wait.side, wait.when.from_ns); }

// Merges overlapping waits: the attempts of a blocking wait lie inside it.
std::vector<Wait> Merged(std::vector<Wait> waits) {
  std::ranges::stable_sort(waits, {}, WhoAndWhen);
  std::vector<Wait> merged;
  for (const Wait& wait : waits) {
    const bool goes_on = !merged.empty() && merged.back().session == wait.session &&
                         merged.back().side == wait.side &&
                         wait.when.from_ns <= merged.back().when.to_ns;
    if (goes_on) {
      int64_t& to_ns = merged.back().when.to_ns;
      to_ns = std::max(to_ns, wait.when.to_ns);
    } else {
      merged.push_back(wait);
    }
  }
  return merged;
}

std::vector<Span> Merged(std::vector<Span> spans) {
  std::ranges::sort(spans, {}, &Span::from_ns);
  std::vector<Span> merged;
  for (const Span& span : spans) {
    if (!merged.empty() && span.from_ns <= merged.back().to_ns) {
      merged.back().to_ns = std::max(merged.back().to_ns, span.to_ns);
    } else {
      merged.push_back(span);
    }
  }
  return merged;
}

class Waits {
 public:
  explicit Waits(Scene& scene) : lease_ns_(ToNs(scene.facts.lease)), scene_(scene) {
    for (Stall& stall : scene.stalls) {
      if (!IsServer(stall.client)) continue;
      of_servers_.push_back(&stall);
      longest_ns_ = std::max(longest_ns_, stall.when.to_ns - stall.when.from_ns);
    }
    std::ranges::stable_sort(of_servers_, {}, [](const Stall* stall) { return stall->when.to_ns; });
  }

  // Whether any stall or fault makes waits relevant.
  [[nodiscard]] bool Any() const { return !of_servers_.empty() || all_; }

  void Take(const Event& event) {
    if (!HasKey(event.op)) return;  // an event about a process, not an operation of it
    const Task task{event.client, event.thread, event.task, event.op};
    if (event.type == EventType::kInvoke) {
      begun_ns_[task] = event.at_ns;
      return;
    }
    const auto begun = begun_ns_.find(task);
    if (begun == begun_ns_.end()) return;
    Add(task, {begun->second, event.at_ns}, /*over=*/true);
    begun_ns_.erase(begun);
  }

  // Adds operations that were never answered: their clients still wait, or have died.
  void Finish() {
    for (const auto& [task, begun_ns] : begun_ns_)
      Add(task, {begun_ns, begun_ns + lease_ns_}, /*over=*/false);
    for (Stall* stall : of_servers_) stall->waiting = Merged(std::move(stall->waiting));
    for (auto& [what, spans] : scene_.waits) spans = Merged(std::move(spans));
  }

 private:
  using Task = std::tuple<int32_t, uint8_t, TaskKind, Op>;

  void Add(const Task& task, const Span& wait, bool over) {
    const auto& [client, thread, kind, op] = task;
    const Side side = kind == TaskKind::kWatchdog ? Side::kWatchdog : Side::kSession;
    if (all_) scene_.waits[{{client, thread}, side, IsOfStore(op)}].push_back(wait);
    auto stall = std::ranges::upper_bound(of_servers_, wait.from_ns, {},
                                          [](const Stall* s) { return s->when.to_ns; });
    for (; stall != of_servers_.end(); ++stall) {
      const Span& when = (*stall)->when;
      if (when.to_ns - longest_ns_ >= wait.to_ns) break;
      const bool is_store = ServerOf((*stall)->client) == 0;
      if (is_store != IsOfStore(op) || !Overlap(when, wait)) continue;
      const int64_t to_ns = over ? std::min(when.to_ns, wait.to_ns) : when.to_ns;
      (*stall)->waiting.push_back(
          {{client, thread}, side, {std::max(when.from_ns, wait.from_ns), to_ns}});
    }
  }

  const int64_t lease_ns_;
  Scene& scene_;
  const bool all_ = !scene_.stalls.empty() && !scene_.episodes.empty();
  std::vector<Stall*> of_servers_;  // sorted by their end
  int64_t longest_ns_ = 0;          // the longest of those
  std::map<Task, int64_t> begun_ns_;
};

}  // namespace

void MarkWaiting(const History& history, Scene& scene) {
  Waits waits(scene);
  if (!waits.Any()) return;
  for (const Event& event : history.events) waits.Take(event);
  waits.Finish();
}

}  // namespace doublehold
