// Tests known answers that violate the same claims as other answers. Each test describes a sequence
// of events, and expects the number of executions in which it occurs.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "checker/judge.h"
#include "compose/explore/testing_explore.h"

namespace doublehold {
namespace {

struct Attempt {
  int client = 0;
  int64_t from_ns = 0, to_ns = INT64_MAX;
  EventType outcome = EventType::kInfo;
  int64_t valid_until_ns = 0;

  [[nodiscard]] bool Granted() const { return outcome == EventType::kOk; }
  [[nodiscard]] bool Overlaps(const Attempt& other) const {
    return from_ns < other.to_ns && other.from_ns < to_ns;
  }
};

// Returns the attempts to acquire the lock, sorted by their start.
std::vector<Attempt> ListAttempts(const Execution& execution) {
  std::vector<Attempt> attempts;
  for (const Event& event : execution.history.events) {
    if (event.op != Op::kAcquire || event.client <= 0) continue;
    if (event.type == EventType::kInvoke) {
      attempts.push_back({.client = event.client, .from_ns = event.at_ns});
      continue;
    }
    const auto own =
        std::ranges::find(attempts.rbegin(), attempts.rend(), event.client, &Attempt::client);
    own->to_ns = event.at_ns;
    own->outcome = event.type;
    own->valid_until_ns = event.value[0];
  }
  return attempts;
}

// Returns the number of executions for each set of violated claims.
std::map<std::string, int64_t> CountViolatedSets(const Searched& searched) {
  std::map<std::string, int64_t> sets;
  EachExecution(searched, [&](const Execution& execution) {
    std::string violated;
    for (const ClaimVerdict& claim : Judge(execution.history).claims) {
      if (claim.outcome == Outcome::kViolated)
        violated += (violated.empty() ? "" : " ") + claim.claim;
    }
    ++sets[violated];
  });
  return sets;
}

int64_t CountIf(const Searched& searched, const std::function<bool(const Execution&)>& is_so) {
  int64_t count = 0;
  EachExecution(searched, [&](const Execution& execution) { count += is_so(execution) ? 1 : 0; });
  return count;
}

using Sets = std::map<std::string, int64_t>;

// K07: two clients read the value of the dead client, and both take over the lock.
TEST(KnownStories, K07_TwoClientsTakeOverTheLockOfADeadClient) {
  const auto two_took_over = [](const Execution& execution) {
    const std::vector<Attempt> attempts = ListAttempts(execution);
    for (const Attempt& dead : attempts) {
      for (const Attempt& a : attempts) {
        for (const Attempt& b : attempts) {
          if (a.client < b.client && a.client != dead.client && b.client != dead.client &&
              dead.Granted() && a.Granted() && b.Granted() && a.Overlaps(b) &&
              std::min(a.from_ns, b.from_ns) > dead.valid_until_ns)
            return true;
        }
      }
    }
    return false;
  };
  Searched searched{.faults = {FaultForm::kCrash, FaultForm::kClientClock},
                    .depth = 2,
                    .more = {{"retry.jitter", "0"}},
                    .clients = 3,
                    .most = {1, 1}};
  searched.lock = "setnx-getset-expired";
  EXPECT_EQ(CountIf(searched, two_took_over), 28);
  // This lock grants only if GETSET returns the value that GET returned. So the second client is
  // refused.
  searched.lock = "setnx-getset";
  EXPECT_EQ(CountIf(searched, two_took_over), 0);
}

// K09: a late DEL falls between another client's GET and its GETSET. That client is refused
// although nobody holds the lock.
TEST(KnownStories, K09_ALateReleaseMakesATakeoverFail) {
  const auto refused_a_free_lock = [](const Execution& execution) {
    const std::vector<Attempt> attempts = ListAttempts(execution);
    return std::ranges::any_of(attempts, [&](const Attempt& refused) {
      return refused.outcome == EventType::kFail && refused.from_ns > 0 &&
             std::ranges::all_of(attempts, [&](const Attempt& other) {
               return !other.Granted() || other.valid_until_ns < refused.from_ns ||
                      other.from_ns > refused.to_ns;
             });
    });
  };
  // The retry interval lets the other client retry at about the time when the held DEL arrives.
  Searched searched{.lock = "setnx-getset-expired",
                    .faults = {FaultForm::kHoldRequest},
                    .more = {{"retry.interval", "840200us"}, {"retry.jitter", "0"}},
                    .delays = 1};
  EXPECT_EQ(CountIf(searched, refused_a_free_lock), 17);
  // Without delays, this occurs only when another message is held.
  searched.delays = 0;
  EXPECT_EQ(CountIf(searched, refused_a_free_lock), 1);
}

// K13: a critical section that throws does not remove its reentrancy marker. Because of the marker,
// its thread enters again while another client holds the lock.
TEST(KnownStories, K13_ALeakedMarkerLetsItsThreadEnterBesideAnother) {
  Searched searched{.lock = "set-nx-px-reentrant",
                    .depth = 0,
                    .more = {{"workload.name", "nested"},
                             {"workload.depth", "1"},
                             {"workload.throws", "1"},
                             {"workload.work", "0.9 lease"},
                             {"workload.work-distribution", "fixed"},
                             {"workload.think", "0s"},
                             {"lock.leaky-marker", "true"}},
                    .cycles = 3};
  EXPECT_EQ(CountViolatedSets(searched), (Sets{{"exclusion", 1}}));
  searched.more["lock.leaky-marker"] = "false";
  EXPECT_EQ(CountViolatedSets(searched), (Sets{{"", 1}}));
}

// K29: each client is granted the lock by one of two nodes, so neither has a quorum. Both release
// their node, and are granted the lock later.
TEST(KnownStories, K29_EachClientHasOneOfTwoNodes) {
  const Searched searched{
      .lock = "redlock",
      .depth = 0,
      .more = {{"topology.nodes", "2"}, {"claims", "exclusion,lease-exclusion,key-leak,liveness"}},
      .delays = 2};
  int64_t split = 0;
  EachExecution(searched, [&](const Execution& execution) {
    const std::vector<Attempt> attempts = ListAttempts(execution);
    if (attempts[0].Granted() || attempts[1].Granted()) return;
    ++split;
    for (const int client : {1, 2}) {
      EXPECT_TRUE(std::ranges::any_of(attempts, [&](const Attempt& attempt) {
        return attempt.client == client && attempt.Granted();
      }));
    }
  });
  EXPECT_EQ(split, 61);
  EXPECT_EQ(CountViolatedSets(searched), (Sets{{"", 226}}));
}

// K34: the store refuses a token below the last token. It accepts an equal token, so both clients
// write.
TEST(KnownStories, K34_ATokenIsIssuedTwice) {
  const Searched searched{.lock = "fenced", .faults = {FaultForm::kRestartEmpty}, .cycles = 2};
  EXPECT_EQ(CountViolatedSets(searched),
            (Sets{{"", 4}, {"fencing", 7}, {"exclusion lease-exclusion fencing stock", 6}}));
}

// docs/redisson-format.md: while the queue is not empty, the timeout of every waiter depends on the
// timeout of the first.
TEST(KnownStories, AFairLockBreaksItsOrderIfItsQueueStaysBusyForAWaitingTime) {
  const auto broken = [](int cycles) {
    return Count(ExploreAll({.lock = "redisson-fair",
                             .depth = 0,
                             .more = {{"claims", "order"},
                                      {"workload.name", "queue"},
                                      {"workload.work", "60s"},
                                      {"lock.lease", "100s"},
                                      {"retry.timeout", "3000s"}},
                             .clients = 3,
                             .cycles = cycles}),
                 "order");
  };
  EXPECT_EQ(broken(2), 0) << "all is over before the waiting time of 300 s and the first lease are";
  EXPECT_EQ(broken(3), 1);
}

}  // namespace
}  // namespace doublehold
