#include "checker/lost_updates.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "checker/judge.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

Trials TwoTrials() {
  return {.unit = "fault episode", .each = {{0, ToNs(30ms)}, {ToNs(30ms), ToNs(90ms)}}};
}

struct RefusedRow {
  const char* name;
  const char* write;
  const char* picture;
  std::optional<int64_t> refused;
};

constexpr const char* kStaleWriteRefused = R"(
      c1:    A-a=g=====!======W-xR-x           | #1 5#1 5>4#1
      c2:               A-a=g=w=R-r            | #2 5#2 5>4#2
      final:                               *   | 4/1)";

TEST(LostUpdates, RefusedWritesAreCountedIfTheStoreCanRefuseAStaleWrite) {
  for (const RefusedRow& row :
       {RefusedRow{"an old token", "fenced", kStaleWriteRefused, 1},
        {"an old version", "version", kStaleWriteRefused, 1},
        {"an EXEC that returned nil", "watch", kStaleWriteRefused, 1},
        {"sold out since the read is not stale", "atomic-script", kStaleWriteRefused, std::nullopt},
        {"a plain SET is never refused", "read-modify-write", kStaleWriteRefused, std::nullopt},
        {"nobody knows whether an unanswered write was refused", "fenced",
         "c1: A-a=g=W-?R-r | #1 5#1 5>4#1", 0},
        {"the refused writes of two items", "version", R"(
      c1 item-0:  A-a=g=W-x=W-xR-r                   | 5 5>4 5>4
      c1 item-1:                  A-a=g=W-xR-r       | 5 5>4)",
         3}}) {
    const History history = FromLanes(row.picture, {.write = row.write});
    EXPECT_EQ(CountLostUpdates(history, TwoTrials()).refused_writes, row.refused) << row.name;
  }
}

// Two clients read 5 and both write 4; then one client sells 4 and 3.
constexpr const char* kOneOfFourLost = R"(
      c1:       A-a=g=====!======wR-x                             | 5 5>4
      c2:                  A-a=g=w=R-r   A-a=g=w=R-r A-a=g=w=R-r  | 5 5>4 4 4>3 3 3>2
      final:                                                    * | 2/4)";

TEST(LostUpdates, TheirShareIsThatOfConfirmedWrites) {
  const LostUpdates updates = CountLostUpdates(FromLanes(kOneOfFourLost), TwoTrials());
  EXPECT_EQ(updates.count, 1);
  EXPECT_EQ(updates.of, 4);
  ASSERT_EQ(updates.trials.size(), 2U);
  EXPECT_EQ(updates.trials[0].count, 1);
  EXPECT_EQ(updates.trials[0].of, 2);
  EXPECT_EQ(updates.trials[1].count, 0);
  EXPECT_EQ(updates.trials[1].of, 2);
}

TEST(LostUpdates, AnIntervalNeedsTheTimeOfEachLostUpdate) {
  // DECR reports no read value, so only the sums show that two orders were lost.
  const LostUpdates updates = CountLostUpdates(FromLanes(R"(
      c1:    A-a=g=w=R-r A-a=g=w=R-r A-a=g=w=R-r  | 5 5>4 4 4>3 3 3>2
      final:                                    * | 4/3)",
                                                         {.write = "check-then-decr"}),
                                               TwoTrials());
  EXPECT_EQ(updates.count, 2);
  EXPECT_TRUE(updates.trials.empty());
}

TEST(LostUpdates, AVerdictHasThemIfStockWasJudged) {
  EXPECT_FALSE(Judge(FromLanes(kOneOfFourLost, {.claims = {"exclusion"}})).lost_updates);
  const RunVerdict lost = Judge(FromLanes(kOneOfFourLost, {.claims = {"stock"}}));
  EXPECT_EQ(ToJson(lost)["lost_updates"]["share"], 0.25);
  EXPECT_EQ(ToJson(lost)["refused_writes"], nullptr);
  EXPECT_NE(ToText(lost).find("\nlost updates: 1, 250000 per million grants\n"), std::string::npos)
      << ToText(lost);
  const RunVerdict two_trials = Judge(FromLanes(std::string(kOneOfFourLost) + R"(
      pause c2:                   []                    [])",
                                                {.claims = {"stock"}}));
  EXPECT_NE(ToText(two_trials).find("\nlost updates: 1 of 4 (25.0 %, 95 % interval "),
            std::string::npos)
      << ToText(two_trials);
  const RunVerdict refused =
      Judge(FromLanes(kStaleWriteRefused, {.write = "fenced", .claims = {"stock"}}));
  EXPECT_EQ(ToJson(refused)["refused_writes"], 1);
  EXPECT_NE(ToText(refused).find("lost updates: 0\nstale writes refused by the store: 1\n"),
            std::string::npos)
      << ToText(refused);
}

}  // namespace
}  // namespace doublehold
