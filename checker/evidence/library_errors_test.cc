#include "checker/evidence/library_errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "checker/judge.h"
#include "checker/measures/unknown_operations.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

// In `picture`, the answer to each acquire and release of unknown outcome is an error.
History HistoryWithErrors(const std::string& picture, const std::vector<std::string>& claims = {}) {
  History history = FromLanes(
      picture, {.lease = 2ms, .grace = 2ms, .claims = claims, .library = LibraryFact{"lib", "1"}});
  history.facts.library->errors = {"no route"};
  std::vector<Event> events;
  for (const Event& event : history.events) {
    if (event.type == EventType::kInfo && event.client > 0)
      events.push_back({.at_ns = event.at_ns,
                        .client = event.client,
                        .op = Op::kDriverError,
                        .type = EventType::kInfo,
                        .value = {1'000'000, event.op == Op::kAcquire ? 0 : 1}});
    events.push_back(event);
  }
  history.events = events;
  return history;
}

TEST(LibraryErrors, AFaultDisturbsItsClientsCallsUntilLeaseAndGraceAfterItsEnd) {
  const History history = HistoryWithErrors(R"(
      pause c2:      [---]
      c1:         A-?     A-a=R-?
      c2:       A-? A-? A-? A-x A-?A-x)");
  const LibraryErrors errors = CountLibraryErrors(Evidence(history));
  const auto& [acquires, releases, extensions] = errors;
  EXPECT_EQ(acquires.sent, 8);
  EXPECT_EQ(acquires.errors, 5);
  EXPECT_EQ(acquires.undisturbed, 5) << "all of client 1, the first and the last two of client 2";
  EXPECT_EQ(acquires.undisturbed_errors, 3);
  EXPECT_EQ(releases.errors, 1);
  EXPECT_EQ(releases.undisturbed_errors, 1);
  EXPECT_EQ(extensions.errors, 0);
  EXPECT_EQ(
      DescribeErrors(acquires),
      "the library answered 5 of 8 acquires with an error; of the 5 that no fault disturbed, 3");
}

// Counted against all acquires, these would be fewer than a tenth.
TEST(LibraryErrors, TheShareOfErrorsIsOfTheAcquiresThatNoFaultDisturbed) {
  std::string disturbed = "c2:       ";
  for (int i = 0; i < 20; ++i) disturbed += "A-x ";
  const std::string fault = "pause c2: [" + std::string(78, '-') + "]\n";
  const std::string text = ToText(
      Judge(HistoryWithErrors(fault + "c1:       A-a=R-r A-?\n" + disturbed, {"availability"})));
  EXPECT_NE(text.find("answered 1 of 22 acquires with an error; of the 2 that no fault disturbed, "
                      "1 (limit for these: 10 %)"),
            std::string::npos)
      << text;
}

// A fault on the only server disturbs all calls, unless it moves the clock or acts on another lock.
TEST(LibraryErrors, AMovedClockAndAFaultOnAnotherLockDisturbNoCall) {
  for (const char* kind : {"jump", "delay"}) {
    SCOPED_TRACE(kind);
    History history = HistoryWithErrors(std::string(kind) + R"( n1:  [--------]
      c1:       A-?   A-x)");
    if (std::string_view(kind) == "delay") history.facts.faults.at(0).key = "another";
    if (std::string_view(kind) == "delay") history.facts.keys.push_back("another");
    const CallErrors acquires = CountLibraryErrors(Evidence(history)).front();
    EXPECT_EQ(acquires.undisturbed, 2);
    EXPECT_EQ(acquires.undisturbed_errors, 1);
  }
}

