#include "checker/judge.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <boost/algorithm/string/replace.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "checker/testing/ascii_history.h"
#include "lib/base/paths.h"
#include "lib/history/jsonl.h"

namespace doublehold {
namespace {

using nlohmann::json;

const std::vector<std::string> kAll{"exclusion", "lease-exclusion", "stock", "liveness"};

constexpr char kJudgeCalm[] = R"(
    c1:    A-a=g=w=R-r                  | 5 5>4
    c2:               A-a=g=w=R-r       | 4 4>3
    final:                      *       | 3/2
    probe:                      P-p     )";

constexpr char kJudgeStale[] = R"(
    c1:       A-a=g==!==========w=R-x         | 5 5>4
    c2:             A-a=gw=R-r                | 5 5>4
    pause c1:      [----------]               | 11
    final:                              *     | 4/2
    probe:                              P-p   )";

const ClaimVerdict& FindClaim(const RunVerdict& verdict, const std::string& claim) {
  return *std::ranges::find(verdict.claims, claim, &ClaimVerdict::claim);
}

bool AnyMentions(const std::vector<std::string>& sentences, const std::string& part) {
  return std::ranges::any_of(sentences, [&](const std::string& sentence) {
    return sentence.find(part) != std::string::npos;
  });
}

std::string ReadSourceFile(const std::string& file) {
  std::ifstream in(SourceDir() + "/" + file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Judge, ARunWithoutViolationsIsValidAndExitsWithZero) {
  const RunVerdict verdict = Judge(FromLanes(kJudgeCalm, {.claims = kAll}));
  for (const ClaimVerdict& claim : verdict.claims) {
    EXPECT_EQ(claim.outcome, Outcome::kValid) << claim.claim << ": " << claim.reason;
  }
  EXPECT_EQ(verdict.overall, Outcome::kValid);
  EXPECT_TRUE(verdict.as_expected);
  EXPECT_EQ(verdict.exit_code, ExitCode::kAsExpected);
  EXPECT_TRUE(verdict.warnings.empty());
}

TEST(Judge, JudgesTheClaimsOfTheRunInTheirOrder) {
  const RunVerdict verdict =
      Judge(FromLanes(kJudgeCalm, {.claims = {"stock", "exclusion", "exclusoin"}}));
  ASSERT_EQ(verdict.claims.size(), 3U);
  EXPECT_EQ(verdict.claims[0].claim, "stock");
  EXPECT_EQ(verdict.claims[1].claim, "exclusion");
  EXPECT_EQ(verdict.claims[2].outcome, Outcome::kUnknown);
  EXPECT_EQ(verdict.claims[2].reason, "claim 'exclusoin' is unknown (did you mean 'exclusion'?)");
  EXPECT_EQ(verdict.overall, Outcome::kUnknown);
  EXPECT_EQ(verdict.exit_code, ExitCode::kUnknown);
}

TEST(Judge, ARunWithoutClaimsIsUnknown) {
  const RunVerdict verdict = Judge(FromLanes(kJudgeCalm, {.claims = {}}));
  EXPECT_EQ(verdict.overall, Outcome::kUnknown);
  EXPECT_EQ(verdict.exit_code, ExitCode::kUnknown);
}

TEST(Judge, WithoutEvidenceNoClaimIsValid) {
  const std::array<std::string, 4> pictures{"c1:", "c1: A-x A-x A-x", "c1: A-? A-? A-?",
                                            "c1:      A-a  R-?  A-?\nlost c1:         *"};
  for (const std::string& picture : pictures) {
    for (const bool of_library : {false, true}) {
      LaneOptions options;
      if (of_library) options.library = LibraryFact{"lib", "1", {"lease", "lost", "token"}};
      const History history = FromLanes(picture, options);
      for (const CheckerEntry& entry : Checkers()) {
        // These claims had evidence: a hold, or a call that was answered in time.
        const bool held = picture.find('a') != std::string::npos;
        if (entry.claim.ends_with("exclusion") && held) continue;
        if (entry.claim == "call-timeout" && of_library && !held) continue;
        const ClaimVerdict verdict = entry.check(history, {});
        EXPECT_EQ(verdict.outcome, Outcome::kUnknown)
            << entry.claim << " of " << picture << ": " << verdict.reason;
      }
    }
  }
}

TEST(Judge, ABrokenHistoryIsUnknown) {
  History history = FromLanes(kJudgeStale, {.claims = kAll});
  std::swap(history.events[3], history.events[4]);
  history.events[3].at_ns += 1;
  const RunVerdict verdict = Judge(history);
  EXPECT_EQ(verdict.overall, Outcome::kUnknown);
  EXPECT_EQ(verdict.claims.size(), kAll.size());
  EXPECT_EQ(verdict.claims[0].reason,
            "the history is broken: event 5: it is earlier than the previous event");
  EXPECT_EQ(verdict.exit_code, ExitCode::kUnknown);
}

TEST(Judge, AClientKilledByAFaultDidNotEndByItself) {
  const RunVerdict verdict = Judge(FromLanes(R"(
    c1:      A-a=g=w=R-r                  | 5 5>4
    c2:                 A-a=g=w=R-r       | 4 4>3
    crash c2:                     []
    died c2:                        *     | 9
    final:                            *   | 3/2
    probe:                            P-p
)",
                                             {.claims = kAll}));
  EXPECT_TRUE(verdict.warnings.empty()) << verdict.warnings.front();
  EXPECT_EQ(verdict.overall, Outcome::kValid);
}

