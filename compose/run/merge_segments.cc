#include "compose/run/merge_segments.h"

#include "lib/history/recorder.h"

namespace doublehold {

void AppendSegments(SharedRun& shared, const Plan& plan, int64_t now_ns, History& history) {
  const auto append = [&](int process, TaskKind task, int thread) {
    const SegmentContent content = ReadSegment(shared.Segment(process, task, thread));
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
  for (int process = 0; process <= plan.clients; ++process) {
    for (int thread = 0; thread < plan.threads; ++thread) {
      for (const TaskKind task : {TaskKind::kSession, TaskKind::kWatchdog, TaskKind::kMeter}) {
        append(process, task, thread);
      }
    }
  }
}

}  // namespace doublehold
