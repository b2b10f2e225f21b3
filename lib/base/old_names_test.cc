#include "lib/base/old_names.h"

#include <gtest/gtest.h>

#include "lib/base/event.h"

namespace doublehold {
namespace {

bool IsEvent(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(kLastOp); ++i) {
    if (Name(static_cast<Op>(i)) == name) return true;
  }
  return false;
}

TEST(OldNames, AnOldNameOfAClaimBecomesTheNewOneAndOtherWordsStay) {
  EXPECT_EQ(RenamedClaims().size(), 6u);
  for (const auto& [old_name, new_name] : RenamedClaims()) {
    EXPECT_EQ(CurrentClaimName(old_name), new_name);
    EXPECT_EQ(CurrentClaimName(new_name), new_name);
  }
  EXPECT_EQ(CurrentClaimNames({"exclusion", "told", "quite", "key-leak"}),
            (std::vector<std::string>{"exclusion", "release-result", "quite", "key-leak"}));
}

TEST(OldNames, AnOldNameOfAnEventBecomesTheNewOneAndOtherWordsStay) {
  for (const auto& [old_name, new_name] : RenamedEvents()) {
    EXPECT_EQ(CurrentEventName(old_name), new_name);
    EXPECT_TRUE(IsEvent(new_name)) << new_name;
    EXPECT_FALSE(IsEvent(old_name)) << old_name;
  }
  EXPECT_EQ(CurrentEventName("acquire"), "acquire");
  EXPECT_EQ(CurrentEventName("told"), "told") << "that is a claim";
}

TEST(OldNames, OldNamesOfCausesBecomeTheNewOnesAndOtherWordsStay) {
  EXPECT_EQ(RenamedCauses().size(), 1u);
  EXPECT_EQ(CurrentCauseNames({"stopped", "not-told", "unexplained"}),
            (std::vector<std::string>{"stopped", "unexplained", "unexplained"}));
}

TEST(OldNames, AClaimThatIsGivenTwiceIsNamedWithItsOldName) {
  EXPECT_EQ(ClaimGivenTwice("key-leak"),
            "'cleared' is the old name of 'key-leak', which is given too");
  EXPECT_EQ(ClaimGivenTwice("stock"), "claim 'stock' is given twice");
}

}  // namespace
}  // namespace doublehold
