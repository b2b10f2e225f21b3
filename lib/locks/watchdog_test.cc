#include "lib/locks/watchdog.h"

#include <gtest/gtest.h>

#include <deque>

#include "lib/testing/world.h"

namespace doublehold {
namespace {

using testing::FakeEnv;
using testing::FormatEvents;
using testing::World;
using WatchdogLines = std::vector<std::string>;

constexpr Lease kWatchdogLease = 300ms;

// Replies to renewals, in order. The last reply repeats. Static, because Watchdog::Renew is a plain
// function.
struct Script {
  World* world = nullptr;
  std::deque<ExtendResult> answers;
  Duration takes{};
  size_t nodes = 0;  // number of nodes of the last renewal
};
Script& TheScript() {
  static Script script;
  return script;
}

ExtendResult Renew(Env& env, Nodes nodes, const Grant& /*grant*/, Lease lease,
                   Deadline /*deadline*/) {
  Script& script = TheScript();
  script.nodes = nodes.size();
  const MonoTime invoked = env.Mono();
  script.world->Advance(script.takes);
  const ExtendResult answer = script.answers.front();
  if (script.answers.size() > 1) script.answers.pop_front();
  return std::holds_alternative<Extended>(answer) ? ExtendResult(Extended{invoked + lease})
                                                  : answer;
}

class WatchdogTest : public ::testing::Test {
 protected:
  WatchdogTest() { TheScript() = {.world = &world_, .answers = {Extended{}}}; }

  static Grant GrantOf(uint64_t hold) { return {.key = {.name = "k"}, .owner = "o", .hold = hold}; }
  // Returns the recorded events of renewals until this time.
  WatchdogLines Renewals(Duration until) {
    world_.RunTask(until);
    return FormatEvents(world_.events);
  }

  World world_;
  FakeEnv env_{world_};
  Watchdog watchdog_{env_, Renew, {.lease = kWatchdogLease}};
};

TEST_F(WatchdogTest, ExtendsEveryThirdOfTheLease) {
  watchdog_.Guard(GrantOf(1));
  EXPECT_EQ(Renewals(350ms),
            (WatchdogLines{"100 invoke extend", "100 ok extend", "200 invoke extend",
                           "200 ok extend", "300 invoke extend", "300 ok extend"}));
  EXPECT_EQ(world_.events[0].hold, 1u);
}

TEST_F(WatchdogTest, NothingRunsBeforeTheFirstGrant) { EXPECT_TRUE(world_.spawned.empty()); }

TEST_F(WatchdogTest, StopsExtendingAGrantAfterLeave) {
  watchdog_.Guard(GrantOf(1));
  world_.At(150ms, [&] { watchdog_.Leave(GrantOf(1)); });
  EXPECT_EQ(Renewals(1s), (WatchdogLines{"100 invoke extend", "100 ok extend"}));
}

TEST_F(WatchdogTest, StopsExtendingALostGrant) {
  TheScript().answers = {Extended{}, Lost{}};
  watchdog_.Guard(GrantOf(1));
  EXPECT_EQ(Renewals(1s), (WatchdogLines{"100 invoke extend", "100 ok extend", "200 invoke extend",
                                         "200 fail extend"}));
}

TEST_F(WatchdogTest, AFailedExtensionIsTriedAgainBeforeTheLeaseEnds) {
  TheScript().answers = {Undecided{}, Undecided{}, Extended{}};
  watchdog_.Guard(GrantOf(1));
  EXPECT_EQ(
      Renewals(265ms),
      (WatchdogLines{"100 invoke extend", "100 info extend", "130 invoke extend", "130 info extend",
                     "160 invoke extend", "160 ok extend", "260 invoke extend", "260 ok extend"}));
}

TEST_F(WatchdogTest, WithOnceNoExtensionFollowsAFailedOne) {
  TheScript().answers = {Extended{}, Undecided{}, Extended{}};
  Watchdog once(env_, Renew, {.lease = kWatchdogLease, .once = true});
  once.Guard(GrantOf(1));
  EXPECT_EQ(Renewals(1s), (WatchdogLines{"100 invoke extend", "100 ok extend", "200 invoke extend",
                                         "200 info extend"}));
}

TEST_F(WatchdogTest, EveryNodeIsAsked) {
  Watchdog five(env_, Renew, {.lease = kWatchdogLease, .nodes = 5});
  five.Guard(GrantOf(1));
  (void)Renewals(150ms);
  EXPECT_EQ(TheScript().nodes, 5u);
}

TEST_F(WatchdogTest, TheNextExtensionCountsFromTheInvocation) {
  TheScript().takes = 40ms;
  watchdog_.Guard(GrantOf(1));
  EXPECT_EQ(Renewals(290ms), (WatchdogLines{"100 invoke extend", "140 ok extend",
                                            "200 invoke extend", "240 ok extend"}));
}

TEST_F(WatchdogTest, GuardsEveryGrantOfItsClient) {
  watchdog_.Guard(GrantOf(1));
  world_.At(50ms, [&] { watchdog_.Guard(GrantOf(2)); });
  world_.At(160ms, [&] { watchdog_.Leave(GrantOf(1)); });
  EXPECT_EQ(Renewals(260ms),
            (WatchdogLines{"100 invoke extend", "100 ok extend", "150 invoke extend",
                           "150 ok extend", "250 invoke extend", "250 ok extend"}));
  EXPECT_EQ(world_.events[0].hold, 1u);
  EXPECT_EQ(world_.events[2].hold, 2u);
  EXPECT_EQ(world_.events[4].hold, 2u);
}

TEST_F(WatchdogTest, AGrantThatIsLeftDuringItsExtensionIsNotExtendedAgain) {
  TheScript().takes = 40ms;
  watchdog_.Guard(GrantOf(1));
  world_.At(120ms, [&] { watchdog_.Leave(GrantOf(1)); });
  EXPECT_EQ(Renewals(1s), (WatchdogLines{"100 invoke extend", "140 ok extend"}));
}

}  // namespace
}  // namespace doublehold
