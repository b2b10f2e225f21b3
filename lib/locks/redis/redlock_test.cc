// How redlock judges its nodes' replies and the time that they took, in virtual time.
#include <gtest/gtest.h>

#include <map>

#include "lib/locks/registry.h"
#include "lib/testing/world.h"

namespace doublehold {
namespace {

using testing::FakeEnv;
using testing::kStartOfWorld;
using testing::World;
using Values = std::map<std::string, std::string>;

constexpr Lease kRedlockLease = 300ms;
constexpr Duration kDrift = 5ms;  // a hundredth of the lease plus 2 ms
constexpr int kNodes = 5;

struct RedlockScene {
  explicit RedlockScene(const Values& given = {})
      : options(*CompleteOptions("redlock", FindLock("redlock")->options, given, kRedlockLease)) {
    world.answer = [this](NodeId node, const std::vector<std::string>& words) -> CallResult {
      const bool acquires = words[0] == "SET";
      if (!acquires) return ++released, Reply{.kind = Reply::Kind::kInteger, .integer = 1};
      world.Advance(takes);
      if (node.number > willing) return Reply{};
      return Reply{.kind = Reply::Kind::kStatus, .text = "OK"};
    };
    variant = FindLock("redlock")->make({.env = env,
                                         .client = 1,
                                         .seed = 1,
                                         .nodes = kNodes,
                                         .lease = kRedlockLease,
                                         .options = Options(options)});
  }
  bool IsGranted() {
    const AcquireResult result = variant->TryAcquire({.name = "k"}, kRedlockLease, world.now + 10s);
    if (const auto* granted = std::get_if<Granted>(&result))
      valid_until = granted->grant.valid_until;
    return std::holds_alternative<Granted>(result);
  }

  World world;
  FakeEnv env{world};
  std::map<std::string, std::string> options;
  Duration takes{};      // for each SET
  int willing = kNodes;  // nodes 1 to `willing` grant
  int released = 0;      // number of nodes that were asked to release
  MonoTime valid_until{};
  std::unique_ptr<Lock> variant;
};

TEST(Redlock, TheValidityCountsFromBeforeTheFirstNodeWasAsked) {
  RedlockScene scene;
  scene.takes = 10ms;
  ASSERT_TRUE(scene.IsGranted());
  EXPECT_EQ(scene.valid_until, kStartOfWorld + kRedlockLease - kDrift);
  EXPECT_EQ(scene.released, 0);
}

TEST(Redlock, NoLockIsGrantedWithoutValidity) {
  RedlockScene in_time;
  in_time.takes = 58ms;
  EXPECT_TRUE(in_time.IsGranted());
  RedlockScene late;
  late.takes = (kRedlockLease - kDrift) / kNodes;  // exact to the nanosecond
  EXPECT_FALSE(late.IsGranted());
  EXPECT_EQ(late.released, kNodes) << "on every node";
  RedlockScene unchecked(Values{{"no-validity-check", "true"}});
  unchecked.takes = kRedlockLease;
  EXPECT_TRUE(unchecked.IsGranted()) << "K27";
}

TEST(Redlock, AMajorityMustGrant) {
  for (const int willing : {2, 3}) {
    RedlockScene scene;
    scene.willing = willing;
    EXPECT_EQ(scene.IsGranted(), willing == 3);
    EXPECT_EQ(scene.released, willing == 3 ? 0 : kNodes) << "also where it was refused";
  }
}

TEST(Redlock, AMovedWallClockChangesTheValidityOnlyWithTheOptionClockWall) {
  for (const char* clock : {"monotonic", "wall"}) {
    RedlockScene scene(Values{{"clock", clock}});
    const auto answer = scene.world.answer;
    scene.world.answer = [&](NodeId node, const std::vector<std::string>& words) {
      if (words[0] == "SET" && node.number == kNodes)
        scene.world.wall_ahead += std::chrono::hours(1);
      return answer(node, words);
    };
    EXPECT_EQ(scene.IsGranted(), clock == std::string("monotonic")) << "an early loss";
  }
}

}  // namespace
}  // namespace doublehold
