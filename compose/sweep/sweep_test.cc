// Tests which cells a sweep makes of the places, and how it prints their outcomes.
#include "compose/sweep/sweep.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compose/testing/plan_testing.h"

namespace doublehold {
namespace {

using nlohmann::json;

const ProtocolSection kFound{.places = {
                                 {.step = Step::kStart},
                                 {.command = "SET", .node = 1},
                                 {.step = Step::kAfterAcquire},
                                 {.command = "SET", .node = kStoreNode, .nth = 2},
                             }};

Plan Base() {
  return testing::Good(testing::kLock +
                       "lease = '400ms'\n[workload]\nclients = 3\nduration = '2s'\n");
}

std::vector<const FaultFormEntry*> Faults(const std::vector<std::string>& names) {
  std::vector<const FaultFormEntry*> faults;
  for (const FaultFormEntry& form : kFaultForms) {
    if (std::ranges::find(names, form.name) != names.end()) faults.push_back(&form);
  }
  return faults;
}

SweepCells Cells(const std::vector<std::string>& faults, int depth = 1) {
  const Plan base = Base();
  const Result<SweepCells> cells =
      MakeSweepCells({.base = base, .found = kFound, .faults = Faults(faults), .depth = depth});
  EXPECT_TRUE(cells.has_value()) << cells.error().message;
  return cells.value_or(SweepCells{});
}

const FaultPlan& Last(const SuiteCell& cell) { return cell.plan.faults.back(); }

TEST(Sweep, EachFaultGoesToEachPlaceOfItsKind) {
  const SweepCells cells = Cells({"pause", "crash", "hold-request", "drop-reply"});
  std::vector<std::string> names;
  for (const SuiteCell& cell : cells.suite.cells) names.push_back(cell.name);
  EXPECT_EQ(names, (std::vector<std::string>{
                       "start/pause", "start/crash", "SET to node 1/hold-request",
                       "SET to node 1/drop-reply", "after-acquire/pause", "after-acquire/crash",
                       "2nd SET to the store/hold-request", "2nd SET to the store/drop-reply"}));
}

TEST(Sweep, AMessageFaultActsOnExactlyThatCommandOfTheFirstClient) {
  const SweepCells cells = Cells({"hold-request"});
  const FaultPlan& fault = Last(cells.suite.cells.back());
  EXPECT_EQ(fault.kind, "hold");
  EXPECT_EQ(fault.client, kFaultedClient);
  EXPECT_EQ(fault.nodes, std::vector<int>{kStoreNode});
  EXPECT_EQ(fault.direction, "request");
  EXPECT_EQ(fault.command, "SET");
  EXPECT_EQ(fault.nth, 2);
  EXPECT_EQ(fault.count, 1);
  EXPECT_EQ(fault.on, (Trigger{.client = kFaultedClient, .step = Step::kStart}));
  EXPECT_EQ(fault.length, 720ms);  // the lease has expired by then
}

TEST(Sweep, AClockFaultLastsAsLongAsOtherFaults) {
  const auto moved = [](const char* form) {
    const FaultPlan fault = Last(Cells({form}).suite.cells.back());
    EXPECT_EQ(fault.on, (Trigger{.client = kFaultedClient, .step = Step::kAfterAcquire}));
    EXPECT_EQ(fault.length, 720ms);
    return fault;
  };
  EXPECT_EQ(moved("client-clock").by, 720ms);
  EXPECT_EQ(moved("client-clock-back").by, -720ms);
  EXPECT_EQ(moved("client-fast").rate, kFastRate);
}

TEST(Sweep, AProcessFaultBeginsAtTheClientsStep) {
  const SweepCells cells = Cells({"pause"});
  const FaultPlan& fault = Last(cells.suite.cells.back());
  EXPECT_EQ(fault.kind, "pause");
  EXPECT_EQ(fault.on, (Trigger{.client = kFaultedClient, .step = Step::kAfterAcquire}));
  EXPECT_TRUE(fault.nodes.empty());
}

TEST(Sweep, TheOtherClientsStartWhenTheFirstIsAtItsFault) {
  const Plan plan = Cells({"pause"}).suite.cells.front().plan;
  ASSERT_EQ(plan.faults.size(), 3U);
  for (const int other : {2, 3}) {
    const FaultPlan& late = plan.faults[static_cast<size_t>(other - 2)];
    EXPECT_EQ(late.kind, "slow");
    EXPECT_EQ(late.on, (Trigger{.client = other, .step = Step::kStart}));
    EXPECT_EQ(late.length, 80ms);
  }
  const Plan learn = PlanToLearn(Base(), 1);
  EXPECT_EQ(learn.faults.size(), 2 + kStepNames.size());
  EXPECT_EQ(learn.faults.front().length, learn.duration) << "the others do nothing";
}

TEST(Sweep, TheFaultsOfALaterSectionBeginInIt) {
  const Plan base = Base();
  const ProtocolSection found{
      .places = {{.step = Step::kAfterAcquire}, {.command = "SET", .node = 1}},
      .begins_after = 150ms};
  const SweepCells cells =
      MakeSweepCells(
          {.base = base, .found = found, .faults = Faults({"pause", "drop-reply"}), .section = 4})
          .value();
  const std::vector<SuiteCell>& made = cells.suite.cells;
  ASSERT_EQ(made.size(), 2U);
  EXPECT_EQ(Last(made[0]).on, (Trigger{.client = 1, .step = Step::kAfterAcquire, .nth = 4}));
  EXPECT_EQ(Last(made[1]).on, (Trigger{.client = 1, .step = Step::kAfterRelease, .nth = 3}));
  EXPECT_EQ(made[0].plan.faults.front().length, 230ms) << "the others begin with that section";
  EXPECT_EQ(made[0].plan.duration, base.duration + 150ms) << "as long after it as after the first";
}

TEST(Sweep, PairsHaveTwoPlacesAndNoFaultAfterACrash) {
  const SweepCells cells = Cells({"pause", "crash", "drop-reply"}, 2);
  EXPECT_EQ(cells.singles, 6U);
  ASSERT_EQ(cells.pairs.size(), 8U);  // 15 pairs, without 2 at the same place and 5 after a crash
  EXPECT_EQ(cells.suite.cells.size(), cells.singles + cells.pairs.size());
  const SuiteCell& first = cells.suite.cells[cells.singles];
  EXPECT_EQ(first.row, "pause at start");
  EXPECT_EQ(first.column, "drop-reply at SET to node 1");
  EXPECT_EQ(first.plan.faults.size(), 4U);
}

TEST(Sweep, TooManyCellsOrNoneAreRefused) {
  const Plan base = Base();
  std::vector<ProtocolPlace> many;
  for (int i = 1; i <= 300; ++i) many.push_back({.command = "EVALSHA", .node = 1, .nth = i});
  const auto refusal = [&](const std::vector<ProtocolPlace>& places, const std::string& fault) {
    const Result<SweepCells> cells = MakeSweepCells(
        {.base = base, .found = {.places = places}, .faults = Faults({fault}), .depth = 2});
    return cells ? "accepted" : cells.error().message;
  };
  EXPECT_EQ(refusal(many, "drop-reply"),
            "--depth 2: 44850 pairs of faults at 300 places, and 10000 are the maximum; choose "
            "fewer --faults");
  EXPECT_EQ(refusal(many, "pause"),
            "--faults: none of these faults can begin at a step or message of this protocol");
}

json Verdict(const std::vector<std::pair<std::string, std::string>>& claims) {
  json list = json::array();
  for (const auto& [claim, outcome] : claims) {
    json one{{"claim", claim}, {"outcome", outcome}, {"reason", "why " + claim}};
    if (outcome == "violated") one["violations"] = {{{"sentence", "how " + claim}}};
    list.push_back(one);
  }
  return {{"claims", list}};
}

// Returns a verdict whose unknown claims had nothing to judge.
json WithNothingToJudge(const std::vector<std::pair<std::string, std::string>>& claims) {
  json verdict = Verdict(claims);
  for (json& claim : verdict["claims"])
    claim["opportunities"] = claim["outcome"] == "unknown" ? 0 : 7;
  return verdict;
}

json WithShortPauses(const std::vector<std::pair<std::string, std::string>>& claims) {
  json verdict = Verdict(claims);
  verdict["blind_spots"] = {{"short_pauses", true}};
  return verdict;
}

TEST(Sweep, AnOutcomeIsALetterAClaim) {
  const struct {
    json verdict;
    int64_t unheld_ms;
    std::string letters, sentence;
  } cases[] = {
      {Verdict({{"exclusion", "valid"}, {"stock", "valid"}}), 0, ".", ""},
      {Verdict({{"exclusion", "violated"}, {"stock", "violated"}}), 0, "hS", "how exclusion"},
      {Verdict({{"exclusion", "violated"}, {"lease-exclusion", "violated"}}), 0, "H",
       "how lease-exclusion"},
      {Verdict({{"exclusion", "violated"}, {"stock", "unknown"}}), 0, "h", "how exclusion"},
      {Verdict({{"exclusion", "valid"}, {"stock", "unknown"}}), 0, "?", "stock: why stock"},
      {Verdict({{"exclusion", "valid"}}), 201, "w", ""},
      {Verdict({{"exclusion", "valid"}}), 199, ".", ""},
      {Verdict({{"liveness", "violated"}}), 900, "L", "how liveness"},
      {WithNothingToJudge({{"exclusion", "valid"}, {"release", "unknown"}}), 0, ".", ""},
      {WithNothingToJudge({{"exclusion", "valid"}, {"release", "unknown"}}), 900, "w", ""},
      {WithNothingToJudge({{"liveness", "violated"}, {"release", "unknown"}}), 0, "L",
       "how liveness"},
      {Verdict({{"exclusion", "valid"}, {"release", "unknown"}}), 0, "?", "release: why release"},
      {WithNothingToJudge({{"exclusion", "unknown"}, {"liveness", "valid"}}), 0, "?",
       "exclusion: why exclusion"},
      {WithNothingToJudge({{"lease-exclusion", "unknown"}, {"exclusion", "valid"}}), 0, "?",
       "lease-exclusion: why lease-exclusion"},
      {WithNothingToJudge({{"stock", "unknown"}, {"exclusion", "valid"}}), 0, "?",
       "stock: why stock"},
      {WithNothingToJudge({{"liveness", "unknown"}, {"exclusion", "valid"}}), 0, "?",
       "liveness: why liveness"},
      {WithNothingToJudge({{"release", "unknown"}, {"order", "unknown"}}), 0, "?",
       "release: why release"},
      {WithShortPauses({{"exclusion", "valid"}}), 0, "~", ""},
      {WithShortPauses({{"exclusion", "violated"}}), 0, "h", "how exclusion"},
      {json(), 0, "?", "the run has no verdict"},
  };
  for (const auto& each : cases) {
    SCOPED_TRACE(each.verdict.dump());
    const SuiteCell cell{.plan = Base()};
    const SweepOutcome outcome =
        ReadSweepOutcome(each.verdict, each.unheld_ms * 1'000'000, cell, false);
    EXPECT_EQ(outcome.letters, each.letters);
    EXPECT_EQ(outcome.sentence, each.sentence);
  }
}

TEST(Sweep, APairWhoseSecondFaultHadNoTargetIsNotUnknown) {
  json verdict = Verdict({{"exclusion", "unknown"}});
  verdict["faults"] = {{{"episodes", {1}}}, {{"episodes", json::array()}}};
  const SuiteCell cell{.plan = Base()};
  EXPECT_EQ(ReadSweepOutcome(verdict, 0, cell, true).letters, "-");
  EXPECT_EQ(ReadSweepOutcome(verdict, 0, cell, false).letters, "?")
      << "alone it should have met it";
  EXPECT_FALSE(IsUnknown(ReadSweepOutcome(verdict, 0, cell, true)));
  EXPECT_TRUE(IsUnknown(ReadSweepOutcome(verdict, 0, cell, false)));
  verdict["faults"] = {{{"episodes", json::array()}}, {{"episodes", {1}}}};
  EXPECT_EQ(ReadSweepOutcome(verdict, 0, cell, true).letters, "?");
}

TEST(Sweep, TheTableHasARowForEachPlaceAndAColumnForEachFault) {
  const SweepCells cells = Cells({"pause", "drop-reply"});
  const std::vector<SweepOutcome> outcomes{{.letters = "."},
                                           {.letters = "w"},
                                           {.letters = "hS", .violated = {"exclusion", "stock"}},
                                           {.letters = "?"}};
  EXPECT_EQ(FormatSweepTable(cells, outcomes),
            "place                 pause  drop-reply\n"
            "start                 .\n"
            "SET to node 1                w\n"
            "after-acquire         hS\n"
            "2nd SET to the store         ?\n");
  EXPECT_EQ(FormatLegend(outcomes),
            "  h  exclusion: held twice, one lease had ended\n"
            "  S  stock: orders lost, or stock oversold\n"
            "  w  the lock was unavailable for more than half a lease, then free again\n"
            "  ?  unknown\n"
            "  .  nothing\n");
}

TEST(Sweep, APairIsNewIfNeitherFaultViolatesTheClaimAlone) {
  const SweepCells cells = Cells({"pause", "drop-reply"}, 2);
  ASSERT_EQ(cells.singles, 4U);
  ASSERT_EQ(cells.pairs.front(), (std::pair<size_t, size_t>{0, 1}));
  std::vector<SweepOutcome> outcomes(cells.suite.cells.size());
  outcomes[0].violated = {"exclusion"};
  outcomes[1].violated = {"stock"};
  outcomes[4].violated = {"exclusion", "stock"};
  EXPECT_FALSE(IsNew(cells, 4, outcomes));
  outcomes[4].violated = {"exclusion", "liveness"};
  EXPECT_TRUE(IsNew(cells, 4, outcomes));
  EXPECT_FALSE(IsNew(cells, 0, outcomes));
}

}  // namespace
}  // namespace doublehold
