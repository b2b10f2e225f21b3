// Tests which results the lease-mutex allows at the instant at which a lease ends, and one ns
// before or after that instant.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/linear/search.h"

namespace doublehold {
namespace {

constexpr uint8_t kAcquire = 0;
constexpr uint8_t kRelease = 1;
constexpr uint8_t kNotOwner = 2;

Operation MakeLeaseOperation(int64_t invoked, int64_t returned, uint8_t function, int32_t process) {
  const LinearValue lease = function == kAcquire ? LinearValue{10} : LinearValue{};
  return {.function = function,
          .process = process,
          .invoked = invoked,
          .returned = returned,
          .argument = lease,
          .result = {}};
}

struct LeaseEndsCase {
  std::string name;
  std::vector<Operation> operations;
  Outcome outcome;
  int64_t grace = 0;
};

TEST(LeaseEnds, TheEndOfALeaseMayBelongToTheLeaseOrToTheNextHold) {
  constexpr Outcome kValid = Outcome::kValid;
  constexpr Outcome kViolated = Outcome::kViolated;
  for (const LeaseEndsCase& each : std::vector<LeaseEndsCase>{
           {"the owner may release at the end of the lease",
            {MakeLeaseOperation(0, 2, kAcquire, 1), MakeLeaseOperation(12, 14, kRelease, 1)},
            kValid},
           {"the owner may not release after the end of the lease",
            {MakeLeaseOperation(0, 2, kAcquire, 1), MakeLeaseOperation(13, 14, kRelease, 1)},
            kViolated},
           {"the owner may release within the grace",
            {MakeLeaseOperation(0, 2, kAcquire, 1), MakeLeaseOperation(13, 14, kRelease, 1)},
            kValid,
            1},
           {"the owner may not release after the grace",
            {MakeLeaseOperation(0, 2, kAcquire, 1), MakeLeaseOperation(14, 15, kRelease, 1)},
            kViolated,
            1},
           {"another client may acquire at the end of the lease",
            {MakeLeaseOperation(0, 2, kAcquire, 1), MakeLeaseOperation(5, 10, kAcquire, 2)},
            kValid},
           {"another client may not acquire before the end of the lease",
            {MakeLeaseOperation(0, 2, kAcquire, 1), MakeLeaseOperation(5, 9, kAcquire, 2)},
            kViolated},
           {"the owner's release may be refused at the end of the lease",
            {MakeLeaseOperation(2, 4, kAcquire, 1), MakeLeaseOperation(5, 12, kNotOwner, 1)},
            kValid},
           {"the owner's release may not be refused before the end of the lease",
            {MakeLeaseOperation(2, 4, kAcquire, 1), MakeLeaseOperation(5, 11, kNotOwner, 1)},
            kViolated},
           {"another client's release may be refused",
            {MakeLeaseOperation(2, 4, kAcquire, 1), MakeLeaseOperation(5, 6, kNotOwner, 2)},
            kValid},
           {"another client may not release",
            {MakeLeaseOperation(2, 4, kAcquire, 1), MakeLeaseOperation(5, 6, kRelease, 2)},
            kViolated},
           {"a hold that starts late may be released and the lock acquired again",
            {MakeLeaseOperation(0, 8, kAcquire, 1), MakeLeaseOperation(12, 14, kRelease, 1),
             MakeLeaseOperation(12, 15, kAcquire, 2)},
            kValid},
       }) {
    const SearchResult result = FindOrder(*FindModel("lease-mutex"),
                                          {.lease_grace = Duration(each.grace)}, each.operations);
    EXPECT_EQ(Name(result.outcome), Name(each.outcome)) << each.name;
  }
}

// The second operation is placed after the start of the hold, and returns at 3. So the lease of 10
// has ended at 14.
TEST(LeaseEnds, AHoldStartsNoLaterThanAnOperationThatFollowsItReturns) {
  const Model& model = *FindModel("lease-mutex");
  ModelState state = model.initial({});
  ASSERT_TRUE(model.apply(state, MakeLeaseOperation(0, 8, kAcquire, 0)));
  ASSERT_TRUE(model.apply(state, MakeLeaseOperation(1, 3, kNotOwner, 2)));
  ModelState late = state;
  EXPECT_TRUE(model.apply(state, MakeLeaseOperation(13, 13, kRelease, 0)));
  EXPECT_FALSE(model.apply(late, MakeLeaseOperation(14, 14, kRelease, 0)));
}

}  // namespace
}  // namespace doublehold
