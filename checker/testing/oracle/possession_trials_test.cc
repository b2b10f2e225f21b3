// Compares who may have the lock, as the checkers derive it, with every order of the events.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

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

TEST(PossessionOracle, AReEntryAfterAnotherHasAskedMayKeepTheFirstEntry) {
  const History history = FromLanes(R"(
      c1:  A-a===A-aR-r
      c2:     A--------------a=R-r)",
                                    {.lease = 6ms, .asked_lease = 6ms});
  const Evidence evidence(history);
  EXPECT_TRUE(MayHave(evidence, {.client = 1}, 12'000'000));
  EXPECT_FALSE(MayHave(evidence, {.client = 1}, 22'000'000));
}

// In these histories no fault disturbs the service.
class PossessionTrials : public testing::Test {
 protected:
  // Calls `judge` with the evidence and the oracle of a random history, a session and a time.
  template <typename Judge>
  static void OnRandomHistories(std::string_view stream, const Judge& judge) {
    const int64_t histories = TrialSetting("DOUBLEHOLD_TRIALS", NumTrials(20'000));
    Prng prng(static_cast<uint64_t>(TrialSetting("DOUBLEHOLD_SEED", 20261129)), stream);
    const Dice dice{prng};
    for (int64_t i = 0; i < histories; ++i) {
      const RunOptions options = DrawPossessionOptions(dice);
      const History history = RandomRun(dice, options);
      const int64_t end = history.events.empty() ? 0 : history.events.back().at_ns;
      const SessionId session{.client =
                                  static_cast<int32_t>(1 + dice.Below(history.facts.clients))};
      const int64_t at = dice.Below(end + 2);
      const PossessionOracle oracle(history, options.reentrant);
      if (!oracle.IsShort()) continue;
      judge(Evidence(history), oracle, session, at);
      if (testing::Test::HasFailure())
        FAIL() << fmt::format("history {}: client {} at {}\n", i, session.client, at)
               << AsJsonl(history);
    }
  }
};

TEST_F(PossessionTrials, WhoeverHasTheLockInSomeOrderMayHaveItOnRandomHistories) {
  int64_t all = 0, had = 0, may = 0;
  OnRandomHistories("possession", [&](const Evidence& evidence, const PossessionOracle& oracle,
                                      const SessionId& session, int64_t at) {
    const bool has = oracle.SomeOrderLets(session, at);
    const bool may_have = MayHave(evidence, session, at);
    ++all;
    had += has ? 1 : 0;
    may += may_have ? 1 : 0;
    EXPECT_LE(has, may_have);
  });
  RecordProperty("counts", fmt::format("{} had it, {} may have had it", had, may));
  EXPECT_GT(had, all / 5);
  EXPECT_LT(had, all * 4 / 5);
  EXPECT_LT(may, had * 5 / 4);
}

TEST_F(PossessionTrials, WhoeverMustHaveTheLockHasItInEveryOrderOnRandomHistories) {
  int64_t all = 0, must = 0, always = 0;
  OnRandomHistories("must-have", [&](const Evidence& evidence, const PossessionOracle& oracle,
                                     const SessionId& session, int64_t at) {
    const bool must_have = evidence.must_have().Throughout(0, session, {at, at});
    const bool has = !oracle.SomeOrderDenies(session, at) && oracle.SomeOrderLets(session, at);
    ++all;
    must += must_have ? 1 : 0;
    always += has ? 1 : 0;
    EXPECT_LE(must_have, has);
    const std::vector<Span> spans = evidence.must_have().Spans(0, session, {0, kForeverNs});
    EXPECT_EQ(must_have, std::ranges::any_of(spans, [at](const Span& span) {
                return span.from_ns < at && at < span.to_ns;
              }));
  });
  RecordProperty("counts", fmt::format("{} always had it, {} must have had it", always, must));
  EXPECT_GT(must, all / 20);
  EXPECT_GT(must, always / 2);
}

}  // namespace
}  // namespace doublehold::brute
