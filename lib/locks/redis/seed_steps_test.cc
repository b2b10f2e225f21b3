// The locks of seeds 000, 002 and 004, command by command: the commands that they send, and how
// they interpret the replies.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "lib/locks/registry.h"
#include "lib/testing/world.h"

namespace doublehold {
namespace {

using testing::FakeEnv;
using testing::World;
using SeedStepsLines = std::vector<std::string>;

constexpr Lease kSeedStepsLease = 300ms;
const LockKey kSeedStepsKey{.name = "k"};

CallResult NumberSeedSteps(int64_t number) {
  return Reply{.kind = Reply::Kind::kInteger, .integer = number};
}
CallResult Text(std::string text) {
  return Reply{.kind = Reply::Kind::kString, .text = std::move(text)};
}
CallResult Nil() { return Reply{}; }
CallResult NoReply() {
  return tl::unexpected(CallFailure{.definite = false, .message = "no reply"});
}

struct SeedStepsScene {
  explicit SeedStepsScene(const std::string& lock, std::deque<CallResult> given = {},
                          const std::map<std::string, std::string>& options_given = {})
      : answers(std::move(given)),
        options(*CompleteOptions(lock, FindLock(lock)->options, options_given, kSeedStepsLease)) {
    world.answer = [this](NodeId, const SeedStepsLines& words) {
      const bool is_script = words[0].starts_with("EVAL");
      sent.push_back(is_script ? "script" : fmt::format("{}", fmt::join(words, " ")));
      if (answers.empty()) return CallResult(tl::unexpected(CallFailure{.message = "no answer"}));
      const CallResult answer = answers.front();
      answers.pop_front();
      return answer;
    };
    variant = FindLock(lock)->make({.env = env,
                                    .client = 1,
                                    .seed = 1,
                                    .lease = kSeedStepsLease,
                                    .options = Options(options)});
  }
  // Returns "granted", "busy" or "unknown".
  std::string Try() {
    const AcquireResult result =
        variant->TryAcquire(kSeedStepsKey, kSeedStepsLease, world.now + 1s);
    if (const auto* granted = std::get_if<Granted>(&result)) last = granted->grant;
    if (std::holds_alternative<Granted>(result)) return "granted";
    return std::holds_alternative<Busy>(result) ? "busy" : "unknown";
  }
  ReleaseResult Release() { return variant->Release(last, world.now + 1s); }
  // Returns the instant `later` from now, in the format of a key's value.
  std::string Instant(Duration later) {
    return std::to_string(ToMs(env.Wall()) + later / std::chrono::milliseconds(1));
  }

