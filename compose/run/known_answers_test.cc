// Runs the experiments with known answers on real servers. Each experiment has its own expectations
// for each claim. These tests also check the details that distinguish a case from the others.
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string_view>

#include "compose/os/run_folder.h"
#include "compose/testing/program.h"
#include "lib/base/paths.h"
#include "lib/locks/registry.h"
#include "lib/testing/trials.h"

namespace doublehold {
namespace {

struct KnownAnswersOutcome {
  Finished finished;
  nlohmann::json verdict;
  History history;
};

KnownAnswersOutcome RunOne(const std::vector<std::string>& words) {
  const TestFolder folder;
  std::vector<std::string> command{"run"};
  command.insert(command.end(), words.begin(), words.end());
  command.insert(command.end(), {"--into", folder.path().string()});
  KnownAnswersOutcome outcome{.finished = RunProgram(command),
                              .verdict = ReadJson(folder.path() / "verdict.json"),
                              .history = {}};
  if (Result<History> history = ReadHistory(folder.path())) outcome.history = std::move(*history);
  return outcome;
}

KnownAnswersOutcome RunKnown(const std::string& name,
                             const std::vector<std::string>& changed = {}) {
  std::vector<std::string> words{SourceDir() + "/compose/testdata/known/" + name + ".toml"};
  words.insert(words.end(), changed.begin(), changed.end());
  return RunOne(words);
}

// Whether a violation of the claim is between these two clients, in either order.
bool IsBetween(const nlohmann::json& verdict, const std::string& claim, int a, int b) {
  const nlohmann::json judged = FindClaimJson(verdict, claim);
  for (const nlohmann::json& violation : judged.at("violations")) {
    if (violation.at("first").is_null() || violation.at("second").is_null()) continue;
    const int first = violation["first"]["client"];
    const int second = violation["second"]["client"];
    if ((first == a && second == b) || (first == b && second == a)) return true;
  }
  return false;
}

std::string FindOutcome(const nlohmann::json& verdict, const std::string& claim) {
  return FindClaimJson(verdict, claim).at("outcome");
}

void ExpectAsExpectedKnownAnswers(const KnownAnswersOutcome& outcome) {
  ASSERT_EQ(outcome.finished.exit_code, 0) << outcome.finished.out << outcome.finished.err;
}

// Expects that a stock of 1 is sold twice: two orders, one too many.
void ExpectOversoldByOne(const KnownAnswersOutcome& outcome) {
  ExpectAsExpectedKnownAnswers(outcome);
  EXPECT_EQ(FindClaimJson(outcome.verdict, "stock").at("count"), 1);
  EXPECT_EQ(outcome.verdict.at("orders"), 2);
  EXPECT_TRUE(IsBetween(outcome.verdict, "exclusion", 1, 2));
}

TEST(KnownAnswers, K03_AReleaseWithoutOwnerCheckFreesTheNextHoldersLock) {
  const KnownAnswersOutcome outcome = RunKnown("k03");
  ExpectAsExpectedKnownAnswers(outcome);
  EXPECT_TRUE(IsBetween(outcome.verdict, "exclusion", 1, 2));
  EXPECT_TRUE(IsBetween(outcome.verdict, "lease-exclusion", 2, 3));
}

TEST(KnownAnswers, K08_AClientWhoseClockIsAheadTakesOverAValidLock) {
  const KnownAnswersOutcome outcome = RunKnown("k08");
  ExpectAsExpectedKnownAnswers(outcome);
  EXPECT_TRUE(IsBetween(outcome.verdict, "lease-exclusion", 1, 2));
}

TEST(KnownAnswers, K14_AHolderStoppedPastItsLeaseOversells) {
  ExpectOversoldByOne(RunKnown("k14"));
}

// The source's lease of 30 s, in 8 s.
TEST(KnownAnswers, K14_InFastTimeHasTheSameOutcome) {
  const auto begun = std::chrono::steady_clock::now();
  ExpectOversoldByOne(RunKnown("k14", {"--speed", "10", "--lease", "30s", "--duration", "80s",
                                       "--set", "workload.think=1s"}));
  EXPECT_LT((std::chrono::steady_clock::now() - begun) * 2, 80s) << "it ran in real time";
}

TEST(KnownAnswers, K15_AWriteHeldOnTheWirePastTheLeaseOversells) {
  ExpectOversoldByOne(RunKnown("k15"));
}

TEST(KnownAnswers, K16_ALostReplyToAnAcquireBlocksTheLockForOneLease) {
  const KnownAnswersOutcome outcome = RunKnown("k16");
  ExpectAsExpectedKnownAnswers(outcome);
  // Client 1's first attempt is executed, but its outcome is unknown. Nothing is granted to client
  // 2 before the lease of that attempt has expired.
  std::optional<int64_t> invoked_ns;
  std::optional<int64_t> granted_ns;
  bool unknown = false;
  for (const Event& event : outcome.history.events) {
    if (event.op != Op::kAcquire) continue;
    if (event.client == 1 && event.type == EventType::kInvoke && !invoked_ns)
      invoked_ns = event.at_ns;
    if (event.client == 1 && event.type == EventType::kInfo) unknown = true;
    if (event.type == EventType::kOk && !granted_ns) granted_ns = event.at_ns;
  }
  EXPECT_TRUE(unknown);
  ASSERT_TRUE(invoked_ns && granted_ns);
  EXPECT_GE(*granted_ns - *invoked_ns, ToNs(outcome.history.facts.lease));
}

TEST(KnownAnswers, K17_AServerWhoseClockJumpsPastTheLeaseGrantsTheLockTwice) {
  for (const char* name : {"k17-set-nx-px", "k17-redisson"}) {
    const KnownAnswersOutcome outcome = RunKnown(name);
    ExpectAsExpectedKnownAnswers(outcome);
    EXPECT_TRUE(IsBetween(outcome.verdict, "lease-exclusion", 1, 2)) << name;
  }
}

// The outcome of a client's first attempt, the time of its first grant, and the time of its first
// release. A time is -1 if there is none.
struct Firsts {
  EventType acquire = EventType::kInvoke;
  int64_t granted_ns = -1;
  int64_t release_ns = -1;
};
Firsts FindFirsts(const History& history, int client) {
  Firsts firsts;
  for (const Event& event : history.events) {
    if (event.client != client) continue;
    const bool invoked = event.type == EventType::kInvoke;
    if (event.op == Op::kRelease && invoked && firsts.release_ns < 0)
      firsts.release_ns = event.at_ns;
    if (event.op != Op::kAcquire || invoked) continue;
    if (firsts.acquire == EventType::kInvoke) firsts.acquire = event.type;
    if (event.type == EventType::kOk && firsts.granted_ns < 0) firsts.granted_ns = event.at_ns;
  }
  return firsts;
}

TEST(KnownAnswers, K18_AServerThatRestartsWithoutItsDataGrantsTheLockTwice) {
  const KnownAnswersOutcome outcome = RunKnown("k18");
  ExpectAsExpectedKnownAnswers(outcome);
  EXPECT_TRUE(IsBetween(outcome.verdict, "lease-exclusion", 1, 2));
}

TEST(KnownAnswers, K18_AServerThatRestartsWithItsLogGrantsTheLockOnce) {
  ExpectAsExpectedKnownAnswers(RunKnown("k18-log"));
}

TEST(KnownAnswers, K21_AnAcquireThatIsSentTwiceLeavesTheLockHeldForALeaseAfterTheRelease) {
  const KnownAnswersOutcome outcome = RunKnown("k21");
  ExpectAsExpectedKnownAnswers(outcome);
  const Firsts a = FindFirsts(outcome.history, 1);
  const Firsts b = FindFirsts(outcome.history, 2);
  EXPECT_EQ(a.acquire, EventType::kOk) << "the second reply came";
  EXPECT_EQ(b.acquire, EventType::kFail);
  ASSERT_GE(a.release_ns, 0);
  constexpr int64_t kNodeCountsInNs = 1'000'000;
  EXPECT_GE(b.granted_ns - a.release_ns, ToNs(outcome.history.facts.lease) - kNodeCountsInNs);
}

TEST(KnownAnswers, K21_AnAcquireThatIsSentOnceLeavesTheLockFreeAfterTheRelease) {
  const KnownAnswersOutcome outcome = RunKnown("k21", {"--set", "lock.resend=false"});
  ExpectAsExpectedKnownAnswers(outcome);
  EXPECT_EQ(FindFirsts(outcome.history, 1).acquire, EventType::kInfo) << "it cannot know";
  EXPECT_EQ(FindFirsts(outcome.history, 2).acquire, EventType::kOk);
}

TEST(KnownAnswers, K22_AHolderThatDoesNotRetryItsRenewalLosesItsLock) {
  const KnownAnswersOutcome outcome = RunKnown("k22");
  ExpectAsExpectedKnownAnswers(outcome);
  EXPECT_TRUE(IsBetween(outcome.verdict, "exclusion", 1, 2));
}

TEST(KnownAnswers, K22_AHolderThatRetriesItsRenewalKeepsItsLock) {
  const KnownAnswersOutcome outcome =
      RunKnown("k22", {"--set", "lock.renew-once=false", "--set", "expect.exclusion=valid", "--set",
                       "expect.stock=valid"});
  ExpectAsExpectedKnownAnswers(outcome);
}

TEST(KnownAnswers, K22_InFastTimeHasTheSameOutcomes) {
  if (!RunsAllTrials()) GTEST_SKIP() << kVariation;
  const std::vector<std::string> fast{"--speed", "10", "--lease", "30s", "--duration", "90s"};
  ExpectAsExpectedKnownAnswers(RunKnown("k22", fast));
  std::vector<std::string> retries = fast;
  retries.insert(retries.end(),
                 {"--set", "lock.renew-once=false", "--set", "expect.exclusion=valid"});
  ExpectAsExpectedKnownAnswers(RunKnown("k22", retries));
}

TEST(KnownAnswers, K24_AQuorumDoesNotHelpAHolderThatIsStopped) {
  ExpectOversoldByOne(RunKnown("k24"));
}

TEST(KnownAnswers, K25_OneNodesClockJumpBreaksABareMajority) {
  const KnownAnswersOutcome outcome = RunKnown("k25");
  ExpectAsExpectedKnownAnswers(outcome);
  EXPECT_TRUE(IsBetween(outcome.verdict, "lease-exclusion", 1, 2));
}

TEST(KnownAnswers, K26_ANodeThatLosesItsKeysBreaksABareMajority) {
  const KnownAnswersOutcome outcome = RunKnown("k26");
  ExpectAsExpectedKnownAnswers(outcome);
  EXPECT_TRUE(IsBetween(outcome.verdict, "lease-exclusion", 1, 2));
}

TEST(KnownAnswers, K26_ANodeKeptDownForMoreThanTheLeaseBreaksNothing) {
  ExpectAsExpectedKnownAnswers(RunKnown("k26-kept-out"));
}

// Returns the tokens of a client's grants, in order.
std::vector<int64_t> ListTokens(const History& history, int client) {
  std::vector<int64_t> tokens;
  for (const Event& event : history.events) {
    if (event.client == client && event.op == Op::kAcquire && event.type == EventType::kOk)
      tokens.push_back(event.value[1]);
  }
  return tokens;
}

TEST(KnownAnswers, K34_TheStoreRefusesALowerToken) {
  const KnownAnswersOutcome outcome = RunKnown("k34");
  ExpectAsExpectedKnownAnswers(outcome);
  ASSERT_FALSE(ListTokens(outcome.history, 2).empty());
  EXPECT_EQ(ListTokens(outcome.history, 1).at(0), 2);
  EXPECT_EQ(ListTokens(outcome.history, 2).at(0), 1);
}

TEST(KnownAnswers, K34_ATokenThatIsIssuedTwiceOversells) {
  const KnownAnswersOutcome outcome = RunKnown("k34-equal");
  ExpectOversoldByOne(outcome);
  EXPECT_EQ(ListTokens(outcome.history, 1).at(0), 1);
  EXPECT_EQ(ListTokens(outcome.history, 2).at(0), 1);
}

TEST(KnownAnswers, K37_ContentionAloneCanLeaveABareMajority) {
  if (!RunsAllTrials()) GTEST_SKIP() << kVariation;
  const KnownAnswersOutcome outcome = RunKnown("k37");
  ExpectAsExpectedKnownAnswers(outcome);
  EXPECT_TRUE(IsBetween(outcome.verdict, "lease-exclusion", 1, 3));
}

// In `make test`, one lock that polls, one that is woken up, and one on several nodes.
TEST(KnownAnswers, C03_WithoutAFaultEveryRealLockIsClean) {
  const std::set<std::string_view> first{"set-nx-px", "redisson", "redlock"};
  for (const LockEntry& lock : Locks()) {
    if (lock.name == "none" || lock.service != kRedisService) continue;
    if (!first.contains(lock.name) && !RunsAllTrials()) continue;
    SCOPED_TRACE(lock.name);
    const KnownAnswersOutcome outcome =
        RunOne({"--lock", std::string(lock.name), "--duration", "500ms"});
    EXPECT_EQ(outcome.finished.exit_code, 0) << outcome.finished.out << outcome.finished.err;
    EXPECT_EQ(outcome.verdict.at("overall"), "valid");
  }
}

TEST(KnownAnswers, C04_WithoutALockTheWorkloadOversells) {
  const KnownAnswersOutcome outcome = RunOne({"--lock", "none", "--duration", "1s"});
  EXPECT_EQ(outcome.finished.exit_code, 1) << outcome.finished.out << outcome.finished.err;
  EXPECT_EQ(FindOutcome(outcome.verdict, "stock"), "violated");
}

}  // namespace
}  // namespace doublehold
