// Measures the cost of recording one event: time stamp, copy into shared memory, publication. The
// time stamp alone is measured for comparison. bench/run.py runs both measurements a second time,
// under the clock shim, because clients run under the shim.
#include <benchmark/benchmark.h>

#include <ctime>

#include "lib/base/check.h"
#include "lib/real/real_env.h"

namespace doublehold {
namespace {

// Fewer events than a segment holds, so that a round fits into a segment.
constexpr int64_t kEventsPerRound = 1 << 16;

void RecordEvents(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) {
    state.PauseTiming();
    Result<SharedRun> shared = SharedRun::Create(1, 1);
    CHECK(shared.has_value());
    shared->Control(0).start_ns.store(1);
    const RealProcess process{.number = 0, .shared = &*shared};
    RealEnv env(process, TaskKind::kSession);
    state.ResumeTiming();
    for (int64_t i = 0; i < kEventsPerRound; ++i) {
      env.Record({.hold = 1, .op = Op::kRelease, .type = EventType::kInvoke});
    }
    state.PauseTiming();
    CHECK(ReadSegment(shared->Segment(0, TaskKind::kSession)).events.size() == kEventsPerRound);
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * kEventsPerRound);
}
BENCHMARK(RecordEvents)->Unit(benchmark::kMillisecond);

void ReadClock(benchmark::State& state) {
  for ([[maybe_unused]] auto _ : state) {
    for (int64_t i = 0; i < kEventsPerRound; ++i) {
      timespec now{};
      CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
      benchmark::DoNotOptimize(now);
    }
  }
  state.SetItemsProcessed(state.iterations() * kEventsPerRound);
}
BENCHMARK(ReadClock)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace doublehold

BENCHMARK_MAIN();
