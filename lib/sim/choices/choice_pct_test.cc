#include "lib/sim/choices/choice_pct.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>

namespace doublehold::sim {
namespace {

constexpr uint32_t kAsked = 20;  // questions of each kind, alternating

std::vector<std::pair<ChoiceKind, uint32_t>> AnswersChoicePct(ChoiceSource& choices) {
  std::vector<std::pair<ChoiceKind, uint32_t>> answers;
  for (uint32_t i = 0; i < kAsked; ++i) {
    answers.emplace_back(ChoiceKind::kFault, choices.Choose(ChoiceKind::kFault, 3));
    answers.emplace_back(ChoiceKind::kOrder, choices.Choose(ChoiceKind::kOrder, 2));
  }
  return answers;
}

WalkTerms Terms(uint32_t faults, uint32_t delays) {
  return {.seed = 7,
          .faults = faults,
          .delays = delays,
          .fault_questions = kAsked,
          .order_questions = kAsked};
}

TEST(PctChoices, AnExecutionDoesNotDependOnEarlierExecutions) {
  PctChoices one(Terms(2, 2)), other(Terms(2, 2));
  for (const uint64_t number : {5, 0, 5}) {
    one.Begin(number);
    other.Begin(number + 1);
    other.Begin(number);
    EXPECT_EQ(AnswersChoicePct(one), AnswersChoicePct(other));
  }
}

TEST(PctChoices, TheDeviationsReplayTheExecution) {
  for (uint64_t number = 0; number < 100; ++number) {
    PctChoices drawn(Terms(3, 2));
    drawn.Begin(number);
    const auto answers = AnswersChoicePct(drawn);
    GivenChoices given(drawn.deviations());
    EXPECT_EQ(AnswersChoicePct(given), answers);
    EXPECT_TRUE(given.Fits());
  }
}

// Between two change points all order answers follow one rank. With one rank the first event goes
// first. With the other rank it is deferred, and the event that takes its place is not.
TEST(PctChoices, TheRankIsInvertedAtEachChangePoint) {
  std::map<std::string, int> seen;
  for (uint64_t number = 0; number < 1000; ++number) {
    PctChoices drawn(Terms(0, 1));
    drawn.Begin(number);
    std::string order;
    for (const auto& [kind, answer] : AnswersChoicePct(drawn)) {
      if (kind == ChoiceKind::kOrder) order += answer == 0 ? '0' : '1';
    }
    ++seen[order];
  }
  std::set<std::string> expected;
  for (size_t change = 0; change < kAsked; ++change) {
    std::string waits_first, waits_then(change, '0');
    for (size_t i = 0; i < change; ++i) waits_first += i % 2 == 0 ? '1' : '0';
    waits_first.resize(kAsked, '0');
    for (size_t i = change; i < kAsked; ++i) waits_then += (i - change) % 2 == 0 ? '1' : '0';
    expected.insert({waits_first, waits_then});
  }
  std::set<std::string> drawn;
  for (const auto& [order, count] : seen) drawn.insert(order);
  EXPECT_EQ(drawn, expected);
}

TEST(PctChoices, WithoutDelaysTheEventDueFirstGoesFirst) {
  for (uint64_t number = 0; number < 100; ++number) {
    PctChoices drawn(Terms(1, 0));
    drawn.Begin(number);
    (void)AnswersChoicePct(drawn);
    ASSERT_EQ(drawn.deviations().size(), 1u);
    EXPECT_EQ(drawn.deviations()[0].kind, ChoiceKind::kFault);
  }
}

// An execution with one fault at a given place has probability 1 / (m a). All such executions
// should occur about equally often.
TEST(PctChoices, EachFaultAtEachPlaceIsEquallyLikely) {
  std::map<std::pair<uint32_t, uint32_t>, int> seen;
  constexpr int kRuns = 8000;
  for (uint64_t number = 0; number < kRuns; ++number) {
    PctChoices drawn(Terms(1, 0));
    drawn.Begin(number);
    (void)AnswersChoicePct(drawn);
    ++seen[{drawn.deviations()[0].at, drawn.deviations()[0].choice}];
  }
  ASSERT_EQ(seen.size(), kAsked * 2);
  for (const auto& [place, count] : seen)
    EXPECT_NEAR(count, kRuns / (kAsked * 2), 70) << place.first;
}

}  // namespace
}  // namespace doublehold::sim
