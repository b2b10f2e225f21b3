// Regression tests: histories on which a checker disagreed with an oracle that tries every order
// (claim_trials.h, linear/trials.h).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/claims/data/stock.h"
#include "checker/claims/lock/exclusion.h"
#include "checker/claims/lock/order.h"
#include "checker/claims/lock/reentry.h"
#include "checker/claims/lock/release.h"
#include "checker/linear/search.h"
#include "checker/testing/ascii_history.h"
#include "lib/history/jsonl.h"

namespace doublehold {
namespace {

// Client 1's session records nothing after its grant, so its hold ends there. But the leases of the
// two clients overlap.
TEST(TrialsFound, AWatchdogsExtensionDoesNotProlongAHoldThatWasCutShort) {
  const History history = FromLanes(R"(
      c2:    A-a===R-r
      c1:    A-a-!E-e)");
  EXPECT_EQ(CheckExclusion(history, {}).outcome, Outcome::kValid);
  EXPECT_EQ(CheckLeaseExclusion(history, {}).outcome, Outcome::kViolated);
}

// The failed extension changed nothing, so client 1's lease was valid until the release.
TEST(TrialsFound, AnExtensionThatFailsAfterTheReleaseDoesNotShortenTheLease) {
  History history = FromLanes(R"(
      c1:    A-aE=======R--rx
      c2:       A--a==R-r)");
  for (Event& event : history.events) {
    if (event.op != Op::kExtend) continue;
    event.hold = 101;
    if (event.type == EventType::kInvoke) event.value[0] = 1'000'000;
  }
  EXPECT_EQ(CheckLeaseExclusion(history, {}).outcome, Outcome::kViolated);
}

TEST(TrialsFound, AReleaseAnsweredWhenTheOwnerInvokesItsReleaseProvesNothing) {
  EXPECT_EQ(CheckRelease(FromLanes(R"(
      c1:    A-x  R--f
      c2: A-a========R-r)"),
                         {})
                .outcome,
            Outcome::kUnknown);
  EXPECT_EQ(CheckRelease(FromLanes(R"(
      c1:    A-x  R--f
      c2: A-a=========R-r)"),
                         {})
                .outcome,
            Outcome::kViolated);
}

// Client 1's first acquire may arrive late and be granted. Client 1 has then left the queue, and
// client 2 is next.
TEST(TrialsFound, AQueuePlaceIsUncertainWhileAnEarlierAcquireMayArrive) {
  const std::string queue = R"(
      c2:                QA-aq==R-r
      c3: A-a=====R-r)";
  EXPECT_EQ(CheckOrder(FromLanes("      c1:   QA-? A-t--------------A-aq=R-r" + queue), {}).outcome,
            Outcome::kUnknown);
  EXPECT_EQ(CheckOrder(FromLanes("      c1:   QA-x A-t--------------A-aq=R-r" + queue), {}).outcome,
            Outcome::kViolated);
}

// Clients 1 and 3 may both have taken the first unit. One of their unanswered writes may also have
// overwritten client 2's write. The sums may then match only by chance.
TEST(TrialsFound, AStockThatRoseIsUnknownEvenIfTheSumsMatch) {
  const std::string before = R"(
      c1:    A-a=g=W-?=R-r                                | 5 5>4
      c3:     A-a=g=W-?=R-r                               | 5 5>4
      c2:                     A-a=g=w=R-r                 | 4 4>3)";
  const auto check = [&](const std::string& after) {
    return CheckStock(FromLanes(before + after), {});
  };
  const ClaimVerdict at_the_end =
      check("\n      final:                                      *         | 4/1");
  EXPECT_EQ(at_the_end.outcome, Outcome::kUnknown);
  EXPECT_EQ(at_the_end.reason,
            "the sums are right, but perhaps only because of a write of unknown outcome: the stock "
            "was 4 at 0.037 s, and had been 3 at 0.023 s");
  EXPECT_EQ(check(R"(
      c4:                                   A-a=g=W-?=R-r  | 4 4>3
      final:                                              * | 3/1)")
                .outcome,
            Outcome::kUnknown);
  EXPECT_EQ(check(R"(
      c4:                                   A-a=g=R-r      | 3
      final:                                              * | 3/1)")
                .outcome,
            Outcome::kValid);
}

