// The locks of seeds 000, 002 and 004, command by command: what each sends, in which order, and what it makes of the answers.
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
using Lines = std::vector<std::string>;

constexpr Lease kLease = 300ms;
const LockKey kKey{.name = "k"};

CallResult Number(int64_t number) {
  return Reply{.kind = Reply::Kind::kInteger, .integer = number};
}
CallResult Text(std::string text) {
  return Reply{.kind = Reply::Kind::kString, .text = std::move(text)};
}
CallResult Nil() { return Reply{}; }
CallResult NoReply() {
  return tl::unexpected(CallFailure{.definite = false, .message = "no reply"});
}

struct Scene {
  explicit Scene(const std::string& lock, std::deque<CallResult> given = {},
                 const std::map<std::string, std::string>& options_given = {})
      : answers(std::move(given)),
        options(*CompleteOptions(lock, FindLock(lock)->options, options_given, kLease)) {
    world.answer = [this](NodeId, const Lines& words) {
      const bool is_script = words[0].starts_with("EVAL");
      sent.push_back(is_script ? "script" : fmt::format("{}", fmt::join(words, " ")));
      if (answers.empty()) return CallResult(tl::unexpected(CallFailure{.message = "no answer"}));
      const CallResult answer = answers.front();
      answers.pop_front();
      return answer;
    };
    variant = FindLock(lock)->make(
        {.env = env, .client = 1, .seed = 1, .lease = kLease, .options = Options(options)});
  }
  // How it ended: "granted", "busy" or "unknown".
  std::string Try() {
    const AcquireResult result = variant->TryAcquire(kKey, kLease, world.now + 1s);
    if (const auto* granted = std::get_if<Granted>(&result)) last = granted->grant;
    if (std::holds_alternative<Granted>(result)) return "granted";
    return std::holds_alternative<Busy>(result) ? "busy" : "unknown";
  }
  ReleaseResult Release() { return variant->Release(last, world.now + 1s); }
  // The wall clock of the client, so much later, as it would stand in a value.
  std::string Instant(Duration later) {
    return std::to_string(ToMs(env.Wall()) + later / std::chrono::milliseconds(1));
  }

  World world;
  FakeEnv env{world};
  std::deque<CallResult> answers;
  std::map<std::string, std::string> options;
  Lines sent;
  std::unique_ptr<Lock> variant;
  Grant last{.key = kKey};
};

// ---- seed 000

TEST(SetnxGetset, AFreeKeyIsTakenAndGivenADay) {
  Scene scene("setnx-getset", {Number(1), Number(1), Number(1)});
  EXPECT_EQ(scene.Try(), "granted");
  EXPECT_EQ(scene.sent, (Lines{"SETNX k " + scene.Instant(kLease), "EXPIRE k 86400"}));
  EXPECT_EQ(scene.world.steps, std::vector<Step>{Step::kMidAcquire}) << "between the two";
  EXPECT_EQ(scene.Release(), ReleaseResult::kFreed);
  EXPECT_EQ(scene.sent.back(), "DEL k");
}

TEST(SetnxGetset, AKeyWhoseInstantIsPastIsWonIfGetsetReturnsWhatGetShowed) {
  const std::string now = Scene("setnx-getset").Instant(0ms);
  const std::string later = Scene("setnx-getset").Instant(1ms);
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
    Scene scene("setnx-getset", {Number(0), seen, before, Number(1)});
    EXPECT_EQ(scene.Try(), result);
    Lines all{"SETNX k " + scene.Instant(kLease), "GET k", "GETSET k " + scene.Instant(kLease),
              "EXPIRE k 86400"};
    all.resize(commands);
    EXPECT_EQ(scene.sent, all);
  }
}

TEST(SetnxGetset, GetIsTriedThreeTimes) {
  Scene twice("setnx-getset", {Number(0), NoReply(), NoReply(), Text("1000"), Text("1000")});
  EXPECT_EQ(twice.Try(), "granted");
  Scene thrice("setnx-getset", {Number(0), NoReply(), NoReply(), NoReply(), Text("1000")});
  EXPECT_EQ(thrice.Try(), "busy");
  EXPECT_EQ(thrice.sent.size(), 4u);
}

TEST(SetnxGetset, WhoGivesUpReleasesWithTheOptionAlone) {
  for (const bool releases : {true, false}) {
    Scene scene("setnx-getset", {Number(1)}, {{"finally-releases", releases ? "true" : "false"}});
    (void)scene.variant->GiveUp(kKey, scene.world.now + 1s);
    EXPECT_EQ(scene.sent, releases ? Lines{"DEL k"} : Lines{});
  }
}

// ---- seed 004

TEST(SetnxGetsetExpired, AFreeKeyIsTakenForAMillisecondMoreAndNeverExpires) {
  Scene scene("setnx-getset-expired", {Number(1)});
  EXPECT_EQ(scene.Try(), "granted");
  EXPECT_EQ(scene.sent, Lines{"SETNX k " + scene.Instant(kLease + 1ms)});
}

