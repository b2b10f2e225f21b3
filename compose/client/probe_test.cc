#include "compose/client/probe.h"

#include <gtest/gtest.h>

#include "lib/testing/scripted_lock.h"

namespace doublehold {
namespace {

using testing::Attempt;
using testing::FakeEnv;
using testing::FormatEvents;
using testing::ScriptedLock;
using testing::World;
using Lines = std::vector<std::string>;
using ProbeOutcome = testing::Attempt::Outcome;

constexpr Attempt kGrant{.outcome = ProbeOutcome::kGranted};
constexpr Attempt kBusy{.outcome = ProbeOutcome::kBusy, .takes = 10ms};
constexpr Attempt kLate{.outcome = ProbeOutcome::kBusy, .takes = 60ms};
constexpr Attempt kUnknown{.outcome = ProbeOutcome::kUnknown, .takes = 10ms};

Event Probed(const std::vector<Attempt>& attempts, Duration own_wait = {}) {
  World world;
  FakeEnv env(world);
  ScriptedLock lock(world, attempts);
  Probe(env, lock, {.name = "k", .index = 0},
        {.lease = 100ms, .grace = 100ms, .call_timeout = 50ms, .own_wait = own_wait});
  EXPECT_EQ(world.events.size(), 2U);
  return world.events.back();
}

TEST(Probe, FailsOnlyIfEveryAttemptWasRefusedInTime) {
  EXPECT_EQ(Probed({kGrant}).type, EventType::kOk);
  EXPECT_EQ(Probed({kUnknown, kBusy, kGrant}).type, EventType::kOk);
  const Event failed = Probed({kBusy});
  EXPECT_EQ(failed.type, EventType::kFail);
  EXPECT_GE(failed.value[0], 200'000'000);
  EXPECT_EQ(Probed({kUnknown}).type, EventType::kInfo);
  EXPECT_EQ(Probed({kUnknown, kBusy}).type, EventType::kInfo);
  EXPECT_EQ(Probed({kBusy, kLate}).type, EventType::kInfo);
  // A late refusal counts as a refusal if the lock itself waits for so long.
  EXPECT_EQ(Probed({kBusy, kLate}, 25ms).type, EventType::kFail);
}

TEST(Probe, ANodeThatDoesNotAnswerIsRecorded) {
  World world;
  FakeEnv env(world);
  world.answer = [](NodeId node, const Lines&) -> CallResult {
    if (node == NodeId{2}) return tl::unexpected(CallFailure{.message = "no reply"});
    return Reply{.kind = Reply::Kind::kInteger, .integer = -2};
  };
  RecordLeftovers(env, LockEntry{}, 3, {.name = "k", .index = 0},
                  {.lease = 100ms, .call_timeout = 50ms});
  EXPECT_EQ(FormatEvents(world.events), (Lines{"0 ok expiry", "0 fail expiry", "0 ok expiry"}));
  EXPECT_EQ(world.events.at(1).value[1], 2);
}

}  // namespace
}  // namespace doublehold
