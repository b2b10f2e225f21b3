// Tests that the search finds the known answers that need several faults, a certain order, or a
// certain defect. Expects the exact set of claims that any execution violates. If the answer is
// clean, all executions are clean.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "compose/explore/testing_explore.h"
#include "lib/testing/trials.h"

namespace doublehold {
namespace {

struct Answer {
  const char* id;
  Searched searched;
  const char* violated;
  int64_t executions;
};

void PrintTo(const Answer& answer, std::ostream* out) { *out << answer.id; }

class KnownAnswer : public ::testing::TestWithParam<Answer> {};

// These searches take the longest. They repeat another with more nodes, another fault, or none.
bool IsVariation(std::string_view id) {
  return id == "K25-five" || id == "K37-restart" || id == "K37-calm";
}

TEST_P(KnownAnswer, IsFoundWithoutHints) {
  if (IsVariation(GetParam().id) && !RunsAllTrials()) GTEST_SKIP() << kVariation;
  const Explored explored = ExploreAll(GetParam().searched);
  EXPECT_EQ(Violated(explored), GetParam().violated);
  EXPECT_EQ(explored.executions, GetParam().executions);
}

// These tests are not about faults on the store's messages, so clients wait only briefly for the
// store.
SettingTexts WithShortStoreTimeout(SettingTexts more) {
  more.emplace("workload.store-timeout", "0.1 lease");
  return more;
}
const SettingTexts kKnownAnswersThree = WithShortStoreTimeout({{"topology.nodes", "3"}});
const SettingTexts kKnownAnswersFive = WithShortStoreTimeout({{"topology.nodes", "5"}});

const SettingTexts kLongSection = WithShortStoreTimeout({{"workload.work", "1.5 lease"}});
// Clients wait at most for two thirds of a session's timeout, in which the dead connection is
// noticed, and for the section of the other client.
const SettingTexts kWaitsBriefly = WithShortStoreTimeout({{"limits.max-wait", "1.5 lease"}});
SettingTexts WithFlag(const char* flag, SettingTexts more) {
  more.emplace(flag, "true");
  return more;
}
SettingTexts WithWholeSeconds(SettingTexts more) {
  more.emplace("lock.lease", "1s");
  return more;
}
const SettingTexts kEtcdLong = WithWholeSeconds(kLongSection);
// With this seed, clients 1 and 2 read, client 3 writes, and client 4 reads.
SettingTexts ReadAndWritten(SettingTexts more) {
  more.insert({{"workload.name", "catalogue"}, {"workload.writers", "0.3"}, {"seed", "5"}});
  return more;
}
SettingTexts Fenced(SettingTexts more) {
  more.emplace("workload.write", "fenced");
  return more;
}
const std::vector<FaultForm> kMessages{FaultForm::kHoldRequest,  FaultForm::kHoldReply,
                                       FaultForm::kDropRequest,  FaultForm::kDropReply,
                                       FaultForm::kResetRequest, FaultForm::kResetReply,
                                       FaultForm::kHoldNews,     FaultForm::kDropNews};

const std::vector<Answer>& Answers() {
  static const std::vector<Answer> answers{
      {"K19",
       {"set-nx-px",
        {FaultForm::kCutReplication, FaultForm::kFailover},
        2,
        {{"topology.name", "replicated"}}},
       "exclusion lease-exclusion stock",
       171},
      {"K19-no-cut",
       {"set-nx-px", {FaultForm::kFailover}, 2, {{"topology.name", "replicated"}}},
       "",
       58},
      {"K19-redisson",
       {"redisson",
        {FaultForm::kCutReplication, FaultForm::kFailover},
        2,
        {{"topology.name", "replicated"}}},
       "exclusion lease-exclusion stock",
       253},
      {"K19-late",
       {"set-nx-px", {FaultForm::kLateFailover}, 2, {{"topology.name", "replicated"}}},
       "exclusion lease-exclusion stock",
       55},
      {"K19-late-waits",
       {"set-nx-px",
        {FaultForm::kLateFailover},
        2,
        {{"topology.name", "replicated"}, {"lock.wait-replicas", "1"}}},
       "",
       90},
      {"K19-handover",
       {"set-nx-px", {FaultForm::kHandover}, 2, {{"topology.name", "replicated"}}},
       "",
       53},
      {"K19-handover-redisson",
       {"redisson", {FaultForm::kHandover}, 2, {{"topology.name", "replicated"}}},
       "",
       80},
      {"K19-split-brain",
       {"set-nx-px", {FaultForm::kSplitBrain}, 2, {{"topology.name", "replicated"}}},
       "exclusion lease-exclusion stock",
       29},
      {"K19-split-brain-waits",
       {"set-nx-px",
        {FaultForm::kSplitBrain},
        2,
        {{"topology.name", "replicated"}, {"lock.wait-replicas", "1"}}},
       "",
       75},
      {"K19-waits",
       {"set-nx-px",
        {FaultForm::kCutReplication, FaultForm::kFailover},
        2,
        {{"topology.name", "replicated"}, {"lock.wait-replicas", "1"}}},
       "liveness",
       923},
      {"K18-with-data", {"set-nx-px", {FaultForm::kRestartWithData}, 2}, "", 58},
      {"K18-with-data-redisson", {"redisson", {FaultForm::kRestartWithData}, 2}, "", 91},
      {"K25-three",
       {"redlock",
        {FaultForm::kDropRequest, FaultForm::kNodeClock},
        2,
        kKnownAnswersThree,
        2,
        1,
        0,
        {1, 1}},
       "exclusion lease-exclusion stock",
       1555},
      {"K25-five",
       {"redlock",
        {FaultForm::kDropRequest, FaultForm::kNodeClock},
        2,
        kKnownAnswersFive,
        2,
        1,
        0,
        {1, 1}},
       "exclusion lease-exclusion stock",
       3987},
      {"K26-three",
       {"redlock",
        {FaultForm::kDropRequest, FaultForm::kRestartEmpty},
        2,
        kKnownAnswersThree,
        2,
        1,
        0,
        {1, 1}},
       "exclusion lease-exclusion stock",
       1588},
      {"K26-three-kept-out",
       {"redlock",
        {FaultForm::kDropRequest, FaultForm::kRestartEmpty},
        2,
        WithShortStoreTimeout({{"topology.nodes", "3"}, {"lock.restart-delay", "1.5 lease"}}),
        2,
        1,
        0,
        {1, 1}},
       "",
       1360},
      {"K27",
       {"redlock",
        {FaultForm::kDropRequest, FaultForm::kHoldReply},
        2,
        WithShortStoreTimeout({{"topology.nodes", "3"},
                               {"lock.node-timeout", "3 lease"},
                               {"lock.no-validity-check", "true"}}),
        2,
        1,
        0,
        {1, 1}},
       "exclusion stock",
       1339},
      {"K27-checked",
       {"redlock",
        {FaultForm::kDropRequest, FaultForm::kHoldReply},
        2,
        WithShortStoreTimeout({{"topology.nodes", "3"}, {"lock.node-timeout", "3 lease"}}),
        2,
        1,
        0,
        {1, 1}},
       "",
       1459},
      {"K33",
       {"fenced", {FaultForm::kPause}, 2, {{"workload.fence-on", "writes"}}},
       "exclusion stock",
       296},
      {"K33-read-too", {"fenced", {FaultForm::kPause}, 2}, "exclusion", 292},
      {"K37",
       {"redlock", {FaultForm::kNodeClock}, 1, kKnownAnswersFive, 2, 1, 1},
       "exclusion lease-exclusion stock",
       2318},
      {"K37-restart",
       {"redlock", {FaultForm::kRestartEmpty}, 1, kKnownAnswersFive, 2, 1, 1},
       "exclusion lease-exclusion stock",
       2318},
      {"K37-calm", {"redlock", {}, 0, kKnownAnswersFive, 3, 1, 2}, "", 6858},
      {"C02",
       {"redlock", {FaultForm::kNodeCrash, FaultForm::kNodePause}, 1, kKnownAnswersFive, 2, 1, 1},
       "",
       4794},
      // This workload does nothing while it holds the lock. The client is stopped between the check
      // of its lease and its release.
      {"K14-at-once",
       {"set-nx-px", {FaultForm::kPause}, 1, {{"workload.name", "cycle"}}},
       "exclusion",
       9},
      {"K24-at-once",
       {"redlock", {FaultForm::kPause}, 1, {{"topology.nodes", "3"}, {"workload.name", "cycle"}}},
       "exclusion",
       22},
      {"C03-reordered", {"set-nx-px", {}, 0, {}, 3, 2, 2}, "", 230},
      {"drift-node", {"set-nx-px", {FaultForm::kNodeFast}}, "exclusion lease-exclusion stock", 9},
      {"drift-client",
       {"setnx-getset", {FaultForm::kClientFast}},
       "exclusion lease-exclusion release stock",
       31},
      {"drift-client-harmless", {"set-nx-px", {FaultForm::kClientFast}}, "", 25},
      {"news",
       {"redisson",
        {FaultForm::kHoldNews, FaultForm::kDropNews},
        2,
        {{"claims", "exclusion,lease-exclusion,availability,stock,liveness"}},
        3},
       "",
       51},
      {"scripts", {"set-nx-px", {FaultForm::kForgetScripts}, 2}, "", 45},
      {"S01", {"zookeeper", {FaultForm::kPause}}, "exclusion stock", 48},
      {"S01-fenced", {"zookeeper", {FaultForm::kPause}, 1, Fenced({})}, "exclusion", 48},
      // Both the heartbeat and the attempt to connect again are late.
      {"S04", {"zookeeper", {FaultForm::kHoldRequest}, 2, kLongSection}, "exclusion stock", 982},
      {"S04-ignores-session",
       {"zookeeper", {FaultForm::kHoldRequest}, 2, WithFlag("lock.ignores-session", kLongSection)},
       "exclusion lease-exclusion stock",
       730},
      {"S05-no-guid",
       {"zookeeper", {FaultForm::kResetReply}, 1, WithFlag("lock.no-guid", kWaitsBriefly)},
       "max-wait",
       28},
      {"S05", {"zookeeper", {FaultForm::kResetReply}, 1, kWaitsBriefly}, "", 28},
      {"zookeeper-messages", {"zookeeper", kMessages, 1, kLongSection}, "", 261},
      {"zookeeper-data",
       {"zookeeper", {FaultForm::kRestartWithData, FaultForm::kNodePause}, 1, kLongSection},
       "",
       77},
      {"zookeeper-crash", {"zookeeper", {FaultForm::kCrash, FaultForm::kNodeCrash}}, "", 71},
      {"zookeeper-reordered", {"zookeeper", {}, 0, {}, 2, 1, 2}, "", 2837},
      {"zookeeper-read-write",
       {"zookeeper-read-write", {FaultForm::kPause}, 1, ReadAndWritten({}), 4},
       "exclusion torn-read",
       77},
      {"zookeeper-read-write-messages",
       {"zookeeper-read-write", kMessages, 1, ReadAndWritten(kLongSection), 4},
       "",
       643},
      {"S06", {"etcd", {FaultForm::kPause}, 1, kEtcdLong}, "exclusion stock", 56},
      {"S06-fenced", {"etcd", {FaultForm::kPause}, 1, Fenced(kEtcdLong)}, "exclusion", 56},
      {"S06-trusts-dead-lease",
       {"etcd", {FaultForm::kPause}, 1, WithFlag("lock.trusts-dead-lease", kEtcdLong)},
       "exclusion lease-exclusion stock",
       56},
      {"S06-lock-api", {"etcd-lock-api", {FaultForm::kPause}, 1, kEtcdLong}, "exclusion stock", 49},
      {"S08", {"etcd", {}, 0, WithFlag("lock.no-keepalive", kEtcdLong)}, "exclusion stock", 1},
      {"etcd-calm", {"etcd", {}, 0, kEtcdLong}, "", 1},
      {"etcd-messages", {"etcd", kMessages, 1, kEtcdLong}, "", 213},
      {"etcd-lock-api-messages", {"etcd-lock-api", kMessages, 1, kEtcdLong}, "", 175},
      {"etcd-data",
       {"etcd", {FaultForm::kRestartWithData, FaultForm::kNodePause}, 1, kEtcdLong},
       "",
       59},
      // The only server is dead for good. Waiters pause between their attempts to reach it.
      {"etcd-crash",
       {"etcd", {FaultForm::kCrash, FaultForm::kNodeCrash}, 1, kEtcdLong},
       "liveness",
       85},
      // The server ends when a waiter has been told of a deletion. If the waiter tried again and
      // again without a wait, the execution would be cut off.
      {"etcd-ends-after-news",
       {"etcd", {FaultForm::kResetRequest, FaultForm::kNodeCrash}, 2, WithWholeSeconds({})},
       "liveness",
       399},
      {"etcd-reordered", {"etcd", {}, 0, WithWholeSeconds({}), 2, 1, 2}, "", 565},
      {"S09", {"postgres-advisory", {FaultForm::kPause}, 2}, "", 384},
      {"S10",
       {"postgres-advisory", {FaultForm::kRestartWithData}},
       "exclusion lease-exclusion stock",
       9},
      {"postgres-advisory-calm", {"postgres-advisory", {}, 0}, "", 1},
      {"postgres-advisory-messages",
       {"postgres-advisory", kMessages, 1, WithShortStoreTimeout({})},
       "",
       85},
      {"postgres-advisory-crash",
       {"postgres-advisory", {FaultForm::kCrash, FaultForm::kNodePause}},
       "",
       31},
      {"postgres-advisory-reordered", {"postgres-advisory", {}, 0, {}, 2, 1, 2}, "", 46},
      {"S14", {"postgres-lease", {FaultForm::kNodeClock}}, "exclusion lease-exclusion stock", 13},
      {"S14-client-clock",
       {"postgres-lease", {FaultForm::kClientClock}, 1, WithFlag("lock.client-clock", {})},
       "exclusion lease-exclusion stock",
       29},
      {"S14-other-clock",
       {"postgres-lease",
        {FaultForm::kNodeClock, FaultForm::kNodeClockBack},
        1,
        WithFlag("lock.client-clock", {})},
       "",
       25},
      {"postgres-lease-pause", {"postgres-lease", {FaultForm::kPause}}, "exclusion stock", 27},
      {"postgres-lease-fenced",
       {"postgres-lease", {FaultForm::kPause}, 1, Fenced({})},
       "exclusion",
       27},
      {"postgres-lease-calm", {"postgres-lease", {}, 0}, "", 1},
      {"postgres-lease-messages",
       {"postgres-lease", kMessages, 1, WithShortStoreTimeout({})},
       "",
       109},
      {"postgres-lease-data",
       {"postgres-lease", {FaultForm::kRestartWithData, FaultForm::kNodePause}},
       "",
       25},
      {"postgres-lease-empty",
       {"postgres-lease", {FaultForm::kRestartEmpty}},
       "exclusion lease-exclusion fencing stock",
       13},
      {"postgres-lease-reordered", {"postgres-lease", {}, 0, {}, 2, 1, 2}, "", 236},
      {"scripts-redisson", {"redisson", {FaultForm::kForgetScripts}, 2}, "", 71},
      // The script that sells runs twice; the RPUSH of an order does, which no lock prevents.
      {"duplicate-script", {"atomic-script", {FaultForm::kDuplicateRequest}}, "stock", 7},
      {"duplicate-order", {"set-nx-px", {FaultForm::kDuplicateRequest}}, "stock", 15},
      {"partition", {"set-nx-px", {FaultForm::kPartition}, 1, WithShortStoreTimeout({})}, "", 9},
  };
  return answers;
}
INSTANTIATE_TEST_SUITE_P(Each, KnownAnswer, ::testing::ValuesIn(Answers()), [](const auto& answer) {
  std::string name = answer.param.id;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace doublehold
