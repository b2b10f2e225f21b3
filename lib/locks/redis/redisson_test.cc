// Commands of Redisson's locks when replies are lost, in virtual time.
#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "lib/locks/registry.h"
#include "lib/testing/world.h"

namespace doublehold {
namespace {

using testing::FakeEnv;
using testing::World;

constexpr Lease kRedissonLease = 300ms;
const LockKey kRedissonKey{.name = "k"};

struct RedissonScene {
  explicit RedissonScene(const std::string& lock, std::map<std::string, std::string> given = {}) {
    const LockEntry& entry = *FindLock(lock);
    given["explicit-lease"] = "true";
    options = *CompleteOptions(lock, entry.options, given, kRedissonLease);
    world.answer = [this](NodeId, const std::vector<std::string>& words) {
      sent.push_back(words);
      world.Advance(takes);
      CallResult answer = std::move(answers.front());
      answers.pop_front();
      return answer;
    };
    variant = entry.make({.env = env,
                          .client = 1,
                          .thread = 4,
                          .seed = 1,
                          .nodes = entry.most_nodes == 1 ? 1 : 5,
                          .lease = kRedissonLease,
                          .options = Options(options)});
  }
  AcquireResult Try() { return variant->TryAcquire(kRedissonKey, kRedissonLease, world.now + 1s); }

  World world;
  FakeEnv env{world};
  Duration takes = 40ms;  // for each command
  std::map<std::string, std::string> options;
  std::deque<CallResult> answers;
  std::vector<std::vector<std::string>> sent;
  std::unique_ptr<Lock> variant;
};

CallResult LostReply() {
  return tl::unexpected(CallFailure{.definite = false, .message = "no reply"});
}
CallResult Refused() { return tl::unexpected(CallFailure{.definite = true, .message = "LOADING"}); }

TEST(Redisson, AnAcquireWithoutAReplyIsOfUnknownOutcome) {
  for (const char* lock : {"redisson", "redisson-fair", "redisson-read-write", "redisson-fenced",
                           "redisson-spin", "redisson-multi"}) {
    RedissonScene scene(lock);
    scene.answers = {LostReply()};
    EXPECT_TRUE(std::holds_alternative<Unknown>(scene.Try())) << lock;
    EXPECT_EQ(scene.sent.size(), 1u);
  }
}

TEST(Redisson, WithResendACommandWithoutReplyIsSentAgain) {
  RedissonScene scene("redisson", {{"resend", "true"}});
  scene.answers = {LostReply(), Reply{}};
  const AcquireResult result = scene.Try();
  ASSERT_TRUE(std::holds_alternative<Granted>(result));
  ASSERT_EQ(scene.sent.size(), 2u);
  EXPECT_EQ(scene.sent[0], scene.sent[1]);
  EXPECT_EQ(std::get<Granted>(result).grant.valid_until, testing::kStartOfWorld + kRedissonLease)
      << "counted from the first time it was sent";
}

TEST(Redisson, WithResendTwoLostRepliesMeanUnknown) {
  RedissonScene scene("redisson", {{"resend", "true"}});
  scene.answers = {LostReply(), LostReply()};
  EXPECT_TRUE(std::holds_alternative<Unknown>(scene.Try()));
}

TEST(Redisson, WithResendAReleaseWithoutReplyIsSentAgain) {
  for (const bool resends : {true, false}) {
    RedissonScene scene("redisson", {{"resend", resends ? "true" : "false"}});
    const Reply an_entry_is_left{.kind = Reply::Kind::kInteger, .integer = 0};
    scene.answers = {Reply{}, LostReply(), an_entry_is_left};
    const AcquireResult granted = scene.Try();
    const Grant& grant = std::get<Granted>(granted).grant;
    EXPECT_EQ(scene.variant->Release(grant, scene.world.now + 1s),
              resends ? ReleaseResult::kReleased : ReleaseResult::kUnknown);
    ASSERT_EQ(scene.sent.size(), resends ? 3u : 2u);
    EXPECT_EQ(scene.sent.back(), scene.sent[1]);
  }
}

TEST(Redisson, ADefiniteFailureIsNotSentAgain) {
  RedissonScene scene("redisson", {{"resend", "true"}});
  scene.answers = {Refused()};
  EXPECT_TRUE(std::holds_alternative<Busy>(scene.Try()));
  EXPECT_EQ(scene.sent.size(), 1u);
}

// In the replies, nil grants the lock. A number is the PTTL of another owner's lock.
TEST(RedlockRedisson, GrantsWithinTheWaitingTimeWithoutDriftAllowance) {
  RedissonScene scene("redlock-redisson");  // waiting time: 0.05 lease for each node, 75 ms in all
  scene.answers = {Reply{}, Reply{}, Reply{}, Reply{}, Reply{}};
  scene.takes = 14ms;
  const AcquireResult result = scene.Try();
  ASSERT_TRUE(std::holds_alternative<Granted>(result));
  EXPECT_EQ(std::get<Granted>(result).grant.valid_until, testing::kStartOfWorld + kRedissonLease);
}

TEST(RedlockRedisson, ReleasesAfterTheWaitingTimeEvenWithAMajority) {
  RedissonScene scene("redlock-redisson");
  scene.answers = {Reply{}, Reply{}, Reply{}, Reply{}, Reply{}, Reply{}, Reply{}, Reply{}};
  scene.takes = 20ms;
  EXPECT_TRUE(std::holds_alternative<Busy>(scene.Try()));
  EXPECT_EQ(scene.sent.size(), 8u) << "four said yes, and four are given back";
}

TEST(RedlockRedisson, ReleasesOnNodesThatGrantedOrMayHaveGranted) {
  RedissonScene scene("redlock-redisson");
  const Reply others{.kind = Reply::Kind::kInteger, .integer = 100};
  scene.answers = {Reply{}, LostReply(), others, others, Reply{}, Reply{}};
  scene.takes = 0ms;
  EXPECT_TRUE(std::holds_alternative<Busy>(scene.Try()));
  EXPECT_EQ(scene.sent.size(), 6u) << "after the third failure nobody else is asked";
}

TEST(Redisson, TheOwnerTextNamesTheThread) {
  RedissonScene scene("redisson");
  scene.answers = {Reply{}};
  const AcquireResult result = scene.Try();
  ASSERT_TRUE(std::holds_alternative<Granted>(result));
  const std::string& owner = std::get<Granted>(result).grant.owner;
  EXPECT_EQ(owner.size(), 36u + 2) << owner;
  EXPECT_TRUE(owner.ends_with(":5")) << owner;
}

}  // namespace
}  // namespace doublehold
