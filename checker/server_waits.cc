#include "checker/server_waits.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace doublehold {
namespace {

class Waits {
 public:
  Waits(std::vector<Stall>& stalls, int64_t lease_ns) : lease_ns_(lease_ns) {
    for (Stall& stall : stalls) {
      if (!IsServer(stall.client)) continue;
      of_servers_.push_back(&stall);
      longest_ns_ = std::max(longest_ns_, stall.when.to_ns - stall.when.from_ns);
    }
    std::ranges::stable_sort(of_servers_, {}, [](const Stall* stall) { return stall->when.to_ns; });
  }

  [[nodiscard]] bool Any() const { return !of_servers_.empty(); }

  void Take(const Event& event) {
    if (!HasKey(event.op)) return;  // said about a process, not done by it
    const Task task{event.client, event.thread, event.task, event.op};
    if (event.type == EventType::kInvoke) {
      begun_ns_[task] = event.at_ns;
      return;
    }
    const auto begun = begun_ns_.find(task);
    if (begun == begun_ns_.end()) return;
    const bool answered = event.type != EventType::kInfo;
    Add(SessionOf(event), {begun->second, event.at_ns + (answered ? 0 : lease_ns_)}, answered);
    begun_ns_.erase(begun);
  }

  // What had no answer at all.
  void Finish() {
    for (const auto& [task, begun_ns] : begun_ns_)
      Add({std::get<0>(task), std::get<1>(task)}, {begun_ns, begun_ns + lease_ns_},
          /*answered=*/false);
  }

 private:
  using Task = std::tuple<int32_t, uint8_t, TaskKind, Op>;

  void Add(const SessionId& session, const Span& wait, bool answered) {
    auto stall = std::ranges::upper_bound(of_servers_, wait.from_ns, {},
                                          [](const Stall* s) { return s->when.to_ns; });
    for (; stall != of_servers_.end(); ++stall) {
      const Span& when = (*stall)->when;
      if (when.to_ns - longest_ns_ >= wait.to_ns) break;
      if (!Overlap(when, wait)) continue;
      const int64_t to_ns = answered ? std::min(when.to_ns, wait.to_ns) : when.to_ns;
      (*stall)->waiting.push_back({session, {std::max(when.from_ns, wait.from_ns), to_ns}});
    }
  }

  const int64_t lease_ns_;
  std::vector<Stall*> of_servers_;  // by their end
  int64_t longest_ns_ = 0;          // of those
  std::map<Task, int64_t> begun_ns_;
};

}  // namespace

void MarkWaiting(const History& history, std::vector<Stall>& stalls) {
  Waits waits(stalls, ToNs(history.facts.lease));
  if (!waits.Any()) return;
  for (const Event& event : history.events) waits.Take(event);
  waits.Finish();
}

}  // namespace doublehold
