// Which results are still allowed at the instant at which a lease ends, and no longer a moment
// later.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/linear/search.h"

namespace doublehold {
namespace {

constexpr uint8_t kAcquire = 0;
constexpr uint8_t kRelease = 1;
constexpr uint8_t kNotOwner = 2;

Operation AtLeaseEnds(int64_t invoked, int64_t returned, uint8_t function, int32_t process) {
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

TEST(LeaseEnds, AreClosed) {
  constexpr Outcome kValid = Outcome::kValid;
  constexpr Outcome kViolated = Outcome::kViolated;
  for (const LeaseEndsCase& each : std::vector<LeaseEndsCase>{
           {"released as its lease ends",
            {AtLeaseEnds(0, 2, kAcquire, 1), AtLeaseEnds(12, 14, kRelease, 1)},
            kValid},
           {"released after it",
            {AtLeaseEnds(0, 2, kAcquire, 1), AtLeaseEnds(13, 14, kRelease, 1)},
            kViolated},
           {"with the server's grace",
            {AtLeaseEnds(0, 2, kAcquire, 1), AtLeaseEnds(13, 14, kRelease, 1)},
            kValid,
            1},
           {"beyond that",
            {AtLeaseEnds(0, 2, kAcquire, 1), AtLeaseEnds(14, 15, kRelease, 1)},
            kViolated,
            1},
           {"given on as it ends",
            {AtLeaseEnds(0, 2, kAcquire, 1), AtLeaseEnds(5, 10, kAcquire, 2)},
            kValid},
           {"given on before",
            {AtLeaseEnds(0, 2, kAcquire, 1), AtLeaseEnds(5, 9, kAcquire, 2)},
            kViolated},
           {"told that it is over as it is",
            {AtLeaseEnds(2, 4, kAcquire, 1), AtLeaseEnds(5, 12, kNotOwner, 1)},
            kValid},
           {"told so before",
            {AtLeaseEnds(2, 4, kAcquire, 1), AtLeaseEnds(5, 11, kNotOwner, 1)},
            kViolated},
           {"another is told that it is not the owner",
            {AtLeaseEnds(2, 4, kAcquire, 1), AtLeaseEnds(5, 6, kNotOwner, 2)},
            kValid},
           {"another releases it",
            {AtLeaseEnds(2, 4, kAcquire, 1), AtLeaseEnds(5, 6, kRelease, 2)},
            kViolated},
           {"one that began late enough to be released is not over",
            {AtLeaseEnds(0, 8, kAcquire, 1), AtLeaseEnds(12, 14, kRelease, 1),
             AtLeaseEnds(12, 15, kAcquire, 2)},
            kValid},
       }) {
    const SearchResult result = FindOrder(*FindModel("lease-mutex"),
                                          {.lease_grace = Duration(each.grace)}, each.operations);
    EXPECT_EQ(Name(result.outcome), Name(each.outcome)) << each.name;
  }
}

}  // namespace
}  // namespace doublehold