TEST(Judge, AViolatedClaimDecidesOverAnUnknownClaim) {
  const RunVerdict verdict = Judge(FromLanes(kJudgeStale, {.claims = {"exclusion", "nonsense"}}));
  EXPECT_EQ(verdict.overall, Outcome::kViolated);
  EXPECT_EQ(verdict.exit_code, ExitCode::kViolated);
}

TEST(Judge, LostRecordsAndDeadClientsLeaveNoClaimValid) {
  struct Case {
    std::string lane;
    std::string warning;
  };
  for (const Case& hidden : std::vector<Case>{
           {"    lost c1:                *     | 12",
            "12 records of client 1 were lost: its segment was full"},
           {"    died c2:                *     | 139",
            "client 2 was killed by signal 11 before the run ended"},
           {"    died c2:                *     | 139\n    crash c2:                 []",
            "client 2 was killed by signal 11 before the run ended"},
       }) {
    const std::string calm = R"(
    c1:      A-a=g=w=R-r                  | 5 5>4
    c2:                 A-a=g=w=R-r       | 4 4>3
    final:                        *       | 3/2
    probe:                        P-p
)";
    const RunVerdict verdict = Judge(FromLanes(calm + hidden.lane, {.claims = kAll}));
    for (const ClaimVerdict& claim : verdict.claims) {
      EXPECT_EQ(claim.outcome, Outcome::kUnknown) << claim.claim;
      EXPECT_NE(claim.reason.find(hidden.warning), std::string::npos) << claim.reason;
    }
    EXPECT_TRUE(AnyMentions(verdict.warnings, hidden.warning));
    EXPECT_EQ(verdict.exit_code, ExitCode::kUnknown);
  }
}

// The referee may end after the planned duration.
TEST(Judge, AnInterruptedRunWasCutShortHoweverLateItsRefereeEnded) {
  History history = FromLanes("c1: A-a=R-r", {.claims = {"exclusion"}});
  EXPECT_EQ(Judge(history).cut_short, "");
  history.facts.interrupted = 2s;
  history.facts.duration = 4s;
  history.events.push_back({.at_ns = ToNs(5s), .client = kReferee, .op = Op::kFinal});
  const RunVerdict verdict = Judge(history);
  EXPECT_EQ(verdict.cut_short,
            "the run was cut short at 2.000 s (planned: 4s): it was interrupted");
  EXPECT_EQ(verdict.overall, Outcome::kUnknown);
}

