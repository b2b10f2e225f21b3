#include "checker/evidence/calls.h"

#include <gtest/gtest.h>

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

TEST(Calls, AreThoseOfClientsOnly) {
  EXPECT_TRUE(ExtractCalls(FromLanes("c0: A-a=R-r")).all.empty());
}

}  // namespace
}  // namespace doublehold