// Process 1's unanswered acquire may have been granted, with a token above process 0's token 3. So
// process 1 may re-enter with a larger token, but not with token 3.
TEST(TrialsFound, AnUnansweredAcquireGetsATokenAboveTheLastOne) {
  const Model& model = *FindModel("reentrant-fenced-mutex");
  const auto outcome = [&](int64_t token) {
    const std::vector<Operation> operations{
        {.function = 0, .process = 0, .invoked = 0, .returned = 1, .result = {3}},
        {.function = 1, .process = 0, .invoked = 2, .returned = 3},
        {.function = 0, .process = 1, .indeterminate = true, .invoked = 4, .returned = 5},
        {.function = 0, .process = 1, .invoked = 6, .returned = 7, .result = {token}}};
    return FindOrder(model, {}, operations).outcome;
  };
  EXPECT_EQ(outcome(3), Outcome::kViolated);
  EXPECT_EQ(outcome(4), Outcome::kValid);
}

// Client 3 acquires again at the instant at which its release is answered. Client 3 may then be
// ahead in the queue, which explains client 1's refusals.
TEST(TrialsFound, AClientThatAcquiresWhenItsReleaseIsAnsweredMayBeInTheQueue) {
  const std::string text =
      R"({"index":0,"time":0,"process":"supervisor","type":"info","f":"start","value":{"experiment":"","lock":"redisson","workload":"","write":"","seed":0,"lease_ns":50,"grace_ns":50,"duration_ns":0,"clients":3,"nodes":1,"initial_stock":0,"keys":["a"],"faults":[],"claims":[],"expect":{},"events":14}}
{"index":1,"time":3,"process":3,"type":"invoke","f":"acquire","key":"a","value":{"lease_ns":100000}}
{"index":2,"time":3,"process":3,"type":"info","f":"acquire","key":"a","value":{"hold":1}}
{"index":3,"time":3,"process":3,"type":"invoke","f":"release","key":"a","value":{"hold":1}}
{"index":4,"time":5,"process":2,"type":"invoke","f":"acquire","key":"a","value":{"lease_ns":100000}}
{"index":5,"time":5,"process":2,"type":"info","f":"acquire","key":"a","value":{"hold":2}}
{"index":6,"time":5,"process":2,"type":"invoke","f":"release","key":"a","value":{"hold":2}}
{"index":7,"time":7,"process":3,"type":"ok","f":"release","key":"a","value":{"hold":1}}
{"index":8,"time":7,"process":3,"type":"invoke","f":"acquire","key":"a","value":{"lease_ns":100000}}
{"index":9,"time":9,"process":2,"type":"ok","f":"release","key":"a","value":{"hold":2}}
{"index":10,"time":10,"process":1,"type":"invoke","f":"acquire","key":"a","value":{"lease_ns":100000}}
{"index":11,"time":11,"process":3,"type":"fail","f":"acquire","key":"a","value":{"retry_hint_ns":1000}}
{"index":12,"time":14,"process":1,"type":"fail","f":"acquire","key":"a","value":{"retry_hint_ns":1000}}
{"index":13,"time":15,"process":1,"type":"invoke","f":"acquire","key":"a","value":{"lease_ns":100000}}
{"index":14,"time":21,"process":1,"type":"fail","f":"acquire","key":"a","value":{"retry_hint_ns":1000}}
)";
  TextSource source(text, "found");
  const Result<History> history = ReadJsonl(source);
  ASSERT_TRUE(history.has_value()) << history.error().message;
  EXPECT_EQ(CheckReentry(*history, {}).outcome, Outcome::kUnknown);
}

// Client 1's release may have freed its first entry before client 2 was granted the key. Then its
// unanswered acquire took effect late, and holds the key at client 3's refusal.
TEST(TrialsFound, AReleaseThatMayHaveFreedAnEarlierEntryLeavesAnUnansweredAcquireOpen) {
  const auto outcome = [](const std::string& first_entry) {
    return CheckReentry(FromLanes("      c1:   " + first_entry + R"(A-?R---r
      c2:                   A-aR-r
      c3:                           A-t)"),
                        {})
        .outcome;
  };
  EXPECT_EQ(outcome("A-a=="), Outcome::kUnknown);
  EXPECT_EQ(outcome("     "), Outcome::kViolated);
}

}  // namespace
}  // namespace doublehold