TEST(LibraryErrors, AnAcquireOfSeveralKeysIsOneCall) {
  const CallErrors acquires = CountLibraryErrors(Evidence(HistoryWithErrors(R"(
      c1 item-0:  A-? A-a=R-r
      c1 item-1:  A-? A-a=R-r)")))
                                  .front();
  EXPECT_EQ(acquires.sent, 2);
}

// The session sends nothing while its first call is unanswered.
TEST(LibraryErrors, ARefusalBehindAnUnansweredCallIsNoCall) {
  History history = FromLanes("c1: A-? A-x A-x A-a=R-r A-x",
                              {.lease = 2ms, .grace = 2ms, .library = LibraryFact{"lib", "1"}});
  EXPECT_EQ(CountLibraryErrors(Evidence(history)).front().sent, 3);
}

TEST(LibraryErrors, ACallThatWasNeverAnsweredWasSent) {
  const History history = FromLanes("c1: A-a=R-r A", {.library = LibraryFact{"lib", "1"}});
  const CallErrors acquires = CountLibraryErrors(Evidence(history)).front();
  EXPECT_EQ(acquires.sent, 2);
  EXPECT_EQ(acquires.undisturbed, 2);
}

// A lock server gave the hint, so the session sent this acquire, and later ones.
TEST(LibraryErrors, ARefusalWithARetryHintIsACallEvenBehindAnUnansweredOne) {
  const History history = FromLanes("c1: A-? A-t A-x", {.library = LibraryFact{"lib", "1"}});
  EXPECT_EQ(CountLibraryErrors(Evidence(history)).front().sent, 3);
}

TEST(LibraryErrors, AReleaseIsNotSentOnlyIfItsAcquireFailed) {
  History history = HistoryWithErrors("c1: A-?  R-?    A-a=R-?");
  std::erase_if(history.events, [](const Event& event) {
    return event.op == Op::kDriverError && event.value[1] == 1;
  });
  std::vector<UnknownWhy> why;
  for (const Call& call : ExtractCalls(history).all) {
    if (call.outcome == EventType::kInfo) why.push_back(call.why);
  }
  EXPECT_EQ(why, (std::vector<UnknownWhy>{UnknownWhy::kError, UnknownWhy::kNotSent,
                                          UnknownWhy::kNoAnswer}));
}

TEST(LibraryErrors, TheVerdictCountsAndQuotesThem) {
  const RunVerdict verdict = Judge(HistoryWithErrors("c1: A-a=R-r A-? A-a=R-r", {"availability"}));
  const std::string text = ToText(verdict);
  EXPECT_NE(text.find("the library answered 1 of 3 acquires with an error; no fault disturbed"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("errors of the library: \"no route\""), std::string::npos) << text;
  const nlohmann::json errors = ToJson(verdict).at("library").at("errors");
  EXPECT_EQ(errors.at("texts"), nlohmann::json{"no route"});
  EXPECT_EQ(
      errors.at("acquires"),
      (nlohmann::json{{"count", 1}, {"of", 3}, {"undisturbed_errors", 1}, {"undisturbed", 3}}));
}

TEST(LibraryErrors, ACallThatWasAnsweredWithAnErrorIsNotDescribedAsUnanswered) {
  History history = HistoryWithErrors(R"(
      c1: A-?  R-?    A-a=R-?
      c2:                    A-a=R-r)");
  const auto count = [&](std::string_view words) {
    const BlindSpots spots = FindBlindSpots(Evidence(history));
    return std::ranges::count_if(spots.first, [&](const BlindSpot& spot) {
      return spot.sentence.find(words) != std::string::npos;
    });
  };
  EXPECT_EQ(count(" s, was answered with an error: "), 3);
  EXPECT_EQ(count("was not answered"), 0);
  std::erase_if(history.events, [](const Event& event) { return event.op == Op::kDriverError; });
  EXPECT_EQ(count(" s, was not answered: "), 3);
}

TEST(LibraryErrors, NothingIsValidIfMoreThanATenthOfTheAcquiresFail) {
  std::string lane = "c1: ";
  for (int i = 0; i < 9; ++i) lane += "A-a=R-r ";
  const auto outcome = [&](const std::string& picture) {
    return Judge(HistoryWithErrors(picture, {"availability"})).claims.at(0).outcome;
  };
  EXPECT_EQ(outcome(lane + "A-?"), Outcome::kValid) << "a tenth";
  EXPECT_EQ(outcome(lane + "A-? A-?"), Outcome::kUnknown);
}

}  // namespace
}  // namespace doublehold
