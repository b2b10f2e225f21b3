// The search against a slow and obvious one, on random small histories of every model; and what it says of some drawn by hand.
#include "checker/linear/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "lib/base/prng.h"

namespace doublehold {
namespace {

// Every order that real time allows, one operation after the other.
class EveryOrder {
 public:
  EveryOrder(const Model& model, const ModelParameters& parameters,
             const std::vector<Operation>& operations)
      : model_(model), operations_(operations), used_(operations.size()) {
    found_ = Extend(model.initial(parameters));
  }
  [[nodiscard]] bool found() const { return found_; }

 private:
  // Whether what is left can follow from this state. An operation may be next if none that is left returned before it.
  bool Extend(const ModelState& state) {
    bool all_certain_used = true;
    for (size_t i = 0; i < operations_.size(); ++i) {
      if (used_[i]) continue;
      all_certain_used = all_certain_used && operations_[i].indeterminate;
      if (SomeoneReturnedBefore(operations_[i])) continue;
      ModelState next = state;
      if (!model_.apply(next, operations_[i])) continue;
      used_[i] = true;
      const bool found = Extend(next);
      used_[i] = false;
      if (found) return true;
    }
    return all_certain_used;
  }

  [[nodiscard]] bool SomeoneReturnedBefore(const Operation& operation) const {
    for (size_t i = 0; i < operations_.size(); ++i) {
      if (!used_[i] && !operations_[i].indeterminate && operations_[i].returned < operation.invoked)
        return true;
    }
    return false;
  }

