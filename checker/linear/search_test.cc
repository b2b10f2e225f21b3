// Compares the search with every_order.h on random small histories of every model, and tests its
// results on hand-written histories.
#include "checker/linear/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "checker/testing/linear/trials.h"
#include "lib/base/prng.h"
#include "lib/testing/trials.h"

namespace doublehold {

void PrintTo(const Model& model, std::ostream* out) { *out << model.name; }

namespace {

class SearchTrials : public ::testing::TestWithParam<Model> {};

TEST_P(SearchTrials, AgreesWithEveryOrderOnRandomHistories) {
  const auto seed = static_cast<uint64_t>(TrialSetting("DOUBLEHOLD_SEED", 20261121));
  const TrialCounts counts =
      RunSearchTrials(GetParam(), seed, TrialSetting("DOUBLEHOLD_TRIALS", NumTrials(20'000)));
  EXPECT_EQ(counts.disagreement, "");
  for (const bool indeterminate : {false, true}) {
    EXPECT_GT(counts.ValidShare(indeterminate), 0.25) << indeterminate;
    EXPECT_LT(counts.ValidShare(indeterminate), 0.75) << indeterminate;
  }
  EXPECT_GT(counts.IndeterminateShare(), 0.25);
  EXPECT_LT(counts.IndeterminateShare(), 0.75);
}

INSTANTIATE_TEST_SUITE_P(EveryModel, SearchTrials, ::testing::ValuesIn(Models()),
                         [](const auto& info) {
                           std::string name(info.param.name);
                           std::erase(name, '-');
                           return name;
                         });

Operation MakeOperation(int64_t invoked, int64_t returned, uint8_t function, int32_t process,
                        LinearValue argument = {}, LinearValue result = {}) {
  return {.function = function,
          .process = process,
          .invoked = invoked,
          .returned = returned,
          .argument = std::move(argument),
          .result = std::move(result)};
}

TEST(Search, ReportsTheOperationThatCannotFollowAndTheStatesBeforeIt) {
  //  c0: |-write 1-|
  //  c1:              |-write 2-|
  //  c2:                          |-read 1-|
  const std::vector<Operation> operations{MakeOperation(0, 10, 1, 0, {1}),
                                          MakeOperation(15, 25, 1, 1, {2}),
                                          MakeOperation(30, 40, 0, 2, {}, {1})};
  const SearchResult result = FindOrder(*FindModel("register"), {}, operations);
  ASSERT_EQ(result.outcome, Outcome::kViolated);
  EXPECT_EQ(result.stuck, 2U);
  EXPECT_EQ(result.states, std::vector<ModelState>{{2}});
  EXPECT_TRUE(result.open.empty());
}

TEST(Search, ReportsTheStatesAndTheOpenOperationsAtTheFurthestReturn) {
  //  c0: |-write 1-|
  //  c1: |-write 2---|      |-------write 9-------|
  //  c2:                         |-read 7-|
  const std::vector<Operation> operations{
      MakeOperation(0, 30, 1, 0, {1}), MakeOperation(0, 40, 1, 1, {2}),
      MakeOperation(50, 60, 0, 2, {}, {7}), MakeOperation(45, 100, 1, 1, {9})};
  SearchResult result = FindOrder(*FindModel("register"), {}, operations);
  EXPECT_EQ(result.stuck, 2U);
  EXPECT_EQ(result.open, std::vector<size_t>{3});
  std::ranges::sort(result.states);
  EXPECT_EQ(result.states, (std::vector<ModelState>{{1}, {2}, {9}}));
}

TEST(Search, ReportsAtMostFourStates) {
  std::vector<Operation> operations{MakeOperation(20, 30, 0, 9, {}, {9})};
  for (int64_t value = 1; value <= 6; ++value)
    operations.push_back(MakeOperation(0, 10, 1, static_cast<int32_t>(value), {value}));
  EXPECT_EQ(FindOrder(*FindModel("register"), {}, operations).states.size(), 4U);
}

TEST(Search, AnOperationOverlapsOneThatIsInvokedAtItsReturn) {
  const std::vector<Operation> operations{MakeOperation(0, 10, 1, 0, {1}),
                                          MakeOperation(10, 20, 0, 1, {}, {kNil})};
  EXPECT_EQ(FindOrder(*FindModel("register"), {}, operations).outcome, Outcome::kValid);
}

TEST(Search, AReachedLimitMakesTheOutcomeUnknown) {
  std::vector<Operation> operations;
  for (int i = 0; i < 12; ++i) operations.push_back(MakeOperation(0, 100, 1, i, {i}));
  operations.push_back(MakeOperation(200, 210, 0, 20, {}, {77}));
  const Model& model = *FindModel("register");
  EXPECT_EQ(FindOrder(model, {}, operations).outcome, Outcome::kViolated);
  const SearchResult cut = FindOrder(model, {}, operations, {.configurations = 100});
  EXPECT_EQ(cut.outcome, Outcome::kUnknown);
  EXPECT_EQ(cut.reason, "the search ended after 101 configurations");
  const SearchResult large = FindOrder(model, {}, operations, {.memory_bytes = 10'000});
  EXPECT_EQ(large.outcome, Outcome::kUnknown);
  EXPECT_TRUE(large.reason.starts_with("the search ended after ")) << large.reason;
  EXPECT_LT(large.configurations, 200);
  const SearchResult wide = FindOrder(model, {}, operations, {.open_operations = 8});
  EXPECT_EQ(wide.outcome, Outcome::kUnknown);
  EXPECT_EQ(wide.reason,
            "12 operations are open at once, those of unknown outcome included; at most 8 are "
            "searched");
  EXPECT_EQ(FindOrder(model, {}, operations, {.open_operations = 12}).outcome, Outcome::kViolated);
}

// Draws a history of a correct register with four clients. Each operation takes effect at one
// instant between its invocation and its return.
std::vector<Operation> LongHistory(int operations_per_client) {
  Prng prng(7, "long");
  std::vector<std::pair<int64_t, Operation>> by_effect;
  for (int32_t client = 0; client < 4; ++client) {
    int64_t at = 0;
    for (int i = 0; i < operations_per_client; ++i) {
      const auto wait = [&] { return at += 1 + static_cast<int64_t>(prng.Below(50)); };
      const int64_t invoked = wait();
      const int64_t effect = wait();
      const auto written = static_cast<int64_t>(prng.Below(5));
      const bool writes = prng.Below(3) == 0;
      Operation operation = MakeOperation(invoked, wait(), writes ? 1 : 0, client);
      if (writes) operation.argument.push_back(written);
      by_effect.emplace_back(effect, std::move(operation));
    }
  }
  std::ranges::stable_sort(by_effect, {}, [](const auto& one) { return one.first; });
  int64_t value = kNil;
  std::vector<Operation> operations;
  for (auto& [effect, operation] : by_effect) {
    if (operation.function == 1) value = operation.argument[0];
    if (operation.function == 0) operation.result.assign(1, value);
    operations.push_back(std::move(operation));
  }
  return operations;
}

TEST(Search, TheNumberOfConfigurationsOfALongHistoryIsLinearInItsLength) {
  const std::vector<Operation> operations = LongHistory(5'000);
  const SearchResult result = FindOrder(*FindModel("register"), {}, operations);
  EXPECT_EQ(result.outcome, Outcome::kValid);
  EXPECT_LT(result.configurations, 10 * 20'000);
}

}  // namespace
}  // namespace doublehold