  World world;
  FakeEnv env{world};
  std::deque<CallResult> answers;
  std::map<std::string, std::string> options;
  SeedStepsLines sent;
  std::unique_ptr<Lock> variant;
  Grant last{.key = kSeedStepsKey};
};

// ---- seed 000

TEST(SetnxGetset, AFreeKeyIsTakenWithAnExpiryOfADay) {
  SeedStepsScene scene("setnx-getset",
                       {NumberSeedSteps(1), NumberSeedSteps(1), NumberSeedSteps(1)});
  EXPECT_EQ(scene.Try(), "granted");
  EXPECT_EQ(scene.sent,
            (SeedStepsLines{"SETNX k " + scene.Instant(kSeedStepsLease), "EXPIRE k 86400"}));
  EXPECT_EQ(scene.world.steps, std::vector<Step>{Step::kMidAcquire}) << "between the two";
  EXPECT_EQ(scene.Release(), ReleaseResult::kFreed);
  EXPECT_EQ(scene.sent.back(), "DEL k");
}

TEST(SetnxGetset, AnExpiredKeyIsWonIfGetsetReturnsTheValueThatGetReturned) {
  const std::string now = SeedStepsScene("setnx-getset").Instant(0ms);
  const std::string later = SeedStepsScene("setnx-getset").Instant(1ms);
  const struct {
    const char* what;
    CallResult seen, before;
    const char* result;
    size_t commands;
  } cases[] = {
      {"past, to the millisecond", Text(now), Text(now), "granted", 4},
      {"not past", Text(later), Nil(), "busy", 2},
      {"another took it over in between", Text(now), Text(later), "busy", 3},
      {"another past one", Text(now), Text("1000"), "busy", 3},
      {"released in between", Text(now), Nil(), "busy", 3},
      {"released before GET", Nil(), Nil(), "busy", 2},
  };
  for (const auto& [what, seen, before, result, commands] : cases) {
    SCOPED_TRACE(what);
    SeedStepsScene scene("setnx-getset", {NumberSeedSteps(0), seen, before, NumberSeedSteps(1)});
    EXPECT_EQ(scene.Try(), result);
    SeedStepsLines all{"SETNX k " + scene.Instant(kSeedStepsLease), "GET k",
                       "GETSET k " + scene.Instant(kSeedStepsLease), "EXPIRE k 86400"};
    all.resize(commands);
    EXPECT_EQ(scene.sent, all);
  }
}

TEST(SetnxGetset, GetIsTriedThreeTimes) {
  SeedStepsScene twice("setnx-getset",
                       {NumberSeedSteps(0), NoReply(), NoReply(), Text("1000"), Text("1000")});
  EXPECT_EQ(twice.Try(), "granted");
  SeedStepsScene thrice("setnx-getset",
                        {NumberSeedSteps(0), NoReply(), NoReply(), NoReply(), Text("1000")});
  EXPECT_EQ(thrice.Try(), "busy");
  EXPECT_EQ(thrice.sent.size(), 4u);
}

TEST(SetnxGetset, GivingUpReleasesOnlyWithTheOption) {
  for (const bool releases : {true, false}) {
    SeedStepsScene scene("setnx-getset", {NumberSeedSteps(1)},
                         {{"finally-releases", releases ? "true" : "false"}});
    (void)scene.variant->GiveUp(kSeedStepsKey, scene.world.now + 1s);
    EXPECT_EQ(scene.sent, releases ? SeedStepsLines{"DEL k"} : SeedStepsLines{});
  }
}

// ---- seed 004

TEST(SetnxGetsetExpired, AFreeKeyIsTakenForALeaseAndAMillisecondAndNeverExpires) {
  SeedStepsScene scene("setnx-getset-expired", {NumberSeedSteps(1)});
  EXPECT_EQ(scene.Try(), "granted");
  EXPECT_EQ(scene.sent, SeedStepsLines{"SETNX k " + scene.Instant(kSeedStepsLease + 1ms)});
}

TEST(SetnxGetsetExpired, AnExpiredKeyIsWonIfGetsetReturnsAnExpiredValue) {
  const std::string past = SeedStepsScene("setnx-getset-expired").Instant(-1ms);
  const std::string now = SeedStepsScene("setnx-getset-expired").Instant(0ms);
  const struct {
    const char* what;
    CallResult seen, before;
    const char* result;
    size_t commands;
  } cases[] = {
      {"past", Text(past), Text(past), "granted", 3},
      {"another past one than GET showed", Text(past), Text("1000"), "granted", 3},
      {"now is not past", Text(now), Nil(), "busy", 2},
      {"another took it over in between", Text(past), Text(now), "busy", 3},
      {"released in between", Text(past), Nil(), "busy", 3},
      {"GET is not answered", NoReply(), Nil(), "busy", 2},
  };
  for (const auto& [what, seen, before, result, commands] : cases) {
    SCOPED_TRACE(what);
    SeedStepsScene scene("setnx-getset-expired", {NumberSeedSteps(0), seen, before});
    EXPECT_EQ(scene.Try(), result);
    SeedStepsLines all{"SETNX k " + scene.Instant(kSeedStepsLease + 1ms), "GET k",
                       "GETSET k " + scene.Instant(kSeedStepsLease + 1ms)};
    all.resize(commands);
    EXPECT_EQ(scene.sent, all);
  }
}

TEST(SetnxGetsetExpired, TheBlockingFormNeverReadsTheValue) {
  SeedStepsScene scene("setnx-getset-expired", {NumberSeedSteps(0), NumberSeedSteps(0)},
                       {{"form", "blocking"}});
  EXPECT_EQ(scene.Try(), "busy");
  EXPECT_EQ(scene.Try(), "busy");
  EXPECT_EQ(scene.sent, SeedStepsLines(2, "SETNX k " + scene.Instant(kSeedStepsLease + 1ms)));
}

TEST(SetnxGetsetExpired, AReleaseDeletesAnyValueThatHasNotExpired) {
  const std::string past = SeedStepsScene("setnx-getset-expired").Instant(-1ms);
  const std::string now = SeedStepsScene("setnx-getset-expired").Instant(0ms);
  const struct {
    CallResult seen;
    ReleaseResult result;
    SeedStepsLines sent;
  } cases[] = {
      {Text(now), ReleaseResult::kFreed, {"GET k", "DEL k"}},
      {Text(past), ReleaseResult::kNotOwner, {"GET k"}},
      {Nil(), ReleaseResult::kNotOwner, {"GET k"}},
      {NoReply(), ReleaseResult::kUnknown, {"GET k"}},
  };
  for (const auto& [seen, result, sent] : cases) {
    SeedStepsScene scene("setnx-getset-expired", {seen, NumberSeedSteps(1)});
    EXPECT_EQ(scene.Release(), result);
    EXPECT_EQ(scene.sent, sent);
  }
}

// ---- seed 002

TEST(SetnxExpire, TheExpiryIsASecondCommandWhoseReplyIsIgnored) {
  for (const CallResult& answer : {NumberSeedSteps(1), NoReply()}) {
    SeedStepsScene scene("setnx-expire", {NumberSeedSteps(1), answer, NumberSeedSteps(1)});
    EXPECT_EQ(scene.Try(), "granted");
    EXPECT_EQ(scene.sent, (SeedStepsLines{"SETNX k " + scene.last.owner, "PEXPIRE k 300"}));
    EXPECT_EQ(scene.world.steps, std::vector<Step>{Step::kMidAcquire});
    EXPECT_EQ(scene.Release(), ReleaseResult::kFreed);
    EXPECT_EQ(scene.sent.back(), "DEL k");
  }
  SeedStepsScene taken("setnx-expire", {NumberSeedSteps(0)});
  EXPECT_EQ(taken.Try(), "busy");
  EXPECT_EQ(taken.sent.size(), 1u) << "another's expiry is left alone";
}

TEST(SetNxPxGetDel, DeletesAKeyWhoseValueWasItsOwnerText) {
  SeedStepsScene scene("set-nx-px-get-del", {Text("OK")});
  EXPECT_EQ(scene.Try(), "granted");
  EXPECT_EQ(scene.sent, SeedStepsLines{"SET k " + scene.last.owner + " NX PX 300"});
  scene.sent.clear();
  scene.answers = {Text("another's")};
  EXPECT_EQ(scene.Release(), ReleaseResult::kNotOwner);
  EXPECT_EQ(scene.sent, SeedStepsLines{"GET k"});
  scene.answers = {Text(scene.last.owner), NumberSeedSteps(1)};
  EXPECT_EQ(scene.Release(), ReleaseResult::kFreed);
  EXPECT_EQ(scene.sent, (SeedStepsLines{"GET k", "GET k", "DEL k"}));
  EXPECT_EQ(scene.world.steps, std::vector<Step>{Step::kMidRelease}) << "between the two";
}

TEST(SetNxPxReentrant, OnlyTheOutermostEntryAndExitAreSent) {
  SeedStepsScene scene("set-nx-px-reentrant", {Text("OK"), NumberSeedSteps(1)});
  EXPECT_EQ(scene.Try(), "granted");
  const Grant outer = scene.last;
  scene.world.Advance(kSeedStepsLease * 2);  // the marker stays, although the lease has ended
  EXPECT_EQ(scene.Try(), "granted");
  EXPECT_EQ(scene.last.valid_until, outer.valid_until) << "no lease of its own";
  EXPECT_EQ(scene.Release(), ReleaseResult::kReleased);
  EXPECT_EQ(scene.sent.size(), 1u);
  scene.last = outer;
  EXPECT_EQ(scene.Release(), ReleaseResult::kReleased);
  EXPECT_EQ(scene.sent, (SeedStepsLines{"SET k " + outer.owner + " NX PX 300", "script"}));
}

}  // namespace
}  // namespace doublehold
