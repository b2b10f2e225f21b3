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

class WatchdogTest : public ::testing::Test {
 protected:
  static Grant GrantOf(uint64_t hold) { return {.key = {.name = "k"}, .owner = "o", .hold = hold}; }
  // Returns the recorded events of renewals until this time.
  WatchdogLines Renewals(Duration until) {
    world_.RunTask(until);
    return FormatEvents(world_.events);
  }

  ExtendResult Renew(Lease lease) {
    const MonoTime invoked = world_.now;
    world_.Advance(takes_);
    const ExtendResult answer = answers_.front();
    if (answers_.size() > 1) answers_.pop_front();
    return std::holds_alternative<Extended>(answer) ? ExtendResult(Extended{invoked + lease})
                                                    : answer;
  }
  [[nodiscard]] Watchdog::MakeRenewal MakeRenewal() {
    return [this](Env&) {
      return [this](const Grant&, Lease lease, Deadline) { return Renew(lease); };
    };
  }

  World world_;
  FakeEnv env_{world_};
  std::deque<ExtendResult> answers_{Extended{}};  // to renewals, in order; the last one repeats
  Duration takes_{};                              // how long a renewal takes
  Watchdog watchdog_{env_, MakeRenewal(), {.lease = kWatchdogLease}};
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
  answers_ = {Extended{}, Lost{}};
  watchdog_.Guard(GrantOf(1));
  EXPECT_EQ(Renewals(1s), (WatchdogLines{"100 invoke extend", "100 ok extend", "200 invoke extend",
                                         "200 fail extend"}));
}

TEST_F(WatchdogTest, AFailedExtensionIsTriedAgainBeforeTheLeaseEnds) {
  answers_ = {Undecided{}, Undecided{}, Extended{}};
  watchdog_.Guard(GrantOf(1));
  EXPECT_EQ(
      Renewals(265ms),
      (WatchdogLines{"100 invoke extend", "100 info extend", "130 invoke extend", "130 info extend",
                     "160 invoke extend", "160 ok extend", "260 invoke extend", "260 ok extend"}));
}

TEST_F(WatchdogTest, WithOnceNoExtensionFollowsAFailedOne) {
  answers_ = {Extended{}, Undecided{}, Extended{}};
  Watchdog once(env_, MakeRenewal(), {.lease = kWatchdogLease, .once = true});
  once.Guard(GrantOf(1));
  EXPECT_EQ(Renewals(1s), (WatchdogLines{"100 invoke extend", "100 ok extend", "200 invoke extend",
                                         "200 info extend"}));
}

TEST_F(WatchdogTest, TheNextExtensionCountsFromTheInvocation) {
  takes_ = 40ms;
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
  takes_ = 40ms;
  watchdog_.Guard(GrantOf(1));
  world_.At(120ms, [&] { watchdog_.Leave(GrantOf(1)); });
  EXPECT_EQ(Renewals(1s), (WatchdogLines{"100 invoke extend", "140 ok extend"}));
}

}  // namespace
}  // namespace doublehold
