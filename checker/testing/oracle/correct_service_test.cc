// Judges random runs that have too many steps for an oracle. Without a defect no claim is violated,
// even with late and lost answers. Each planted defect violates its claim in some of the runs.

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "checker/evidence/evidence.h"
#include "checker/testing/oracle/random_run.h"
#include "checker/verdict/checker.h"
#include "lib/testing/trials.h"

namespace doublehold::brute {
namespace {

constexpr int64_t kEndless = 100'000;  // a lease that is longer than any run here
constexpr int64_t kShort = 4;          // a lease that is shorter than many holds

// Replies are lost rarely, because a lost release can leave the key held until its lease ends.
RunOptions MakeLongRunOptions(Work work, int64_t lease) {
  return {.lease = lease,
          .work = work,
          .max_rounds = 12,
          .max_stay = 12,
          .loses_acquire = 3,
          .loses_release = 3,
          .loses_work = 0,
          .counted_from = 3'000};
}

// Draws options without a defect of the service or of its clients. If holds can outlast their
// leases, only the store's token check keeps the data correct. So such runs use tokens.
RunOptions DrawCorrectRunOptions(const Dice& dice) {
  constexpr std::array kWorks{Work::kTokens, Work::kSale, Work::kRecord, Work::kSave};
  const bool leases_suffice = dice.Chance(67);
  const Work work =
      leases_suffice ? kWorks[static_cast<size_t>(dice.Below(kWorks.size()))] : Work::kTokens;
  RunOptions options = MakeLongRunOptions(work, leases_suffice ? kEndless : kShort);
  options.queues = options.fair = dice.Chance(50);
  options.reentrant = !options.fair;
  options.nested = options.reentrant ? 75 : 0;
  options.shared = options.fair && work == Work::kTokens ? 25 : 0;
  // A lost release may take effect late, after its own entry has expired. It then frees another
  // entry of its client.
  if (options.reentrant && !leases_suffice) options.loses_acquire = options.loses_release = 0;
  // Here no lease expires, no acquire is lost and no two entries coexist. So every release frees
  // its own lock, and the service need not check the owner.
  if (options.fair && work != Work::kTokens && dice.Chance(50)) {
    options.checks_owner = false;
    options.loses_acquire = 0;
  }
  return options;
}

std::vector<std::string> ListClaimsToJudge(const RunOptions& options) {
  std::vector<std::string> claims{"release", "release-result", "reentry"};
  if (options.fair) claims.emplace_back("order");
  if (options.work == Work::kTokens) claims.emplace_back("fencing");
  if (options.work == Work::kSale) claims.emplace_back("stock");
  if (options.work == Work::kRecord) claims.emplace_back("torn-read");
  if (options.work == Work::kSave) claims.emplace_back("exactly-once");
  return claims;
}

TEST(LongRandomRuns, ACorrectServiceNeverViolatesAClaim) {
  Prng prng(1, "true");
  const Dice dice{prng};
  std::map<std::string, int64_t> judged, valid;
  const int64_t rounds = NumTrials(8'000);
  for (int64_t round = 0; round < rounds; ++round) {
    const RunOptions options = DrawCorrectRunOptions(dice);
    const History history = RandomRun(dice, options);
    for (const std::string& claim : ListClaimsToJudge(options)) {
      const ClaimVerdict verdict = FindChecker(claim)->check(history, {});
      ++judged[claim];
      valid[claim] += verdict.outcome == Outcome::kValid ? 1 : 0;
      ASSERT_NE(verdict.outcome, Outcome::kViolated)
          << claim << " in round " << round << ": " << verdict.reason << "; "
          << (verdict.violations.empty() ? "" : verdict.violations[0].sentence);
    }
  }
  for (const auto& [claim, count] : judged) {
    EXPECT_GT(valid[claim], count / 8) << claim;
    RecordProperty(claim, std::to_string(valid[claim]) + " of " + std::to_string(count));
  }
}

struct PlantedDefect {
  std::string claim;
  std::string defect;
  Work work = Work::kNothing;
  int64_t lease = kEndless;
  void (*plant)(RunOptions& options);
};

TEST(LongRandomRuns, EveryPlantedDefectViolatesItsClaim) {
  Prng prng(2, "planted");
  const Dice dice{prng};
  const int64_t rounds = NumTrials(1'600);
  const auto enable_reentry = [](RunOptions& options) {
    options.reentrant = true;
    options.nested = 67;
    options.loses_acquire = options.loses_release = 0;
  };
  for (const PlantedDefect& planted : std::vector<PlantedDefect>{
           {"release", "frees any owner's lock", Work::kNothing, kShort,
            [](RunOptions& o) { o.checks_owner = false; }},
           {"fencing", "repeats tokens", Work::kTokens, kEndless,
            [](RunOptions& o) { o.repeats_token = 12; }},
           {"fencing", "accepts stale tokens", Work::kTokens, kShort,
            [](RunOptions& o) { o.checks_token = false; }},
           {"order", "has no queue", Work::kNothing, kEndless,
            [](RunOptions& o) { o.queues = true; }},
           {"reentry", "an inner release frees the lock", Work::kNothing, kEndless,
            [](RunOptions& o) { o.frees_nested = true; }},
           {"reentry", "counts an entry twice", Work::kNothing, kEndless,
            [](RunOptions& o) { o.counts_entry_twice = 33; }},
           {"torn-read", "grants a held lock and tears reads", Work::kRecord, kEndless,
            [](RunOptions& o) {
              o.grants_held_lock = 100;
              o.tears_look = 33;
            }},
           {"exactly-once", "saves a task again", Work::kSave, kEndless,
            [](RunOptions& o) { o.repeats_save = 100; }},
           {"stock", "grants a held lock", Work::kSale, kEndless,
            [](RunOptions& o) { o.grants_held_lock = 100; }},
           {"stock", "retries a sale after a lost answer", Work::kSale, kEndless,
            [](RunOptions& o) {
              o.retries_sale = true;
              o.loses_work = 33;
            }}}) {
    int64_t violated = 0;
    for (int64_t round = 0; round < rounds; ++round) {
      RunOptions options = MakeLongRunOptions(planted.work, planted.lease);
      if (planted.claim == "reentry") enable_reentry(options);
      planted.plant(options);
      const ClaimVerdict verdict = FindChecker(planted.claim)->check(RandomRun(dice, options), {});
      violated += verdict.outcome == Outcome::kViolated ? 1 : 0;
      ASSERT_EQ(verdict.violations.empty(), verdict.count == 0);
    }
    EXPECT_GT(violated, rounds / 20) << planted.claim << ", defect: " << planted.defect;
  }
}

}  // namespace
}  // namespace doublehold::brute
