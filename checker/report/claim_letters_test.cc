#include "checker/report/claim_letters.h"

#include <gtest/gtest.h>

#include <set>

#include "checker/verdict/checker.h"

namespace doublehold {
namespace {

TEST(ClaimLetters, EveryClaimHasALetterOfItsOwn) {
  std::set<char> letters;
  for (const CheckerEntry& each : Checkers())
    EXPECT_TRUE(letters.insert(each.letter.letter).second) << each.claim;
  EXPECT_EQ(InOrderOfLetters().size(), Checkers().size());
}

TEST(ClaimLetters, LeaseExclusionHidesTheLetterOfExclusion) {
  EXPECT_EQ(LettersOf({"release", "stock", "exclusion"}), "hSR");
  EXPECT_EQ(LettersOf({"exclusion", "lease-exclusion"}), "H");
  EXPECT_EQ(LettersOf({}), "");
  EXPECT_EQ(LegendOf("H"), "  H  lease-exclusion: held twice, both leases valid\n");
}

}  // namespace
}  // namespace doublehold
