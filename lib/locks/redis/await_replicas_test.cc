#include "lib/locks/redis/await_replicas.h"

#include <gtest/gtest.h>

#include "lib/locks/registry.h"
#include "lib/testing/world.h"

namespace doublehold {
namespace {

using Command = std::vector<std::string>;

Reply NumberAwaitReplicas(int64_t value) {
  return {.kind = Reply::Kind::kInteger, .integer = value};
}

// A master with replicas, of which `acknowledged` acknowledge a write. Logs its commands.
struct Master {
  CallResult Answer(const Command& command) {
    asked.push_back(command[0]);
    if (command[0] == "SET") return Reply{.kind = Reply::Kind::kStatus, .text = "OK"};
    if (command[0] == "WAIT") {
      wait = command;
      if (!waits) return tl::unexpected(CallFailure{.definite = false, .message = "reset"});
      return NumberAwaitReplicas(acknowledged);
    }
    // The first script of redisson is an acquire.
    if (scripts++ == 0 && is_redisson) return Reply{};
    if (!undoes) return tl::unexpected(CallFailure{.definite = false, .message = "late"});
    return NumberAwaitReplicas(1);
  }
  bool is_redisson = false;
  int64_t acknowledged = 0;
  bool waits = true;
  bool undoes = true;
  int scripts = 0;
  Command wait;
  std::vector<std::string> asked;
};

std::string AttemptToAcquire(std::string_view lock, Master& master) {
  testing::World world;
  world.answer = [&](NodeId, const Command& command) { return master.Answer(command); };
  testing::FakeEnv env(world);
  const LockEntry& entry = *FindLock(lock);
  master.is_redisson = lock == "redisson";
  const std::map<std::string, std::string> options =
      *CompleteOptions(lock, entry.options, {{"wait-replicas", "2"}, {"wait-timeout", "80ms"}}, 1s);
  const std::unique_ptr<Lock> made = entry.make(
      {.env = env, .client = 1, .lease = 1s, .call_timeout = 1s, .options = Options(options)});
  const AcquireResult result = made->TryAcquire({.name = "k"}, 1s, world.now + 1s);
  if (std::holds_alternative<Granted>(result)) return "granted";
  return std::holds_alternative<Busy>(result) ? "busy" : "unknown";
}

TEST(AwaitReplicas, AGrantWithTooFewAcknowledgementsIsUndone) {
  const struct {
    int64_t acknowledged;
    bool waits, undoes;
    const char* outcome;
  } cases[] = {
      {2, true, true, "granted"},   {3, true, true, "granted"}, {1, true, true, "busy"},
      {0, true, false, "unknown"},  {0, false, true, "busy"},  // the write's connection was lost
      {0, false, false, "unknown"},
  };
  for (const char* lock : {"set-nx-px", "redisson"}) {
    for (const auto& c : cases) {
      Master master{.acknowledged = c.acknowledged, .waits = c.waits, .undoes = c.undoes};
      EXPECT_EQ(AttemptToAcquire(lock, master), c.outcome) << lock << " " << c.acknowledged;
      EXPECT_EQ(master.wait, (Command{"WAIT", "2", "80"})) << lock;
      EXPECT_EQ(master.asked.size(), std::string_view(c.outcome) == "granted" ? 2u : 3u) << lock;
    }
  }
}

}  // namespace
}  // namespace doublehold
