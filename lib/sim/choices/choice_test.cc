#include "lib/sim/choices/choice.h"

#include <gtest/gtest.h>

namespace doublehold::sim {
namespace {

TEST(Deviations, AreWrittenAndReadBack) {
  for (const char* text : {"", "12:1", "0:3-12:1-40:2"}) {
    const Result<Deviations> read = ParseDeviations(text);
    ASSERT_TRUE(read.has_value()) << text;
    EXPECT_EQ(ToText(*read), text);
  }
}

TEST(Deviations, MalformedListsAreRefused) {
  for (const char* text : {"1", "1:", ":1", "1:0", "1:2-", "-1:2", "1:2,3:4", "5:1-5:2", "6:1-5:1",
                           "1:2-x", "99999999999:1"}) {
    const Result<Deviations> read = ParseDeviations(text);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_NE(read.error().message.find("is not a list of choices"), std::string::npos);
  }
}

TEST(GivenChoices, AnswersAreZeroExceptWhereGiven) {
  const Deviations given{{.at = 1, .choice = 2}, {.at = 3, .choice = 1}};
  GivenChoices choices(given);
  EXPECT_EQ(choices.Choose(ChoiceKind::kFault, 5), 0u);
  EXPECT_EQ(choices.Choose(ChoiceKind::kFault, 5), 2u);
  EXPECT_EQ(choices.Choose(ChoiceKind::kOrder, 2), 0u);
  EXPECT_FALSE(choices.Fits()) << "one is still to come";
  EXPECT_EQ(choices.Choose(ChoiceKind::kFault, 2), 1u);
  EXPECT_EQ(choices.Choose(ChoiceKind::kOrder, 2), 0u);
  EXPECT_TRUE(choices.Fits());
  // Questions before the last deviation are not recorded.
  ASSERT_EQ(choices.open().size(), 1u);
  EXPECT_EQ(choices.open()[0].at, 4u);
  EXPECT_EQ(choices.open()[0].count, 2u);
  EXPECT_EQ(choices.open()[0].kind, ChoiceKind::kOrder);
}

TEST(GivenChoices, AnImpossibleAnswerDoesNotFit) {
  const Deviations given{{.at = 0, .choice = 2}};
  GivenChoices choices(given);
  EXPECT_EQ(choices.Choose(ChoiceKind::kOrder, 2), 0u);
  EXPECT_FALSE(choices.Fits());
}

}  // namespace
}  // namespace doublehold::sim
