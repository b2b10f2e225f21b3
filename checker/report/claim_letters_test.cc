#include "checker/report/claim_letters.h"

#include <gtest/gtest.h>

#include <set>

#include "checker/verdict/checker.h"

namespace doublehold {
namespace {

TEST(ClaimLetters, EveryClaimHasALetterOfItsOwn) {
  std::set<std::string_view> claims;
  std::set<char> letters;
  for (const ClaimLetter& each : ClaimLetters()) {
    EXPECT_NE(FindChecker(each.claim), nullptr) << each.claim;
    EXPECT_TRUE(claims.insert(each.claim).second) << each.claim;
    EXPECT_TRUE(letters.insert(each.letter).second) << each.letter;
  }
  EXPECT_EQ(claims.size(), Checkers().size());
}

TEST(ClaimLetters, OfADoubleHoldWithValidLeasesItGoesWithoutSayingThatBothHold) {
  EXPECT_EQ(LettersOf({"stock", "exclusion"}), "hS");
  EXPECT_EQ(LettersOf({"exclusion", "lease-exclusion"}), "H");
  EXPECT_EQ(LettersOf({}), "");
  EXPECT_EQ(LegendOf("H"), "  H  held twice, both leases valid\n");
}

}  // namespace
}  // namespace doublehold
