#include "compose/run/merge_segments.h"

#include <algorithm>

#include "compose/cluster/launcher.h"
#include "lib/history/recorder.h"

namespace doublehold {
namespace {

constexpr size_t kMostErrorTexts = 5;  // of a run; texts often differ in a number only

}  // namespace

Result<SharedRun> CreateSharedRun(const Plan& plan) {
  return SharedRun::Create(plan.clients + 1, ClockPagesOf(plan), plan.threads);
}

void AppendSegments(SharedRun& shared, const Plan& plan, int64_t now_ns, History& history) {
  const auto append = [&](std::span<const std::byte> segment, int process, TaskKind task,
                          int thread) {
    const SegmentContent content = ReadSegment(segment);
    history.events.insert(history.events.end(), content.events.begin(), content.events.end());
    if (content.dropped == 0) return;
    history.events.push_back({.at_ns = now_ns,
                              .client = process,
                              .op = Op::kLost,
                              .type = EventType::kInfo,
                              .task = task,
                              .thread = static_cast<uint8_t>(thread),
                              .value = {static_cast<int64_t>(content.dropped)}});
  };
  append(shared.OwnSegment(), kSupervisor, TaskKind::kSession, 0);
  for (int process = 0; process <= plan.clients; ++process) {
    for (int thread = 0; thread < plan.threads; ++thread) {
      for (const TaskKind task : {TaskKind::kSession, TaskKind::kWatchdog, TaskKind::kMeter}) {
        append(shared.Segment(process, task, thread), process, task, thread);
      }
    }
  }
  if (!history.facts.library) return;
  std::vector<std::string>& errors = history.facts.library->errors;
  for (int client = 1; client <= plan.clients; ++client) {
    for (std::string& text : shared.Control(client).errors.Read()) {
      const bool is_new = std::ranges::find(errors, text) == errors.end();
      if (is_new && errors.size() < kMostErrorTexts) errors.push_back(std::move(text));
    }
  }
}

}  // namespace doublehold
