// Judges random events. `Judge` must end, must not overflow, and must return the same verdict after
// the history was written and read.

#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "checker/judge.h"
#include "lib/base/prng.h"
#include "lib/history/jsonl.h"
#include "lib/testing/trials.h"

namespace doublehold {
namespace {

int64_t AnyValue(Prng& prng) {
  constexpr std::array<int64_t, 6> kEdges{0, 1, -1, 5, kMostValue, -kMostValue};
  const uint64_t kind = prng.Below(4);
  if (kind == 0) return kEdges[prng.Below(kEdges.size())];
  if (kind == 1) return static_cast<int64_t>(prng.Next() >> 3);
  return static_cast<int64_t>(prng.Below(20));
}

constexpr std::array<std::string_view, 6> kWrites{
    "read-modify-write", "check-then-decr", "watch", "fenced", "atomic-script", "no such"};

std::vector<std::string> AllClaims() {
  std::vector<std::string> claims;
  for (const CheckerEntry& checker : Checkers()) claims.emplace_back(checker.claim);
  return claims;
}

History AnyHistoryFuzz(Prng& prng) {
  History history{.facts = {.experiment = "fuzz",
                            .write = std::string(kWrites[prng.Below(kWrites.size())]),
                            .seed = prng.Next(),
                            .lease = Duration(1 + static_cast<int64_t>(prng.Below(10))),
                            .clients = 3,
                            .initial_stock = static_cast<int64_t>(prng.Below(10)),
                            .keys = {"a", "b"},
                            .faults = {{.name = "p", .kind = "pause", .what = "p"},
                                       {.name = "j", .kind = "jump", .what = "j"},
                                       {.name = "r", .kind = "restart", .what = "r"}},
                            .claims = AllClaims()},
                  .events = {}};
  int64_t at_ns = 0;
  for (uint64_t n = prng.Below(60); n > 0; --n) {
    at_ns += static_cast<int64_t>(prng.Below(3));
    Event event{.at_ns = at_ns,
                .hold = prng.Below(8),
                .client = static_cast<int32_t>(prng.Below(5)) - 1,
                .key = static_cast<uint16_t>(prng.Below(4) == 0 ? 1 : 0),
                .op = static_cast<Op>(prng.Below(static_cast<uint64_t>(Op::kLook) + 1)),
                .type = static_cast<EventType>(prng.Below(4)),
                .task = static_cast<TaskKind>(prng.Below(8) == 0 ? prng.Below(3) : 0),
                .thread = static_cast<uint8_t>(prng.Below(8) == 0 ? 1 : 0)};
    for (int64_t& value : event.value) value = AnyValue(prng);
    if (event.op == Op::kAcquire && prng.Below(4) == 0) event.value[0] = INT64_MAX;
    if (event.op == Op::kFault) event.value[0] = static_cast<int64_t>(prng.Below(3));
    history.events.push_back(event);
  }
  if (prng.Below(8) == 0) {
    history.events.push_back({.at_ns = kMostValue, .op = Op::kStall, .value = {AnyValue(prng)}});
  }
  return history;
}

TEST(Fuzz, RandomEventsHaveTheSameVerdictAfterWritingAndReading) {
  Prng prng(1, "fuzz");
  std::array<int, 3> outcomes{};
  const int64_t rounds = NumTrials(1'000);
  for (int64_t round = 0; round < rounds; ++round) {
    const History history = AnyHistoryFuzz(prng);
    const RunVerdict verdict = Judge(history);
    ++outcomes[static_cast<size_t>(verdict.overall)];
    ASSERT_FALSE(ToText(verdict).empty());
    std::stringstream file;
    WriteJsonl(history, file);
    const std::string text = file.str();
    TextSource source(text, "again");
    const Result<History> again = ReadJsonl(source);
    ASSERT_TRUE(again.has_value()) << again.error().message;
    ASSERT_EQ(ToJson(Judge(*again)), ToJson(verdict)) << "round " << round;
  }
  EXPECT_GT(outcomes[static_cast<size_t>(Outcome::kUnknown)], rounds / 20);
  EXPECT_GT(outcomes[static_cast<size_t>(Outcome::kViolated)], rounds / 20);
}

}  // namespace
}  // namespace doublehold