TEST(SetnxGetsetExpired, AKeyWhoseInstantIsPastIsWonIfWhatGetsetReturnsIsPastToo) {
  const std::string past = Scene("setnx-getset-expired").Instant(-1ms);
  const std::string now = Scene("setnx-getset-expired").Instant(0ms);
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
    Scene scene("setnx-getset-expired", {Number(0), seen, before});
    EXPECT_EQ(scene.Try(), result);
    Lines all{"SETNX k " + scene.Instant(kLease + 1ms), "GET k",
              "GETSET k " + scene.Instant(kLease + 1ms)};
    all.resize(commands);
    EXPECT_EQ(scene.sent, all);
  }
}

TEST(SetnxGetsetExpired, ItsBlockingFormNeverLooksAtTheValue) {
  Scene scene("setnx-getset-expired", {Number(0), Number(0)}, {{"form", "blocking"}});
  EXPECT_EQ(scene.Try(), "busy");
  EXPECT_EQ(scene.Try(), "busy");
  EXPECT_EQ(scene.sent, Lines(2, "SETNX k " + scene.Instant(kLease + 1ms)));
}

TEST(SetnxGetsetExpired, AReleaseDeletesWhateverIsNotPast) {
  const std::string past = Scene("setnx-getset-expired").Instant(-1ms);
  const std::string now = Scene("setnx-getset-expired").Instant(0ms);
  const struct {
    CallResult seen;
    ReleaseResult result;
    Lines sent;
  } cases[] = {
      {Text(now), ReleaseResult::kFreed, {"GET k", "DEL k"}},
      {Text(past), ReleaseResult::kNotOwner, {"GET k"}},
      {Nil(), ReleaseResult::kNotOwner, {"GET k"}},
      {NoReply(), ReleaseResult::kUnknown, {"GET k"}},
  };
  for (const auto& [seen, result, sent] : cases) {
    Scene scene("setnx-getset-expired", {seen, Number(1)});
    EXPECT_EQ(scene.Release(), result);
    EXPECT_EQ(scene.sent, sent);
  }
}

// ---- seed 002

TEST(SetnxExpire, TheExpiryIsASecondCommandAndNobodyLooksWhetherItCame) {
  for (const CallResult& answer : {Number(1), NoReply()}) {
    Scene scene("setnx-expire", {Number(1), answer, Number(1)});
    EXPECT_EQ(scene.Try(), "granted");
    EXPECT_EQ(scene.sent, (Lines{"SETNX k " + scene.last.owner, "PEXPIRE k 300"}));
    EXPECT_EQ(scene.world.steps, std::vector<Step>{Step::kMidAcquire});
    EXPECT_EQ(scene.Release(), ReleaseResult::kFreed);
    EXPECT_EQ(scene.sent.back(), "DEL k");
  }
  Scene taken("setnx-expire", {Number(0)});
  EXPECT_EQ(taken.Try(), "busy");
  EXPECT_EQ(taken.sent.size(), 1u) << "another's expiry is left alone";
}

TEST(SetNxPxGetDel, DeletesWhatItSawToBeItsOwn) {
  Scene scene("set-nx-px-get-del", {Text("OK")});
  EXPECT_EQ(scene.Try(), "granted");
  EXPECT_EQ(scene.sent, Lines{"SET k " + scene.last.owner + " NX PX 300"});
  scene.sent.clear();
  scene.answers = {Text("another's")};
  EXPECT_EQ(scene.Release(), ReleaseResult::kNotOwner);
  EXPECT_EQ(scene.sent, Lines{"GET k"});
  scene.answers = {Text(scene.last.owner), Number(1)};
  EXPECT_EQ(scene.Release(), ReleaseResult::kFreed);
  EXPECT_EQ(scene.sent, (Lines{"GET k", "GET k", "DEL k"}));
  EXPECT_EQ(scene.world.steps, std::vector<Step>{Step::kMidRelease}) << "between the two";
}

TEST(SetNxPxReentrant, OnlyTheOutermostEntryAndItsExitAreSent) {
  Scene scene("set-nx-px-reentrant", {Text("OK"), Number(1)});
  EXPECT_EQ(scene.Try(), "granted");
  const Grant outer = scene.last;
  scene.world.Advance(kLease * 2);  // the marker alone counts
  EXPECT_EQ(scene.Try(), "granted");
  EXPECT_EQ(scene.last.valid_until, outer.valid_until) << "no lease of its own";
  EXPECT_EQ(scene.Release(), ReleaseResult::kReleased);
  EXPECT_EQ(scene.sent.size(), 1u);
  scene.last = outer;
  EXPECT_EQ(scene.Release(), ReleaseResult::kReleased);
  EXPECT_EQ(scene.sent, (Lines{"SET k " + outer.owner + " NX PX 300", "script"}));
}

}  // namespace
}  // namespace doublehold
