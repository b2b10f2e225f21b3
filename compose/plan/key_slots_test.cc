#include "compose/plan/key_slots.h"

#include <gtest/gtest.h>

namespace doublehold {
namespace {

// The expected slots are answers of CLUSTER KEYSLOT.
TEST(KeySlots, AreEqualToTheSlotsOfRedis) {
  EXPECT_EQ(KeySlot("123456789"), 0x31C3);
  EXPECT_EQ(KeySlot("foo"), 12182);
  EXPECT_EQ(KeySlot("bar"), 5061);
  EXPECT_EQ(KeySlot("x{foo}bar"), 12182);
  EXPECT_EQ(KeySlot("{foo}{bar}"), 12182);
  EXPECT_NE(KeySlot("{}foo"), 12182) << "there is nothing between the braces";
  EXPECT_NE(KeySlot("{foo"), 12182);
}

TEST(KeySlots, AreSharedEvenlyByTheMastersInTheirOrder) {
  EXPECT_EQ(MasterOfKey("foo", 1), 1);
  EXPECT_EQ(MasterOfKey("bar", 3), 1);  // slots 0..5460
  EXPECT_EQ(MasterOfKey("foo", 3), 3);  // slots 10922..16383
  EXPECT_EQ(FirstSlot(2, 3), 5461);
  EXPECT_EQ(FirstSlot(4, 3), kSlots);
}

}  // namespace
}  // namespace doublehold
