// What Redisson's locks send when replies do not come, in virtual time.
#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "lib/locks/registry.h"
#include "lib/testing/world.h"

namespace doublehold {
namespace {

using testing::FakeEnv;
using testing::World;

constexpr Lease kLease = 300ms;
const LockKey kKey{.name = "k"};

struct Scene {
  explicit Scene(const std::string& lock, std::map<std::string, std::string> given = {}) {
    const LockEntry& entry = *FindLock(lock);
    given["explicit-lease"] = "true";
    options = *CompleteOptions(lock, entry.options, given, kLease);
    world.answer = [this](NodeId, const std::vector<std::string>& words) {
      sent.push_back(words);
      world.Advance(40ms);
      const CallResult answer = answers.front();
      answers.pop_front();
      return answer;
    };
    variant = entry.make({.env = env,
                          .client = 1,
                          .thread = 4,
                          .seed = 1,
                          .lease = kLease,
                          .options = Options(options)});
  }
  AcquireResult Try() { return variant->TryAcquire(kKey, kLease, world.now + 1s); }

  World world;
  FakeEnv env{world};
  std::map<std::string, std::string> options;
  std::deque<CallResult> answers;
  std::vector<std::vector<std::string>> sent;
  std::unique_ptr<Lock> variant;
};

CallResult Lost() { return tl::unexpected(CallFailure{.definite = false, .message = "no reply"}); }
CallResult Refused() { return tl::unexpected(CallFailure{.definite = true, .message = "LOADING"}); }

TEST(Redisson, AnAcquireWithoutAReplyIsOfUnknownOutcome) {
  for (const char* lock : {"redisson", "redisson-fair", "redisson-read-write", "redisson-fenced",
                           "redisson-spin", "redisson-multi"}) {
    Scene scene(lock);
    scene.answers = {Lost()};
    EXPECT_TRUE(std::holds_alternative<Unknown>(scene.Try())) << lock;
    EXPECT_EQ(scene.sent.size(), 1u);
  }
}

TEST(Redisson, WithResendTheSameCommandIsSentOnceMore) {
  Scene scene("redisson", {{"resend", "true"}});
  scene.answers = {Lost(), Reply{}};
  const AcquireResult result = scene.Try();
  ASSERT_TRUE(std::holds_alternative<Granted>(result));
  ASSERT_EQ(scene.sent.size(), 2u);
  EXPECT_EQ(scene.sent[0], scene.sent[1]);
  EXPECT_EQ(std::get<Granted>(result).grant.valid_until, testing::kStartOfWorld + kLease)
      << "counted from the first time it was sent";
}

TEST(Redisson, WithResendTwoLostRepliesAreOfUnknownOutcome) {
  Scene scene("redisson", {{"resend", "true"}});
  scene.answers = {Lost(), Lost()};
  EXPECT_TRUE(std::holds_alternative<Unknown>(scene.Try()));
}

TEST(Redisson, WhatCertainlyWasNotDoneIsNotSentAgain) {
  Scene scene("redisson", {{"resend", "true"}});
  scene.answers = {Refused()};
  EXPECT_TRUE(std::holds_alternative<Busy>(scene.Try()));
  EXPECT_EQ(scene.sent.size(), 1u);
}

TEST(Redisson, TheOwnerIsTheSessionsThread) {
  Scene scene("redisson");
  scene.answers = {Reply{}};
  const AcquireResult result = scene.Try();
  ASSERT_TRUE(std::holds_alternative<Granted>(result));
  const std::string& owner = std::get<Granted>(result).grant.owner;
  EXPECT_EQ(owner.size(), 36u + 2) << owner;
  EXPECT_TRUE(owner.ends_with(":5")) << owner;
}

}  // namespace
}  // namespace doublehold
