// Tests locks with one mistake each. The search finds every mistake. The lock without the mistake
// keeps the claim in the same scenario.
#include "lib/testing/mutants/mutants.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compose/explore/testing_explore.h"
#include "lib/testing/case_name.h"
#include "lib/testing/trials.h"

namespace doublehold {
namespace {

// The claims that a mutant violates, and the claims that the lock without the mistake violates in
// the same scenario.
struct MutantCase {
  const char* mutant;
  Searched searched;  // names the mutant's lock
  const char* violated;
  const char* shipped;
};

void PrintTo(const MutantCase& each, std::ostream* out) { *out << each.mutant; }

class MutantOfALock : public ::testing::TestWithParam<MutantCase> {};

TEST_P(MutantOfALock, IsFound) {
  const MutantCase& each = GetParam();
  const LockMutant* mutant = FindMutant(each.mutant);
  ASSERT_NE(mutant, nullptr);
  Searched searched = each.searched;
  searched.lock = mutant->lock;
  const Explored explored = ExploreAll(searched, mutant->make);
  EXPECT_EQ(Violated(explored), each.violated);
  for (const Found& found : explored.claims)
    EXPECT_EQ(found.sentence.empty(), found.violated + found.unknown == 0);
  EXPECT_EQ(Violated(ExploreAll(searched)), each.shipped);
}

const SettingTexts kMutantsThree{{"topology.nodes", "3"}};

const std::vector<MutantCase>& CasesMutants() {
  static const std::vector<MutantCase> cases{

      MutantCase{
          "wrong-compare",
          {.faults = {FaultForm::kPause},
           .more = {{"claims", "exclusion,lease-exclusion,release,release-result,stock,liveness"}},
           .clients = 2,
           .cycles = 2},
          "exclusion lease-exclusion release-result stock",
          "exclusion stock"},
      MutantCase{"no-px", {.faults = {FaultForm::kCrash}}, "liveness", ""},
      MutantCase{"counted-from-the-answer",
                 {.faults = {FaultForm::kHoldReply}, .more = {{"lock.call-timeout", "4 lease"}}},
                 "exclusion lease-exclusion stock",
                 "exclusion stock"},
      MutantCase{
          "no-answer-is-yes",
          {.faults = {FaultForm::kDropRequest}, .more = {{"lock.call-timeout", "0.2 lease"}}},
          "exclusion lease-exclusion stock",
          "exclusion"},
      MutantCase{"inner-exit-releases",
                 {.more = {{"workload.name", "nested"},
                           {"workload.work", "0.1 lease"},
                           {"workload.work-distribution", "fixed"}}},
                 "exclusion lease-exclusion reentry",
                 ""},
      MutantCase{"quorum-of-one-less",
                 {.faults = {FaultForm::kDropRequest}, .more = kMutantsThree},
                 "exclusion lease-exclusion stock",
                 "exclusion"},
      MutantCase{"time-forgotten",
                 {.faults = {FaultForm::kHoldReply},
                  .more = {{"topology.nodes", "3"},
                           {"lock.node-timeout", "3 lease"},
                           {"workload.work", "0.8 lease"}}},
                 "exclusion lease-exclusion stock",
                 "exclusion stock"},
      MutantCase{"minority-left",
                 {.depth = 0,
                  .more = {{"topology.nodes", "3"},
                           {"claims", "exclusion,key-leak,availability,liveness"},
                           {"workload.work", "0.2 lease"}},
                  .delays = 1},
                 "key-leak",
                 ""},
      MutantCase{
          "anybody-released", {.more = kMutantsThree}, "exclusion lease-exclusion stock", ""},
      MutantCase{"silence-counted",
                 {.faults = {FaultForm::kDropRequest}, .depth = 2, .more = kMutantsThree},
                 "exclusion lease-exclusion stock",
                 "exclusion"},
      MutantCase{
          "watchdog-goes-on",
          {.more = {{"claims", "exclusion,idle-traffic,liveness"}, {"workload.work", "0.4 lease"}}},
          "idle-traffic",
          ""},
      MutantCase{"anybody-renewed",
                 {.faults = {FaultForm::kPause}},
                 "exclusion lease-exclusion stock",
                 "exclusion stock"},
      MutantCase{"client-owns",
                 {.more = {{"workload.threads", "2"}}, .clients = 1},
                 "exclusion lease-exclusion stock",
                 ""},
      MutantCase{"getset-ignored",
                 {.faults = {FaultForm::kCrash}, .more = {{"retry.jitter", "0"}}, .clients = 3},
                 "exclusion lease-exclusion stock",
                 ""},
      MutantCase{"same-token", {}, "fencing", ""}};
  return cases;
}
INSTANTIATE_TEST_SUITE_P(Each, MutantOfALock, ::testing::ValuesIn(CasesMutants()),
                         testing::CaseName());

// A mutant that needs three faults, and the only claim that is judged.
struct ThirdFaultCase {
  const char* mutant;
  const char* claim;
  std::vector<FaultForm> faults;
  SettingTexts more{};
  int cycles = 1;
  std::vector<int> most{};  // of each fault, as in Searched
  bool takes_long = false;  // runs only with all trials, in `make test-all`
};

void PrintTo(const ThirdFaultCase& each, std::ostream* out) { *out << each.mutant; }

class MutantOfTheThirdFault : public ::testing::TestWithParam<ThirdFaultCase> {};

TEST_P(MutantOfTheThirdFault, IsFoundWithThreeFaultsAndNotWithTwo) {
  const ThirdFaultCase& each = GetParam();
  if (each.takes_long && !RunsAllTrials()) GTEST_SKIP() << kVariation;
  const LockMutant* mutant = FindMutant(each.mutant);
  ASSERT_NE(mutant, nullptr);
  Searched searched{.lock = std::string(mutant->lock),
                    .faults = each.faults,
                    .depth = 3,
                    .more = each.more,
                    .cycles = each.cycles,
                    .most = each.most};
  searched.more["claims"] = each.claim;
  EXPECT_EQ(Violated(ExploreAll(searched, mutant->make)), each.claim);
  EXPECT_EQ(Violated(ExploreAll(searched)), "") << "the lock without the mistake";
  searched.depth = 2;
  EXPECT_EQ(Violated(ExploreAll(searched, mutant->make)), "");
}

// Clients ask often, and hold the lock for most of its lease.
SettingTexts Impatient(SettingTexts more = {}) {
  more.merge(SettingTexts{{"lock.call-timeout", "0.1 lease"},
                          {"retry.interval", "0.1 lease"},
                          {"workload.work", "0.8 lease"}});
  return more;
}

const std::vector<ThirdFaultCase>& ThirdFaultCases() {
  static const std::vector<ThirdFaultCase> cases{
      {"third-silence-is-yes", "lease-exclusion", {FaultForm::kDropRequest}, Impatient()},
      {"third-silence-forces", "lease-exclusion", {FaultForm::kDropRequest}, Impatient()},
      {"fails-open", "lease-exclusion", {FaultForm::kResetRequest}, Impatient()},
      {"third-release-forces",
       "release",
       {FaultForm::kPause, FaultForm::kDropRequest},
       {{"lock.call-timeout", "0.1 lease"}, {"retry.interval", "0.4 lease"}},
       /*cycles=*/3,
       {1, 2},
       /*takes_long=*/true},
      {"owner-repeats",
       "lease-exclusion",
       {FaultForm::kDropRequest, FaultForm::kDropReply, FaultForm::kHoldRequest},
       Impatient({{"retry.interval", "0.2 lease"}}),
       /*cycles=*/2,
       {1, 1, 1},
       /*takes_long=*/true},
      {"lost-counts-stay", "liveness", {FaultForm::kDropRequest}, Impatient(), 1, {}, true},
      {"guesses-token", "fencing", {FaultForm::kDropRequest}, Impatient(), 1, {}, true},
      {"moves-on",
       "lease-exclusion",
       {FaultForm::kDropRequest},
       Impatient(kMutantsThree),
       1,
       {},
       true},
      {"one-that-answers",
       "lease-exclusion",
       {FaultForm::kDropRequest},
       kMutantsThree,
       1,
       {},
       true},
      {"none-that-answers",
       "lease-exclusion",
       {FaultForm::kDropRequest},
       kMutantsThree,
       1,
       {},
       true}};
  return cases;
}
INSTANTIATE_TEST_SUITE_P(Each, MutantOfTheThirdFault, ::testing::ValuesIn(ThirdFaultCases()),
                         testing::CaseName());

TEST(MutantsOfLocks, EachHasACaseInThisTest) {
  for (const LockMutant& mutant : LockMutants()) {
    EXPECT_NE(FindLock(mutant.lock), nullptr) << mutant.lock;
    const auto is_of_it = [&](const auto& each) { return each.mutant == mutant.name; };
    EXPECT_TRUE(std::ranges::any_of(CasesMutants(), is_of_it) ||
                std::ranges::any_of(ThirdFaultCases(), is_of_it))
        << mutant.name;
  }
  EXPECT_GE(CasesMutants().size(), 10U);
  EXPECT_GE(ThirdFaultCases().size(), 10U);
}

}  // namespace
}  // namespace doublehold