  const Model& model_;
  const std::vector<Operation>& operations_;
  std::vector<bool> used_;
  bool found_ = false;
};

Operation AnyOperation(const Model& model, Prng& prng, int32_t process) {
  Operation operation{.function = static_cast<uint8_t>(prng.Below(model.functions.size())),
                      .process = process};
  const std::string_view name = model.functions[operation.function];
  const auto value = [&] { return static_cast<int64_t>(prng.Below(3)); };
  if (name == "write" || name == "add") operation.argument = {value()};
  if (name == "cas") operation.argument = {value(), value()};
  if (name == "sell" || name == "put") operation.argument = {1 + value() % 2};
  if (name == "read") operation.result = {value()};
  if (name == "read" && model.name == "set") {
    operation.result.clear();
    for (int64_t element = 0; element < 3; ++element) {
      if (prng.Below(2) == 0) operation.result.push_back(element);
    }
  }
  if (name == "acquire" && model.name.ends_with("fenced-mutex"))
    operation.result = {1 + static_cast<int64_t>(prng.Below(4))};
  return operation;
}

// Each client one operation after the other, at random and often equal times.
std::vector<Operation> AnyHistory(const Model& model, Prng& prng) {
  std::vector<Operation> operations;
  const uint64_t clients = 1 + prng.Below(4);
  const uint64_t stretch = 1 + prng.Below(6);
  int32_t fresh = 100;
  for (uint64_t client = 0; client < clients; ++client) {
    auto process = static_cast<int32_t>(client);
    auto at = static_cast<int64_t>(prng.Below(4));
    for (uint64_t count = prng.Below(4); count > 0; --count) {
      Operation operation = AnyOperation(model, prng, process);
      operation.invoked = at;
      operation.returned = at + static_cast<int64_t>(prng.Below(stretch));
      operation.indeterminate = prng.Below(6) == 0;
      if (operation.indeterminate) process = fresh++;
      at = operation.returned + static_cast<int64_t>(prng.Below(3));
      operations.push_back(std::move(operation));
    }
  }
  return operations;
}

std::string Told(const Model& model, const std::vector<Operation>& operations) {
  std::string text;
  for (const Operation& operation : operations) {
    text += Describe(model, operation) + " at " + std::to_string(operation.invoked) + "-" +
            std::to_string(operation.returned) + "\n";
  }
  return text;
}

class SearchOf : public testing::TestWithParam<Model> {};

TEST_P(SearchOf, AgreesWithEveryOrderOnRandomHistories) {
  constexpr int kHistories = 20'000;
  const Model& model = GetParam();
  Prng prng(20261121, model.name);
  int valid = 0;
  for (int i = 0; i < kHistories; ++i) {
    const ModelParameters parameters{.permits = 1 + static_cast<int64_t>(prng.Below(2)),
                                     .initial = static_cast<int64_t>(prng.Below(3))};
    const std::vector<Operation> operations = AnyHistory(model, prng);
    const bool orderable = EveryOrder(model, parameters, operations).found();
    const SearchResult result = FindOrder(model, parameters, operations);
    ASSERT_EQ(result.outcome, orderable ? Outcome3::kValid : Outcome3::kViolated)
        << "history " << i << "\n"
        << Told(model, operations);
    valid += orderable ? 1 : 0;
  }
  EXPECT_GT(valid, kHistories / 10);
  EXPECT_LT(valid, kHistories * 19 / 20);
}

INSTANTIATE_TEST_SUITE_P(EveryModel, SearchOf, testing::ValuesIn(Models()), [](const auto& info) {
  std::string name(info.param.name);
  std::erase(name, '-');
  return name;
});

Operation At(int64_t invoked, int64_t returned, uint8_t function, int32_t process,
             LinearValue argument = {}, LinearValue result = {}) {
  return {.function = function,
          .process = process,
          .invoked = invoked,
          .returned = returned,
          .argument = std::move(argument),
          .result = std::move(result)};
}

TEST(Search, SaysWhichOperationCannotFollowAndFromWhichStates) {
  //  c0: |-write 1-|
  //  c1:              |-write 2-|
  //  c2:                          |-read 1-|
  const std::vector<Operation> operations{At(0, 10, 1, 0, {1}), At(15, 25, 1, 1, {2}),
                                          At(30, 40, 0, 2, {}, {1})};
  const SearchResult result = FindOrder(*FindModel("register"), {}, operations);
  ASSERT_EQ(result.outcome, Outcome3::kViolated);
  EXPECT_EQ(result.stuck, 2U);
  EXPECT_EQ(result.states, std::vector<ModelState>{{2}});
  EXPECT_TRUE(result.open.empty());
}

TEST(Search, OperationsThatTouchOverlap) {
  const std::vector<Operation> operations{At(0, 10, 1, 0, {1}), At(10, 20, 0, 1, {}, {kNil})};
  EXPECT_EQ(FindOrder(*FindModel("register"), {}, operations).outcome, Outcome3::kValid);
}

TEST(Search, ALimitReachedIsUnknown) {
  std::vector<Operation> operations;
  for (int i = 0; i < 12; ++i) operations.push_back(At(0, 100, 1, i, {i}));
  operations.push_back(At(200, 210, 0, 20, {}, {77}));
  const Model& model = *FindModel("register");
  EXPECT_EQ(FindOrder(model, {}, operations).outcome, Outcome3::kViolated);
  const SearchResult cut = FindOrder(model, {}, operations, {.configurations = 100});
  EXPECT_EQ(cut.outcome, Outcome3::kUnknown);
  EXPECT_EQ(cut.reason, "the search ended after 101 configurations");
  const SearchResult wide = FindOrder(model, {}, operations, {.open_operations = 8});
  EXPECT_EQ(wide.outcome, Outcome3::kUnknown);
  EXPECT_EQ(wide.reason,
            "12 operations are open at once, those of unknown outcome included; at most 8 are "
            "searched");
}

// What four clients did to a register that works, at random: each operation took effect at some instant of its own.
std::vector<Operation> LongHistory(int of_each) {
  Prng prng(7, "long");
  std::vector<std::pair<int64_t, Operation>> by_effect;
  for (int32_t client = 0; client < 4; ++client) {
    int64_t at = 0;
    for (int i = 0; i < of_each; ++i) {
      const auto wait = [&] { return at += 1 + static_cast<int64_t>(prng.Below(50)); };
      const int64_t invoked = wait();
      const int64_t effect = wait();
      const auto written = static_cast<int64_t>(prng.Below(5));
      Operation operation = prng.Below(3) == 0 ? At(invoked, wait(), 1, client, {written})
                                               : At(invoked, wait(), 0, client);
      by_effect.emplace_back(effect, std::move(operation));
    }
  }
  std::ranges::stable_sort(by_effect, {}, [](const auto& one) { return one.first; });
  int64_t value = kNil;
  std::vector<Operation> operations;
  for (auto& [effect, operation] : by_effect) {
    if (operation.function == 1) value = operation.argument[0];
    if (operation.function == 0) operation.result = {value};
    operations.push_back(std::move(operation));
  }
  return operations;
}

TEST(Search, ALongHistoryCostsWhatIsOpenAtOnce) {
  const std::vector<Operation> operations = LongHistory(5'000);
  const SearchResult result = FindOrder(*FindModel("register"), {}, operations);
  EXPECT_EQ(result.outcome, Outcome3::kValid);
  EXPECT_LT(result.configurations, 10 * 20'000);
}

}  // namespace
}  // namespace doublehold
