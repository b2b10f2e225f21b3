#include "lib/sim/choices/random_walk.h"

#include <gtest/gtest.h>

#include <map>

namespace doublehold::sim {
namespace {

constexpr uint32_t kQuestions = 20;
constexpr uint32_t kAnswers = 4;

// Returns the answers to `questions` questions. Every fourth question is about order.
std::vector<uint32_t> AnswersRandomWalk(ChoiceSource& choices, uint32_t questions = kQuestions) {
  std::vector<uint32_t> answers;
  for (uint32_t at = 0; at < questions; ++at) {
    const bool is_order = at % 4 == 3;
    answers.push_back(choices.Choose(is_order ? ChoiceKind::kOrder : ChoiceKind::kFault,
                                     is_order ? 2 : kAnswers));
  }
  return answers;
}

WalkTerms TermsOf(uint32_t faults, uint32_t delays) {
  const Deviations none;
  GivenChoices plain(none);
  AnswersRandomWalk(plain);
  return WithQuestions({.seed = 7, .faults = faults, .delays = delays}, plain.open());
}

TEST(RandomWalk, CountsTheQuestionsOfThePlainExecution) {
  const WalkTerms terms = TermsOf(1, 1);
  EXPECT_EQ(terms.fault_questions, 15u);
  EXPECT_EQ(terms.order_questions, 5u);
}

TEST(RandomWalk, EachWalkHasOneFaultAndAllPlacesAndFaultsAreDrawn) {
  RandomWalk walk(TermsOf(1, 0));
  std::map<std::pair<uint32_t, uint32_t>, int> drawn;
  for (uint64_t number = 0; number < 1000; ++number) {
    walk.Begin(number);
    AnswersRandomWalk(walk);
    ASSERT_EQ(walk.deviations().size(), 1u);
    const Deviation& fault = walk.deviations().front();
    EXPECT_EQ(fault.kind, ChoiceKind::kFault);
    ++drawn[{fault.at, fault.choice}];
  }
  EXPECT_EQ(drawn.size(), 15u * (kAnswers - 1));
}

TEST(RandomWalk, HasAtMostTheRequestedDeviationsAndUsuallyAllOfThem) {
  RandomWalk walk(TermsOf(2, 1));
  int with_all = 0;
  for (uint64_t number = 0; number < 1000; ++number) {
    walk.Begin(number);
    AnswersRandomWalk(walk);
    std::map<ChoiceKind, int> count;
    for (const Deviation& deviation : walk.deviations()) ++count[deviation.kind];
    EXPECT_GE(count[ChoiceKind::kFault], 1);
    EXPECT_LE(count[ChoiceKind::kFault], 2);
    EXPECT_EQ(count[ChoiceKind::kOrder], 1);
    if (count[ChoiceKind::kFault] == 2) ++with_all;
  }
  EXPECT_GT(with_all, 600);
  EXPECT_LT(with_all, 800) << "none behind the end of the plain execution";
}

TEST(RandomWalk, IsReplayedByItsDeviations) {
  RandomWalk walk(TermsOf(3, 2));
  for (uint64_t number = 0; number < 200; ++number) {
    walk.Begin(number);
    const std::vector<uint32_t> answers = AnswersRandomWalk(walk, 30);
    GivenChoices again(walk.deviations());
    EXPECT_EQ(AnswersRandomWalk(again, 30), answers);
    EXPECT_TRUE(again.Fits());
  }
}

TEST(RandomWalk, DoesNotDependOnEarlierWalks) {
  RandomWalk one(TermsOf(2, 2)), other(TermsOf(2, 2));
  for (const uint64_t number : {5u, 3u, 5u}) {
    one.Begin(number);
    AnswersRandomWalk(one);
  }
  other.Begin(5);
  AnswersRandomWalk(other);
  EXPECT_EQ(one.deviations(), other.deviations());
  other.Begin(6);
  AnswersRandomWalk(other);
  EXPECT_NE(one.deviations(), other.deviations());
}

TEST(RandomWalk, WithoutQuestionsNoFaultBegins) {
  RandomWalk walk({.faults = 2, .delays = 2});
  EXPECT_EQ(AnswersRandomWalk(walk), std::vector<uint32_t>(kQuestions, 0));
  EXPECT_TRUE(walk.deviations().empty());
}

}  // namespace
}  // namespace doublehold::sim
