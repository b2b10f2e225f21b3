// Compares who may have the lock, as the checkers derive it, with every order of the events.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "checker/evidence/evidence.h"
#include "checker/testing/ascii_history.h"
#include "checker/testing/oracle/claim_trials.h"
#include "checker/testing/oracle/possession.h"
#include "lib/testing/trials.h"

namespace doublehold::brute {
namespace {

bool MayHave(const Evidence& evidence, const SessionId& session, int64_t at_ns) {
  const auto of_key = evidence.possessions().find(0);
  return of_key != evidence.possessions().end() &&
         of_key->second.Meets(session.client, {at_ns, at_ns});
}

TEST(PossessionTrials, AReEntryAfterAnotherHasAskedMayKeepTheFirstEntry) {
  const History history = FromLanes(R"(
      c1:  A-a===A-aR-r
      c2:     A--------------a=R-r)",
                                    {.lease = 6ms, .asked_lease = 6ms});
  const Evidence evidence(history);
  EXPECT_TRUE(MayHave(evidence, {.client = 1}, 12'000'000));
  EXPECT_FALSE(MayHave(evidence, {.client = 1}, 22'000'000));
}

// In these histories no fault disturbs the service.
TEST(PossessionTrials, WhoeverHasTheLockInSomeOrderMayHaveItOnRandomHistories) {
  const int64_t histories = TrialSetting("DOUBLEHOLD_TRIALS", NumTrials(20'000));
  Prng prng(static_cast<uint64_t>(TrialSetting("DOUBLEHOLD_SEED", 20261129)), "possession");
  const Dice dice{prng};
  int64_t had = 0, may = 0;
  for (int64_t i = 0; i < histories; ++i) {
    const RunOptions options = DrawPossessionOptions(dice);
    const History history = RandomRun(dice, options);
    const int64_t end = history.events.empty() ? 0 : history.events.back().at_ns;
    const SessionId session{.client = static_cast<int32_t>(1 + dice.Below(history.facts.clients))};
    const int64_t at = dice.Below(end + 2);
    const PossessionOracle oracle(history, options.reentrant);
    if (!oracle.IsShort()) continue;
    const bool has = oracle.SomeOrderLets(session, at);
    const Evidence evidence(history);
    const bool may_have = MayHave(evidence, session, at);
    had += has ? 1 : 0;
    may += may_have ? 1 : 0;
    ASSERT_LE(has, may_have) << fmt::format("history {}: client {} can have the lock at {}\n", i,
                                            session.client, at)
                             << AsJsonl(history);
  }
  RecordProperty("counts", fmt::format("{} had it, {} may have had it", had, may));
  EXPECT_GT(had, histories / 5);
  EXPECT_LT(had, histories * 4 / 5);
  EXPECT_LT(may, had * 5 / 4);
}

}  // namespace
}  // namespace doublehold::brute
