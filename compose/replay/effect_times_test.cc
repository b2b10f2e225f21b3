#include "compose/replay/effect_times.h"

#include <gtest/gtest.h>

namespace doublehold {
namespace {

constexpr int64_t kAsked = 100, kUntil = 900;

struct SentRequest {
  int64_t at_ns = 0;
  int node = 1;
  std::optional<int64_t> arrived_ns{};
  TaskKind task = TaskKind::kSession;
};

std::optional<int64_t> EffectOf(const std::vector<SentRequest>& sent) {
  std::vector<Frame> frames;
  for (const SentRequest& request : sent)
    frames.push_back({.at_ns = request.at_ns,
                      .client = 1,
                      .node = request.node,
                      .command = "SET",
                      .arrived_ns = request.arrived_ns,
                      .task = request.task});
  return EffectTimes(frames).Find({.at_ns = kAsked, .client = 1}, kUntil);
}

TEST(EffectTimes, AreThoseOfTheLastRequestOfTheCall) {
  EXPECT_EQ(EffectOf({{100, 1, 150}, {200, 1, 250}}), 250);
  EXPECT_EQ(EffectOf({{100, 1, 150}, {200, 1, {}}}), std::nullopt) << "the last was lost";
  EXPECT_EQ(EffectOf({{50, 1, 100}, {900, 1, 950}}), std::nullopt) << "those are other calls";
  EXPECT_EQ(EffectOf({{100, 1, 150, TaskKind::kWatchdog}}), std::nullopt);
  EXPECT_EQ(EffectOf({}), std::nullopt);
}

TEST(EffectTimes, OfSeveralServersAreWhenMostOfThemHadCarriedItOut) {
  EXPECT_EQ(EffectOf({{100, 1, 700}, {100, 2, 150}, {100, 3, 160}}), 160);
  EXPECT_EQ(EffectOf({{100, 1, {}}, {100, 2, 150}, {100, 3, 160}}), 160);
  EXPECT_EQ(EffectOf({{100, 1, {}}, {100, 2, {}}, {100, 3, 160}}), std::nullopt);
  EXPECT_EQ(EffectOf({{100, 1, 150}, {100, 2, 160}}), 160);
}

}  // namespace
}  // namespace doublehold