// The client of a fault on a node is the supervisor. Such a fault does not explain its death.
TEST(Judge, AKilledSupervisorLeavesNoClaimValidAndIsReportedOnce) {
  const RunVerdict verdict = Judge(FromLanes(R"(
    c1:               A-a=g=w=R-r                  | 5 5>4
    c2:                          A-a=g=w=R-r       | 4 4>3
    final:                                 *       | 3/2
    probe:                                 P-p
    crash n1:               []
    died supervisor:                             * | 9
)",
                                             {.claims = kAll}));
  const std::string cut =
      "the run was cut short at 0.027 s (planned: 0s): its supervisor was killed";
  for (const ClaimVerdict& claim : verdict.claims) {
    EXPECT_EQ(claim.outcome, Outcome::kUnknown) << claim.claim;
    EXPECT_NE(claim.reason.find(cut), std::string::npos) << claim.reason;
  }
  EXPECT_EQ(verdict.warnings.at(0), cut);
  EXPECT_TRUE(ToShortText(verdict).starts_with("verdict: unknown (exclusion"))
      << ToShortText(verdict);
  EXPECT_NE(ToShortText(verdict).find("; the run was cut short\n"), std::string::npos);
  EXPECT_EQ(ToJson(verdict).at("cut_short"), cut);
  EXPECT_EQ(std::ranges::count_if(verdict.warnings,
                                  [](const std::string& warning) {
                                    return warning.find("supervisor") != std::string::npos;
                                  }),
            1);
}

TEST(Judge, ACallOfALibraryWithoutAnAnswerLeavesNoClaimValid) {
  const auto judge = [](const std::string& end) {
    return Judge(FromLanes("c1: A-a=R-r\nc2:          A-a=R-r A---?" + end + " | 4",
                           {.claims = {"exclusion"}, .library = LibraryFact{"lib", "1", {}}}));
  };
  EXPECT_EQ(judge("      s").overall, Outcome::kValid) << "answered late";
  EXPECT_EQ(judge("      z").overall, Outcome::kValid) << "within timeout and grace";
  const RunVerdict verdict = judge("                 z");
  EXPECT_EQ(verdict.overall, Outcome::kUnknown);
  EXPECT_TRUE(AnyMentions(verdict.warnings, "a call of client 2, sent by 0.017 s, was never "))
      << verdict.claims.at(0).reason;
}

