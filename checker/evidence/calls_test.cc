#include "checker/evidence/calls.h"

#include <gtest/gtest.h>

#include "checker/evidence/grants.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

TEST(Calls, ACallWithoutItsInvocationBeganAtThePreviousEventOfItsSession) {
  History history = FromLanes("c1: A-a==g==R----r | 5");
  std::erase_if(history.events, [](const Event& event) {
    return event.op == Op::kRelease && event.type == EventType::kInvoke;
  });
  const Call release = ExtractCalls(history).all.back();
  EXPECT_EQ(release.op, Op::kRelease);
  EXPECT_EQ(release.from_ns, 5'000'000);
  EXPECT_EQ(release.to_ns, 13'000'000);
}

TEST(Calls, TheLastGrantBeforeATimeIsTheOneInvokedLast) {
  const History history = FromLanes(R"(
      c1: A---a
      c2:  A-----------a
      c3:   A---a)");
  const Calls calls = ExtractCalls(history);
  const Grants granted = FindGrants(calls).at(0).any;
  const auto last = [&](int64_t at_ms) {
    const Call* call = granted.LastBefore(at_ms * 1'000'000);
    return call == nullptr ? 0 : call->session.client;
  };
  EXPECT_EQ(last(4), 0);
  EXPECT_EQ(last(5), 1);
  EXPECT_EQ(last(10), 3);
  EXPECT_EQ(last(20), 3) << "client 2 asked before client 3";
}

TEST(Calls, AreThoseOfClientsOnly) {
  EXPECT_TRUE(ExtractCalls(FromLanes("c0: A-a=R-r")).all.empty());
}

}  // namespace
}  // namespace doublehold
