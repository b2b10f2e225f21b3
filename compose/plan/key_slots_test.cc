#include "compose/plan/key_slots.h"

#include <gtest/gtest.h>

namespace doublehold {
namespace {

// Equal to the answers of CLUSTER KEYSLOT.
TEST(KeySlots, EqualThoseOfRedis) {
  EXPECT_EQ(SlotOf("123456789"), 0x31C3);
  EXPECT_EQ(SlotOf("foo"), 12182);
  EXPECT_EQ(SlotOf("bar"), 5061);
  EXPECT_EQ(SlotOf("x{foo}bar"), 12182);
  EXPECT_EQ(SlotOf("{foo}{bar}"), 12182);
  EXPECT_NE(SlotOf("{}foo"), 12182) << "there is nothing between the braces";
  EXPECT_NE(SlotOf("{foo"), 12182);
}

TEST(KeySlots, AreSharedEvenlyByTheMastersInTheirOrder) {
  EXPECT_EQ(MasterOfKey("foo", 1), 1);
  EXPECT_EQ(MasterOfKey("bar", 3), 1);  // slots 0..5460
  EXPECT_EQ(MasterOfKey("foo", 3), 3);  // slots 10922..16383
  EXPECT_EQ(FirstSlotOf(2, 3), 5461);
  EXPECT_EQ(FirstSlotOf(4, 3), kSlots);
}

}  // namespace
}  // namespace doublehold
