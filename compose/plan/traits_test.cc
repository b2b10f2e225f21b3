// A history written by hand may lack the traits of faults and locks. Tests that the checkers then
// use the traits that the registry has.
#include "checker/evidence/traits.h"

#include <gtest/gtest.h>

#include "faults/fault.h"
#include "lib/locks/registry.h"

namespace doublehold {
namespace {

TEST(FaultTraits, OfHistoriesByHandEqualThoseOfTheRegistry) {
  for (const char* kind : {"pause",
                           "crash",
                           "slow",
                           "delay",
                           "drip",
                           "bandwidth",
                           "hold",
                           "stall",
                           "drop",
                           "duplicate",
                           "reset",
                           "black-hole",
                           "partition",
                           "jump",
                           "drift",
                           "strobe",
                           "cut-replication",
                           "promote",
                           "restart",
                           "snapshot",
                           "flush",
                           "delete-key",
                           "evict",
                           "forget-scripts"}) {
    ASSERT_NE(FindFault(kind), nullptr) << kind;
    EXPECT_EQ(FindFault(kind)->traits.Names(), TraitsOfKind(kind).Names()) << kind;
  }
}

TEST(LockTraits, OfHistoriesByHandEqualThoseOfTheRegistry) {
  for (const LockEntry& entry : Locks()) {
    // Histories of locks on other services have always had traits.
    if (entry.service != kRedisService) continue;
    for (const LockTrait trait :
         {LockTrait::kQueue, LockTrait::kClientClocks, LockTrait::kLooksFirst, LockTrait::kMajority,
          LockTrait::kGrantsAll}) {
      if (trait == LockTrait::kQueue && entry.Has(LockTrait::kGrantsAll)) continue;
      EXPECT_EQ(entry.Has(trait), TraitsOfLock(entry.name).Has(trait)) << entry.name;
    }
  }
}

TEST(FaultTraits, AreReadAsWritten) {
  const FaultTraits traits{FaultTrait::kStops, FaultTrait::kCutsReplication};
  EXPECT_EQ(traits.Names(), (std::vector<std::string>{"stops", "cuts-replication"}));
  EXPECT_EQ(FaultTraits::FromNames(traits.Names()), traits);
  EXPECT_EQ(FaultTraits::FromNames({"stops", "flies"}), std::nullopt);
}

}  // namespace
}  // namespace doublehold
