// Tests the search with many open operations, and details of explanations.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/linear/explain.h"
#include "checker/linear/search.h"

namespace doublehold {
namespace {

constexpr uint8_t kRead = 0;
constexpr uint8_t kWrite = 1;

Operation MakeRegisterOperation(int64_t invoked, int64_t returned, uint8_t function,
                                int32_t process, int64_t value) {
  Operation operation{.function = function,
                      .process = process,
                      .invoked = invoked,
                      .returned = returned,
                      .argument = {},
                      .result = {},
                      .line = process};
  (function == kRead ? operation.result : operation.argument) = {value};
  return operation;
}

// A configuration has 1, 4 or 16 words for 64, 256 or 1024 slots. The test has 70 and 300 writes.
TEST(SearchEnds, EachOfManyOpenOperationsHasItsOwnSlot) {
  for (const int32_t writes : {70, 300}) {
    std::vector<Operation> operations;
    for (int32_t i = 0; i < writes; ++i) {
      operations.push_back(MakeRegisterOperation(0, 0, kWrite, i, i));
      operations.back().indeterminate = true;
    }
    for (const int32_t read : {5, 64 + 5, writes - 1}) {
      operations.push_back(
          MakeRegisterOperation(100 + 10 * read, 105 + 10 * read, kRead, 1000, read));
    }
    EXPECT_EQ(FindOrder(*FindModel("register"), {}, operations).outcome, Outcome::kValid) << writes;
    // No process wrote this value.
    operations.push_back(MakeRegisterOperation(9000, 9010, kRead, 1000, 12'345));
    EXPECT_EQ(FindOrder(*FindModel("register"), {}, operations, {.configurations = 2'000}).outcome,
              Outcome::kViolated)
        << writes;
  }
}

// As in Dragonboat's histories (github.com/lni/knossos-data): of 100 writes, 40 have no answer. A
// few of these are read once, and then covered by a later write.
TEST(SearchEnds, AWriteOfUnknownOutcomeThatNobodyReadsOrThatALaterWriteCoversIsCheap) {
  std::vector<Operation> operations;
  for (int32_t i = 0; i < 100; ++i) {
    operations.push_back(MakeRegisterOperation(20 * i, 20 * i + 25, kWrite, i, i));
    operations.back().indeterminate = i % 5 < 2;
    const int32_t read = i % 20 == 19 ? i - 8 : i / 5 * 5 + 2;
    if (i % 5 >= 2) {
      operations.back().argument = {i / 5 * 5 + 2};
      operations.push_back(MakeRegisterOperation(20 * i + 10, 20 * i + 30, kRead, 1000 + i, read));
    }
  }
  const Model& model = *FindModel("register");
  const SearchResult found = FindOrder(model, {}, operations);
  EXPECT_EQ(found.outcome, Outcome::kValid);
  EXPECT_LT(found.configurations, 10 * 160);
  // The value 11 was written once, read at 390, and covered.
  operations.push_back(MakeRegisterOperation(9000, 9010, kRead, 2000, 11));
  const SearchResult late = FindOrder(model, {}, operations);
  EXPECT_EQ(late.outcome, Outcome::kViolated);
  EXPECT_LT(late.configurations, 10 * 161);
}

// Each of 40 acquires may have taken effect at any time, or never. No later operation depends on
// which acquires did.
TEST(SearchEnds, UnansweredAcquiresOfClientsWithoutOtherCallsAreInterchangeable) {
  constexpr uint8_t kAcquire = 0;
  constexpr int64_t kLease = 1'000;
  for (const char* name : {"lease-mutex", "owner-mutex", "reentrant-mutex"}) {
    std::vector<Operation> operations;
    const auto acquire = [&](int32_t process, int64_t at, bool answered) {
      operations.push_back({.function = kAcquire,
                            .process = process,
                            .indeterminate = !answered,
                            .invoked = at,
                            .returned = at + 1,
                            .argument = {kLease},
                            .result = {}});
    };
    for (int32_t i = 0; i < 40; ++i) acquire(100 + i, i, false);
    acquire(1, 200, true);
    acquire(2, 210, true);
    const SearchResult result =
        FindOrder(*FindModel(name), {}, operations, {.configurations = 20'000});
    EXPECT_EQ(result.outcome, Outcome::kViolated) << name;
  }
}

TEST(SearchEnds, AnOperationThatReturnedAfterTheStuckOneIsNotShown) {
  const std::vector<Operation> operations{
      MakeRegisterOperation(0, 10, kWrite, 1, 1), MakeRegisterOperation(15, 25, kWrite, 2, 2),
      MakeRegisterOperation(30, 40, kRead, 3, 1), MakeRegisterOperation(50, 60, kWrite, 4, 7)};
  const Model& model = *FindModel("register");
  const SearchResult result = FindOrder(model, {}, operations);
  ASSERT_EQ(result.outcome, Outcome::kViolated);
  const std::string explanation = Explain(model, operations, result);
  EXPECT_TRUE(explanation.starts_with(
      "up to the return of write 2 by 2 (line 2) the operations can be "
      "ordered; then read -> 1 by 3 (line 3) cannot follow, because the state is 2"))
      << explanation;
  EXPECT_EQ(explanation.find("write 7"), std::string::npos) << explanation;
}

TEST(SearchEnds, AShortOperationIsDrawnAsItsTwoEnds) {
  const std::vector<Operation> operations{MakeRegisterOperation(0, 10'000, kWrite, 1, 1),
                                          MakeRegisterOperation(20'000, 20'001, kWrite, 2, 2),
                                          MakeRegisterOperation(30'000, 40'000, kRead, 3, 1)};
  const Model& model = *FindModel("register");
  const std::string explanation = Explain(model, operations, FindOrder(model, {}, operations));
  EXPECT_NE(explanation.find(" ||\n"), std::string::npos) << explanation;
}

TEST(SearchEnds, AnOperationOfUnknownOutcomeIsShownWithoutAResult) {
  Operation read{.function = kRead, .process = 2, .argument = {}, .result = {}};
  read.indeterminate = true;
  EXPECT_EQ(Describe(*FindModel("register"), read), "read by 2, outcome unknown");
}

}  // namespace
}  // namespace doublehold