TEST(Judge, AHoldWithoutAKnownEndLeavesNoClaimValidAfterAnotherGrant) {
  EXPECT_EQ(Judge(FromLanes(R"(
      c1:    A-a==
      c2:            A-a==R-r)"))
                .overall,
            Outcome::kUnknown);
}

TEST(Judge, AFaultThatStartedTooSeldomLeavesNoClaimValidButViolationsCount) {
  History calm = FromLanes(kJudgeCalm, {.claims = kAll});
  calm.facts.faults.push_back({.name = "stall", .kind = "pause", .what = "as planned"});
  RunVerdict verdict = Judge(calm);
  EXPECT_EQ(verdict.overall, Outcome::kUnknown);
  EXPECT_EQ(verdict.not_fired, std::vector<std::string>{"stall"});
  EXPECT_TRUE(AnyMentions(verdict.warnings, "fault 'stall' (as planned) never took effect"));

  // The fault started, and ended without having delayed a frame.
  calm.facts.faults[0].planned = 1;
  calm.events.push_back({.at_ns = calm.events.back().at_ns,
                         .client = kSupervisor,
                         .op = Op::kFault,
                         .value = {0, 5, 1, 0}});
  calm.events.push_back(calm.events.back());
  calm.events.back().type = EventType::kFail;
  calm.events.back().value[1] = 0;
  verdict = Judge(calm);
  EXPECT_EQ(verdict.overall, Outcome::kUnknown);
  EXPECT_EQ(verdict.not_fired, std::vector<std::string>{"stall"});
  EXPECT_TRUE(verdict.episodes.empty());
  calm.events.back().type = EventType::kOk;
  EXPECT_EQ(Judge(calm).overall, Outcome::kValid);

  History stale = FromLanes(kJudgeStale, {.claims = kAll});
  stale.facts.faults[0].planned = 2;
  verdict = Judge(stale);
  EXPECT_EQ(verdict.not_fired, std::vector<std::string>{"pause"});
  EXPECT_EQ(FindClaim(verdict, "exclusion").outcome, Outcome::kViolated);
  EXPECT_EQ(FindClaim(verdict, "lease-exclusion").outcome, Outcome::kUnknown);
}

TEST(Judge, ADrawnFaultWithoutAnEffectIsOnlyAWarningIfHalfOrMoreTookEffect) {
  History calm = FromLanes(kJudgeCalm, {.claims = kAll});
  for (int i = 0; i < 3; ++i) {
    calm.facts.faults.push_back({.name = fmt::format("drop-{}", i + 1), .kind = "drop"});
    calm.facts.faults.back().drawn_for = "network";
  }
  const auto take_effect = [&calm](int64_t fault) {
    calm.events.push_back({.at_ns = calm.events.back().at_ns,
                           .client = kSupervisor,
                           .op = Op::kFault,
                           .value = {fault, 0, 1, 0}});
    calm.events.push_back(calm.events.back());
    calm.events.back().type = EventType::kOk;
  };
  take_effect(0);
  RunVerdict verdict = Judge(calm);
  EXPECT_EQ(verdict.overall, Outcome::kUnknown);
  EXPECT_TRUE(AnyMentions(verdict.warnings, "only 1 of the 3 drawn faults took effect"));
  take_effect(2);
  verdict = Judge(calm);
  EXPECT_EQ(verdict.overall, Outcome::kValid);
  EXPECT_EQ(verdict.not_fired, std::vector<std::string>{"drop-2"});
  EXPECT_TRUE(AnyMentions(verdict.warnings,
                          "1 of the 3 drawn faults of kind drop found nothing to act on"));
  EXPECT_NE(ToText(verdict).find("drop: drawn; took effect 2 of 3 times"), std::string::npos);
}

TEST(Judge, ARequestOfANemesisWithoutAnyEffectLeavesNoClaimValid) {
  History calm = FromLanes(kJudgeCalm, {.claims = kAll});
  calm.facts.faults.push_back({.name = "pause-1", .kind = "pause", .drawn_for = "pause"});
  for (const EventType type : {EventType::kInvoke, EventType::kOk}) {
    calm.events.push_back({.at_ns = calm.events.back().at_ns,
                           .client = kSupervisor,
                           .op = Op::kFault,
                           .type = type,
                           .value = {0, 1, 2, -1}});
  }
  EXPECT_EQ(Judge(calm).overall, Outcome::kValid);
  // One fault of the request that took effect is enough.
  calm.facts.faults.push_back({.name = "crash-1", .kind = "crash", .drawn_for = "pause"});
  EXPECT_EQ(Judge(calm).overall, Outcome::kValid);
  calm.facts.faults.back().drawn_for = "crash";
  const RunVerdict verdict = Judge(calm);
  EXPECT_EQ(verdict.overall, Outcome::kUnknown);
  EXPECT_TRUE(
      AnyMentions(verdict.warnings,
                  "none of the 1 fault drawn for 'crash' took effect, so 'crash' was not tested"));
}

TEST(Judge, ComparesTheOutcomesWithTheExpectedOnes) {
  struct Case {
    std::string name;
    std::map<std::string, std::string> expect;
    std::vector<std::string> claims;
    int exit_code;
  };
  // In kJudgeStale, exclusion and stock are violated; lease-exclusion and liveness are valid.
  for (const Case& held : std::vector<Case>{
           {"every violation is expected",
            {{"exclusion", "violated"}, {"stock", "violated"}},
            kAll,
            0},
           {"any outcome is expected",
            {{"exclusion", "any"}, {"stock", "any"}, {"liveness", "any"}},
            kAll,
            0},
           {"a violated claim without an expectation", {{"exclusion", "violated"}}, kAll, 1},
           {"expected valid, was violated", {{"exclusion", "valid"}, {"stock", "any"}}, kAll, 1},
           {"expected violated, was valid",
            {{"lease-exclusion", "violated"}, {"exclusion", "any"}, {"stock", "any"}},
            kAll,
            1},
           {"expected unknown, was violated",
            {{"exclusion", "unknown"}, {"stock", "any"}},
            kAll,
            1},
           {"expected violated, was unknown", {{"nonsense", "violated"}}, {"nonsense"}, 2},
           {"expected valid, was unknown", {{"nonsense", "valid"}}, {"nonsense"}, 2},
           {"expected unknown, was unknown", {{"nonsense", "unknown"}}, {"nonsense"}, 0},
           {"one claim is violated against its expectation, one is unknown",
            {{"exclusion", "valid"}},
            {"exclusion", "nonsense"},
            1},
           {"a claim that was not judged may have any outcome",
            {{"exclusion", "violated"}, {"fencing", "any"}},
            {"exclusion"},
            0},
           {"expected valid, was not judged",
            {{"exclusion", "violated"}, {"fencing", "valid"}},
            {"exclusion"},
            2},
       }) {
    const RunVerdict verdict =
        Judge(FromLanes(kJudgeStale, {.claims = held.claims, .expect = held.expect}));
    EXPECT_EQ(static_cast<int>(verdict.exit_code), held.exit_code) << held.name;
    EXPECT_EQ(verdict.as_expected, held.exit_code == 0) << held.name;
  }
}

TEST(Judge, CountsOperationsOfUnknownOutcome) {
  const RunVerdict verdict = Judge(FromLanes(R"(
    c1:    A-?R-?       A-a=g=W-?=R-r A-a=R | 5 5>4
    c2:       A
    c3:    A-x A-a=W                        | 4>3)"));
  EXPECT_EQ(verdict.tally.unknown_acquires, 2);
  EXPECT_EQ(verdict.tally.unknown_releases, 2);
  EXPECT_EQ(verdict.tally.unknown_writes, 2);
  EXPECT_EQ(verdict.tally.attempts, 6);
  EXPECT_EQ(verdict.tally.grants, 3);
}

TEST(Judge, MeasuresLatenciesAndSeconds) {
  const RunVerdict verdict = Judge(FromLanes(R"(
    c1:    Q-A--a-q===R-r   A-x
    c2:                 A--a=====R----x)"));
  EXPECT_EQ(verdict.tally.latency.at("acquire").count, 2);
  EXPECT_EQ(verdict.tally.latency.at("acquire").max_ns, 3'000'000);
  EXPECT_EQ(verdict.tally.latency.at("wait").p50_ns, 7'000'000);
  EXPECT_EQ(verdict.tally.latency.at("hold").p50_ns, 6'000'000);
  EXPECT_EQ(verdict.tally.latency.at("hold").max_ns, 6'000'000);
  EXPECT_EQ(verdict.tally.latency.at("release").max_ns, 5'000'000);
  EXPECT_DOUBLE_EQ(verdict.tally.seconds, 0.027);
  // Neither an unreleased hold, nor an unanswered order, nor the referee counts.
  History history = FromLanes(R"(
    c1:    A-a==g=w==R-r A-a  | 5 5>4
    final:                         * | 4/1)");
  for (Event& event : history.events) {
    if (event.op == Op::kOrder && event.type == EventType::kOk) event.type = EventType::kInfo;
  }
  const Tally tally = Judge(history).tally;
  EXPECT_EQ(tally.latency.at("hold").count, 1);
  EXPECT_EQ(tally.orders, 0);
  EXPECT_DOUBLE_EQ(tally.seconds, 0.016);
}

TEST(Judge, PercentilesAreValuesThatOccurred) {
  std::vector<int64_t> values;
  for (int64_t i = 200; i > 0; --i) values.push_back(i);
  const Percentiles percentiles = PercentilesOf(values);
  EXPECT_EQ(percentiles.p50_ns, 100);
  EXPECT_EQ(percentiles.p95_ns, 190);
  EXPECT_EQ(percentiles.p99_ns, 198);
  EXPECT_EQ(percentiles.max_ns, 200);
  EXPECT_EQ(PercentilesOf({7}).p50_ns, 7);
  EXPECT_EQ(PercentilesOf({}).count, 0);
}

TEST(Judge, WarnsOfStallsOverHalfTheLeaseDuringHolds) {
  const auto warnings = [](const std::string& stall) {
    return Judge(FromLanes(R"(
    c1:                 A-a=======R-r
    c2:                                 A-a=R-r
)" + stall))
        .warnings;
  };
  EXPECT_EQ(warnings("    machine c1:            (------)"),
            std::vector<std::string>{"client 1 was stalled by the machine 1 time for over half the "
                                     "lease, at longest 7 ms (0.003-0.010 s)"});
  EXPECT_EQ(
      warnings("    machine c1:          (-----)\n    machine c1:             (------)"),
      std::vector<std::string>{"client 1 was stalled by the machine 2 times for over half the "
                               "lease, at longest 7 ms (0.004-0.011 s)"});
  EXPECT_TRUE(warnings("    machine c1:            (----)").empty());
  EXPECT_TRUE(warnings("    machine c1:                          (-------)").empty());
  EXPECT_EQ(warnings("    machine supervisor:                  (-------)").size(), 1U);
  EXPECT_TRUE(
      warnings("    machine c1:            (------)\n    pause c1:             [------]").empty());
}

TEST(Judge, TheTextIsATableWithItsReasons) {
  History history = FromLanes(kJudgeStale, {.claims = kAll, .expect = {{"exclusion", "violated"}}});
  EXPECT_EQ(ToText(Judge(history)), ReadSourceFile("checker/testdata/verdict.txt"));
}

// Collects the keys of an object and its members as paths.
void CollectKeys(const json& value, const std::string& path, std::set<std::string>& keys) {
  if (value.is_array()) {
    for (const json& item : value) CollectKeys(item, path + "[]", keys);
  }
  if (!value.is_object()) return;
  for (const auto& [key, field] : value.items()) {
    keys.insert(path + "." + key);
    CollectKeys(field, path + "." + key, keys);
  }
}

TEST(Judge, TheJsonHasTheFieldsThatTheDocumentationNames) {
  const std::string page = ReadSourceFile("docs/formats.md");
  const size_t from = page.find('{', page.find("## verdict.json"));
  const json documented = json::parse(page.substr(from, page.find("\n\n", from) - from));
  std::set<std::string> expected;
  CollectKeys(documented, "", expected);
  std::erase_if(expected, [](const std::string& key) { return key.starts_with(".environment"); });

  std::set<std::string> found;
  CollectKeys(ToJson(Judge(FromLanes(kJudgeStale, {.claims = kAll}))), "", found);
  History blind = FromLanes("c1:         A-a===R-r\nc2:           A--?\nmachine c1:  (--)");
  blind.events[1].value[0] = INT64_MAX;  // no lease
  CollectKeys(ToJson(Judge(blind)), "", found);
  std::erase_if(found, [](const std::string& key) {  // the documented example leaves these empty
    return key.starts_with(".latency.") && key.find("acquire") == std::string::npos &&
           key.find('.', 9) != std::string::npos;
  });
  EXPECT_EQ(found, expected);
}

TEST(Judge, TheJsonNamesTheFaultOfAViolation) {
  const json verdict = ToJson(Judge(FromLanes(kJudgeStale, {.claims = kAll})));
  const json& exclusion = verdict["claims"][0];
  EXPECT_EQ(exclusion["claim"], "exclusion");
  EXPECT_EQ(exclusion["outcome"], "violated");
  EXPECT_EQ(exclusion["expected"], nullptr);
  EXPECT_EQ(exclusion["violations"][0]["fault"], "pause");
  EXPECT_EQ(exclusion["violations"][0]["first"]["client"], 1);
  EXPECT_EQ(exclusion["violations"][0]["lanes"][0]["kind"], "session");
  EXPECT_EQ(exclusion["violations"][0]["lanes"][2]["kind"], "fault");
  EXPECT_EQ(verdict["latency"]["acquire"]["p9999_ns"], nullptr) << "of few values";
  EXPECT_EQ(verdict["faults"][0]["started"], 1);
  EXPECT_EQ(verdict["claims"][1]["margins"][0]["what"], "least lease left at release");
  EXPECT_EQ(verdict["overall"], "violated");
  EXPECT_EQ(verdict["exit_code"], 1);
}

}  // namespace
}  // namespace doublehold
