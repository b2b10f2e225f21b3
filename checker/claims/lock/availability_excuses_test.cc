// Tests of `availability`: which clients in the way excuse a wait for a free key, and when.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/claims/lock/availability.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

struct InTheWayDrawn {
  std::string name;
  Outcome outcome = Outcome::kUnknown;
  std::string picture;
};

// Lease and grace together are 10 ms.
ClaimVerdict JudgeInTheWay(const std::string& picture, LaneOptions options = {}) {
  options.lease = options.asked_lease = 6ms;
  options.grace = 4ms;
  return CheckAvailability(FromLanes(picture, options), {});
}

void ExpectAllInTheWay(const std::vector<InTheWayDrawn>& drawn, const LaneOptions& options) {
  for (const auto& [name, outcome, picture] : drawn) {
    const ClaimVerdict verdict = JudgeInTheWay(picture, options);
    EXPECT_EQ(Name(verdict.outcome), Name(outcome)) << name << ": " << verdict.reason;
  }
}

TEST(Availability, AStoppedClientExcusesOnlyIfItWasInAQueueOrHadTheKey) {
  using enum Outcome;
  const std::string asked = R"(
      c1:          A-a=R-r
      c2:                              A-t)";
  ExpectAllInTheWay(
      {
          {"it had given the key back before", kViolated, asked + R"(
      pause c1:            [------])"},
          {"it released the key as it was stopped", kUnknown, asked + R"(
      pause c1:          [--------])"},
          {"it was stopped while it had the key", kUnknown, R"(
      c1:          A-a=
      pause c1:       [-------------------]
      c2:                              A-t)"},
          {"it asked only later", kViolated, asked + R"(
      pause c3:            [------]
      c3:                                    A-a=R-r)"},
          {"it was stopped during its acquire", kUnknown, asked + R"(
      pause c3:            [------]
      c3:                A-----------t)"},
          {"it kept its place between two acquires", kUnknown, asked + R"(
      pause c3:            [------]
      c3:                A-t       A-t)"},
          {"its place was gone with its grant", kViolated, R"(
      c1:          A-a=R-r
      c3:             A-t A-a=R-r
      pause c3:                  [------]
      c2:                                   A-t)"},
          {"it was stopped in the queue, and the wait for it does not count", kValid, R"(
      c1:          A-a=R-rA-a=R-r
      c3:            A-t
      pause c3:                     [----------]
      c2:                         A--------------a=R-r)"},
          {"it was stalled before it asked", kViolated, asked + R"(
      machine c3:          (------)
      c3:                                    A-a=R-r)"},
          {"it was stalled during its acquire", kUnknown, asked + R"(
      machine c3:          (------)
      c3:                A-----------t)"},
      },
      {.lock = "redisson-fair"});
}

TEST(Availability, AStoppedClientExcusesOnlyIfItMayHoldSomeOfSeveralNodes) {
  using enum Outcome;
  const std::string asked = R"(
      c1:          A-a=R-r
      c2:                       A-x A-x A-x A-x A-x A-x)";
  ExpectAllInTheWay(
      {
          {"it had given the key back before", kViolated, asked + R"(
      pause c1:                   [------------------])"},
          {"its release was refused on some nodes", kUnknown, R"(
      c1:          A-a=R-x
      c2:                       A-x A-x A-x A-x A-x A-x
      pause c1:            [-------------------])"},
          {"it asked only later", kViolated, asked + R"(
      pause c3:                   [------------------]
      c3:                                                      A-a=R-r)"},
          {"it was refused less than a lease before", kUnknown, asked + R"(
      pause c3:                   [------------------]
      c3:                   A-x)"},
          {"it was refused more than a lease before", kViolated, asked + R"(
      pause c3:                   [------------------]
      c3:        A-x)"},
      },
      {.nodes = 3});
}

TEST(Availability, AGapBetweenTwoHoldsOfOthersCountsAsAWait) {
  using enum Outcome;
  const ClaimVerdict verdict = JudgeInTheWay(R"(
      c1:          A-a=R-r
      c2:                 A--------------------------a
      c3:                 A-a=R-r
      c4:                                  A-a==R-r)");
  EXPECT_EQ(verdict.outcome, kUnknown);
  EXPECT_EQ(verdict.reason,
            "client 2 asked for the free key from 0.013 s on, and client 4 was granted it only at "
            "0.026 s, though perhaps in time");
  EXPECT_EQ(verdict.margins.at(0).value, -3'000'000);
  const std::string waits = R"(
      c1:          A-a=R-r
      c2:                 A--------------------------a)";
  ExpectAllInTheWay({{"each gap is short", kValid, waits + R"(
      c3:                 A-a=R-r
      c4:                              A-a=R-r)"},
                     {"another hold lasts through the gap", kValid, waits + R"(
      c3:                 A-a=R-r
      c4:                  A--------a=======R-r
      c5:                                 A-----a=R-r)"},
                     {"a hold with no known end may last through the gap", kValid, waits + R"(
      c3:                 A-a=E-?
      c4:                                  A-a==R-r)"},
                     {"another was granted the key long after the wait", kValid, R"(
      c1:          A-a=R-r
      c2:                 A-------------aR-r
      c3:                 A-a=R-r
      c4:                              A------------------------a)"},
                     {"the next holder was stopped during its acquire", kValid, waits + R"(
      c3:                 A-a=R-r
      pause c4:                       [--]
      c4:                            A-----a==R-r)"},
                     {"a stall that delayed both counts once", kUnknown, waits + R"(
      c3:                 A-a=R-r
      machine n1:                          (-)
      c4:                                  A-a==R-r)"},
                     {"a refused acquire is no hold", kUnknown, waits + R"(
      c3:                 A-a=R-r
      c5:                         A-------x
      c4:                                  A-a==R-r)"}},
                    {});
}

}  // namespace
}  // namespace doublehold
