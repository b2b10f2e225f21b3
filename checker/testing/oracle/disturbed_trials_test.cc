// Judges random runs of a correct service that faults really disturb: held, lost and doubled
// messages, killed clients and servers, removed keys, older data, moved clocks. No claim on the
// service is violated, who must have the lock has it, and who has it may have it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>

#include "checker/evidence/evidence.h"
#include "checker/testing/oracle/claim_trials.h"
#include "checker/testing/oracle/random_run.h"
#include "checker/verdict/checker.h"
#include "lib/testing/trials.h"

namespace doublehold::brute {
namespace {

RunOptions DrawDisturbedOptions(const Dice& dice) {
  RunOptions options{.lease = dice.Chance(50) ? 10 + dice.Below(30) : 1'000,
                     .grace = dice.Below(6),
                     .traits = LockTraits{LockTrait::kSendsOnce},
                     .max_rounds = 6,
                     .max_stay = 12,
                     .random_validity = dice.Chance(20),
                     .extends = dice.Chance(40),
                     .forgets_release = dice.Chance(20) ? 20 : 0,
                     .leaves = 50,
                     .loses_acquire = 0,
                     .loses_release = 0,
                     .loses_work = 0,
                     .faults = true};
  options.queues = options.fair = dice.Chance(30);
  options.reentrant = !options.fair && dice.Chance(50);
  options.nested = options.reentrant ? 60 : 0;
  options.shared = !options.reentrant && dice.Chance(30) ? 30 : 0;
  if (options.fair) options.traits->Add(LockTrait::kQueue);
  if (options.reentrant) options.traits->Add(LockTrait::kReentry);
  return options;
}

bool Suffers(const History& history, std::initializer_list<std::string_view> kinds) {
  return std::ranges::any_of(history.facts.faults, [&](const FaultFact& fault) {
    return std::ranges::find(kinds, fault.kind) != kinds.end();
  });
}

// A lock that is left twice by one command violates `reentry` (cause `resent`). A client that gave
// up keeps its place in this queue. A server that lost its queue grants in another order.
bool IsJudged(std::string_view claim, const History& history) {
  if (claim == "availability") return !KeepsQueue(history.facts);
  if (claim == "reentry") return !Suffers(history, {"duplicate"});
  return claim != "order" || !Suffers(history, {"flush", "restart"});
}

constexpr std::array<std::string_view, 6> kClaims{"release",       "release-result", "reentry",
                                                  "extend-result", "availability",   "order"};

TEST(DisturbedRuns, FaultsMakeACorrectServiceViolateNoClaim) {
  Prng prng(static_cast<uint64_t>(TrialSetting("DOUBLEHOLD_SEED", 20261129)), "disturbed");
  const Dice dice{prng};
  const int64_t runs = TrialSetting("DOUBLEHOLD_TRIALS", NumTrials(10'000));
  std::map<std::string_view, int64_t> valid;
  for (int64_t run = 0; run < runs; ++run) {
    const History history = RandomRun(dice, DrawDisturbedOptions(dice));
    const Evidence evidence(history);
    for (const std::string_view claim : kClaims) {
      if (!IsJudged(claim, history)) continue;
      const ClaimVerdict verdict = FindChecker(claim)->check(evidence, {});
      valid[claim] += verdict.outcome == Outcome::kValid ? 1 : 0;
      ASSERT_NE(verdict.outcome, Outcome::kViolated)
          << claim << " in run " << run << ": " << verdict.violations.at(0).sentence << "\n"
          << AsJsonl(history);
    }
  }
  for (const std::string_view claim : kClaims) {
    EXPECT_GT(valid[claim], runs / 50) << claim;
    RecordProperty(std::string(claim), std::to_string(valid[claim]));
  }
}

bool Has(const Truth& truth, int64_t at, int32_t client) {
  return (truth[static_cast<size_t>(at)] >> static_cast<uint32_t>(client) & 1U) != 0;
}

TEST(DisturbedRuns, WhoMustHaveTheLockHasItAndWhoHasItMayHaveIt) {
  Prng prng(static_cast<uint64_t>(TrialSetting("DOUBLEHOLD_SEED", 20261129)), "must");
  const Dice dice{prng};
  const int64_t runs = TrialSetting("DOUBLEHOLD_TRIALS", NumTrials(10'000));
  int64_t must = 0, has = 0, may = 0;
  for (int64_t run = 0; run < runs; ++run) {
    Truth truth;
    const History history = RandomRun(dice, DrawDisturbedOptions(dice), &truth);
    const Evidence evidence(history);
    if (!evidence.possessions().contains(0)) continue;  // nobody asked
    const KeyTimeline& possessions = evidence.possessions().at(0);
    const KeyTimeline& copies = evidence.second_copies().at(0);
    // must_have.h assumes that messages arrive once.
    const bool once = !Suffers(history, {"duplicate"});
    for (int64_t at = 0; at < static_cast<int64_t>(truth.size()); at += 1 + dice.Below(8)) {
      const Span now{at, at};
      // A clock that is set back returns a lock whose lease was over.
      const bool returned = evidence.disturbed().MayReturnKeys({0, at}) ||
                            evidence.disturbed().MayMoveClocks({0, at});
      for (int32_t client = 1; client <= history.facts.clients; ++client) {
        const bool has_it = Has(truth, at, client);
        const bool must_have = evidence.must_have().Throughout(0, {.client = client}, now);
        const bool may_have = possessions.Meets(client, now) || copies.Meets(client, now);
        has += has_it ? 1 : 0;
        must += must_have ? 1 : 0;
        may += may_have ? 1 : 0;
        ASSERT_TRUE(has_it || !must_have || !once)
            << "client " << client << " at " << at << " in run " << run << "\n"
            << AsJsonl(history);
        ASSERT_TRUE(may_have || returned || !has_it)
            << "client " << client << " at " << at << " in run " << run << "\n"
            << AsJsonl(history);
      }
    }
  }
  EXPECT_GT(must, has / 4);
  EXPECT_LT(may, has * 2);
  RecordProperty("must", std::to_string(must));
  RecordProperty("has", std::to_string(has));
  RecordProperty("may", std::to_string(may));
}

}  // namespace
}  // namespace doublehold::brute
