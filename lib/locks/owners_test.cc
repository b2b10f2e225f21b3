#include "lib/locks/owners.h"

#include <gtest/gtest.h>

#include <cctype>
#include <set>

namespace doublehold {
namespace {

TEST(Owners, HoldsAndTheirTextsAreUniqueInARun) {
  std::set<uint64_t> holds;
  std::set<std::string> texts;
  for (int client = 0; client <= 200; ++client) {
    Owners owners(/*seed=*/7, client);
    for (int i = 0; i < 100; ++i) {
      const uint64_t hold = owners.NextHold();
      holds.insert(hold);
      texts.insert(owners.TextOf(hold));
    }
  }
  EXPECT_EQ(holds.size(), 201u * 100);
  EXPECT_EQ(texts.size(), 201u * 100);
  EXPECT_FALSE(holds.contains(0)) << "0 means: no hold";
}

TEST(Owners, AHoldNumberContainsTheClient) {
  Owners owners(7, 5);
  (void)owners.NextHold();
  EXPECT_EQ(owners.NextHold() >> 40U, 5u);
}

TEST(Owners, AnotherSeedGivesOtherOwners) {
  EXPECT_NE(Owners(7, 1).TextOf(1), Owners(8, 1).TextOf(1));
  EXPECT_EQ(Owners(7, 1).TextOf(1), Owners(7, 1).TextOf(1));
}

// Replaces every hexadecimal digit by x.
std::string ShapeOf(std::string text) {
  for (char& c : text) c = std::isxdigit(static_cast<unsigned char>(c)) != 0 ? 'x' : c;
  return text;
}

TEST(Owners, AClientsUuidHasTheFormOfAUuid) {
  std::set<std::string> seen;
  for (int client = 0; client <= 200; ++client) {
    const std::string text = Owners(7, client).ClientUuid();
    EXPECT_EQ(ShapeOf(text), "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx") << text;
    EXPECT_EQ(text[14], '4') << text;
    EXPECT_EQ(text[19], '8') << text;
    seen.insert(text);
  }
  EXPECT_EQ(seen.size(), 201u);
}

}  // namespace
}  // namespace doublehold
