#include "checker/evidence/holds.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "checker/evidence/entries.h"
#include "checker/evidence/evidence.h"
#include "checker/evidence/overlaps.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

// Returns the client, the core and the live spans of a hold, in ms: "1:[2,14] 2-5 9-12".
std::string DrawnHolds(const Hold& hold) {
  const auto ms = [](int64_t ns) { return std::to_string(ns / 1'000'000); };
  std::string text =
      std::to_string(hold.client) + ":[" + ms(hold.core.from_ns) + "," + ms(hold.core.to_ns) + "]";
  for (const Span& span : hold.live) text += " " + ms(span.from_ns) + "-" + ms(span.to_ns);
  return text;
}

struct HoldsCase {
  std::string name;
  std::string picture;
  std::vector<std::string> holds;
};

void ExpectHolds(const HoldsCase& drawn) {
  const Holds holds = ExtractHolds(FromLanes(drawn.picture));
  EXPECT_FALSE(holds.broken.has_value()) << drawn.name << ": " << *holds.broken;
  std::vector<std::string> found;
  for (const Hold& hold : holds.all) found.push_back(DrawnHolds(hold));
  EXPECT_EQ(found, drawn.holds) << drawn.name;
}

TEST(Holds, AHoldLastsFromTheReturnOfItsAcquireToTheInvocationOfItsRelease) {
  for (const HoldsCase& drawn : std::vector<HoldsCase>{
           {"released in time", "c1: A-a===R--r", {"1:[2,6] 2-6"}},
           {"the lease ends before the release", "c1: A-a==!==R-r", {"1:[2,8] 2-5"}},
           {"the release is refused", "c1: A-a==!==R-x", {"1:[2,8] 2-5"}},
           {"the outcome of the release is unknown", "c1: A-a=====R-?", {"1:[2,8] 2-8"}},
           {"the release never returns", "c1: A-a=====R", {"1:[2,8] 2-8"}},
           {"the acquires are refused", "c1: A-x A--x", {}},
           {"the outcome of the acquire is unknown", "c1: A--?R-r", {}},
           {"two holds in sequence", "c1: A-a==R-rA-a=R-r", {"1:[2,5] 2-5", "1:[10,12] 10-12"}},
           {"re-entry", "c1: A-a==A-a=R-r=R-r", {"1:[2,13] 2-13", "1:[7,9] 7-9"}},
       }) {
    ExpectHolds(drawn);
  }
}

TEST(Holds, AHoldOfZeroLengthIsLiveAtItsInstantOnly) {
  const Holds holds = ExtractHolds(FromLanes("c1: A-a        A-x"));
  ASSERT_EQ(DrawnHolds(holds.all.at(0)), "1:[2,2] 2-2");
  EXPECT_TRUE(holds.all[0].LiveAt(2'000'000));
  EXPECT_FALSE(holds.all[0].LiveAt(2'000'001));
  EXPECT_FALSE(holds.all[0].LiveAt(1'999'999));
}

TEST(Holds, AHoldWhoseLeaseEndedBeforeTheGrantIsNotLive) {
  History history = FromLanes("c1: A----a==R-r");
  history.events[1].value[0] = 2'000'000;
  const Holds holds = ExtractHolds(history);
  ASSERT_EQ(holds.all.size(), 1U);
  EXPECT_EQ(DrawnHolds(holds.all[0]), "1:[5,8]");
  EXPECT_FALSE(holds.all[0].LiveAt(5'000'000));
  EXPECT_EQ(holds.all[0].LeaseEndBefore(5'000'000), 2'000'000);
}

TEST(Holds, AnUnreleasedHoldEndsWithTheLastEventOfItsSession) {
  for (const HoldsCase& drawn : std::vector<HoldsCase>{
           {"killed after a write", "c1: A-a==g=w       | 5 5>4", {"1:[2,7] 2-7"}},
           {"killed at once", "c1: A-a", {"1:[2,2] 2-2"}},
           {"the watchdog outlives the session", "c1: A-a==g======E-e  | 5", {"1:[2,5] 2-5"}},
           {"the session acquires the key again",
            "c1: A-a==g===A-a=R-r | 5",
            {"1:[2,5] 2-5", "1:[11,13] 11-13"}},
           {"the session waits for the key again", "c1: A-a==g===Q===A-x  | 5", {"1:[2,5] 2-5"}},
           {"killed inside a nested hold", "c1: A-a==A-a==g | 5", {"1:[2,2] 2-2", "1:[7,10] 7-10"}},
           {"the death is recorded later",
            "c1:      A-a==g    | 5\ndied c1:            *",
            {"1:[2,5] 2-5"}},
           {"a pause does not kill the client",
            "c1:       A-a==\npause c1:       []",
            {"1:[2,2] 2-2"}},
           {"the session acquires its key again, which is the second key",
            "c2 item-0: A-x\nc1 item-1: A-a==g===A-a=R-r | 5",
            {"1:[2,5] 2-5", "1:[11,13] 11-13"}},
       }) {
    ExpectHolds(drawn);
  }
}

TEST(Holds, AnExtensionCountsFromItsReturn) {
  for (const HoldsCase& drawn : std::vector<HoldsCase>{
           {"answered within the lease", "c1: A-a==E-e==!==R-r", {"1:[2,13] 2-10"}},
           {"never answered", "c1: A-a==E-!==R-r", {"1:[2,10] 2-7"}},
           {"answered after the expiry", "c1: A-a==!=E-e==!=R-r", {"1:[2,14] 2-5 9-12"}},
           {"failed", "c1: A-a==E-x==!==R-r", {"1:[2,13] 2-10"}},
           {"timed out", "c1: A-a==E-?==!==R-r", {"1:[2,13] 2-10"}},
       }) {
    ExpectHolds(drawn);
  }
}

TEST(Holds, AnExtensionAnsweredAtTheEndOfTheHoldAddsNoLiveSpan) {
  // c2's lease ends before c1 is granted the key. At 13 ms the extension of c2's watchdog is
  // answered, and c2's session ends the hold. The order of the two events is unknown.
  for (const HoldsCase& ends : std::vector<HoldsCase>{
           {"released", "c2: A-a==!=E----eR-r", {"2:[2,13] 2-5", "1:[8,16] 8-16"}},
           {"never released; the watchdog outlives the session",
            "c2: A-a==!=E----eg===E--e | 5",
            {"2:[2,13] 2-5", "1:[8,16] 8-16"}},
       }) {
    History history = FromLanes(ends.picture + "\nc1:       A-a=======R-r");
    for (Event& event : history.events) {
      if (event.op == Op::kExtend && event.type == EventType::kOk && event.at_ns < 13'000'000)
        event.at_ns += 1'000'000;
    }
    SortByTime(history.events);
    const Holds holds = ExtractHolds(history);
    std::vector<std::string> found;
    for (const Hold& hold : holds.all) found.push_back(DrawnHolds(hold));
    EXPECT_EQ(found, ends.holds) << ends.name;
    EXPECT_TRUE(FindOverlaps(holds, Part::kLive).empty()) << ends.name;
    EXPECT_EQ(FindOverlaps(holds, Part::kCore).size(), 1U) << ends.name;
  }
}

TEST(Holds, AnExtensionAnsweredAfterTheReleaseWasInvokedExtendsNothing) {
  History history = FromLanes("c1: A-a==!=R--r");
  Event extend{.at_ns = 6'000'000,
               .hold = 101,
               .client = 1,
               .op = Op::kExtend,
               .type = EventType::kInvoke,
               .task = TaskKind::kWatchdog,
               .value = {50'000'000}};
  history.events.push_back(extend);
  extend.at_ns = 8'000'000;
  extend.type = EventType::kOk;
  extend.value = {56'000'000};
  history.events.push_back(extend);
  SortByTime(history.events);
  EXPECT_EQ(DrawnHolds(ExtractHolds(history).all[0]), "1:[2,7] 2-5");
}

TEST(Holds, AnExtensionBeforeTheGrantWasRecordedCountsFromTheGrant) {
  const History history = FromLanes("c1: A-------a==!=====R-r");
  Event extend{.at_ns = 3'000'000,
               .hold = 101,
               .client = 1,
               .op = Op::kExtend,
               .type = EventType::kInvoke,
               .task = TaskKind::kWatchdog,
               .value = {4'000'000}};
  for (const auto& [type, drawn] : {std::pair{EventType::kOk, "1:[8,17] 8-15"},
                                    {EventType::kInfo, "1:[8,17]"},
                                    {EventType::kFail, "1:[8,17] 8-11"}}) {
    SCOPED_TRACE(Name(type));
    const bool ok = type == EventType::kOk;
    History extended = history;
    extended.events.push_back(extend);
    Event answer = extend;
    answer.at_ns = 5'000'000;
    answer.type = type;
    answer.value = {ok ? 15'000'000 : 0};
    extended.events.push_back(answer);
    SortByTime(extended.events);
    EXPECT_EQ(DrawnHolds(ExtractHolds(extended).all[0]), drawn);
  }
}

TEST(Holds, AShorterLeaseCountsFromTheInvocationOfItsExtension) {
  History history = FromLanes("c1: A-a====E----e====R-r");
  history.events[2].value[0] = 2'000'000;   // requested lease: 2 ms, ends at 9 ms
  history.events[3].value[0] = 14'000'000;  // valid_until in the answer at 12 ms
  EXPECT_EQ(DrawnHolds(ExtractHolds(history).all[0]), "1:[2,17] 2-9 12-14");
  history.events[2].value[0] = 1;
  EXPECT_EQ(DrawnHolds(ExtractHolds(history).all[0]), "1:[2,17] 2-7 12-14");
  history.events[2].value[0] = 0;  // the requested lease is not known
  EXPECT_EQ(DrawnHolds(ExtractHolds(history).all[0]), "1:[2,17] 2-14");
}

TEST(Holds, AFailedExtensionWhoseInvocationWasLostLeavesTheExtendedLease) {
  History history = FromLanes("c1: A-a==E-e=====E-x==R-r");
  history.events[1].value[0] = 8'000'000;  // valid_until of the grant
  history.events.erase(history.events.begin() + 4);
  EXPECT_EQ(DrawnHolds(ExtractHolds(history).all[0]), "1:[2,18] 2-18");
}

TEST(Holds, AReleaseWithoutItsInvocationEndsTheHoldAtThePreviousEvent) {
  History history = FromLanes("c1: A-a==g==R----r | 5");
  std::erase_if(history.events, [](const Event& event) {
    return event.op == Op::kRelease && event.type == EventType::kInvoke;
  });
  EXPECT_EQ(DrawnHolds(ExtractHolds(history).all[0]), "1:[2,5] 2-5");
}

TEST(Holds, ALeaseThatEndsAtItsGrantIsNotLive) {
  History history = FromLanes("c1: A-a==R-r");
  history.events[1].value[0] = history.events[1].at_ns;
  EXPECT_EQ(DrawnHolds(ExtractHolds(history).all[0]), "1:[2,5]");
}

TEST(Holds, AnEndlessGrantIsLiveUntilItsRelease) {
  History history = FromLanes("c1: A-a====R-r");
  history.events[1].value[0] = INT64_MAX;
  const Holds holds = ExtractHolds(history);
  EXPECT_EQ(DrawnHolds(holds.all[0]), "1:[2,7] 2-7");
  EXPECT_EQ(holds.all[0].valid_until_ns, INT64_MAX);
}

// The session to which such a grant belongs ends with its client. A living client keeps it.
TEST(Holds, AnEndlessGrantEndsWithTheDeathOfItsClient) {
  for (const bool dies : {true, false}) {
    History history = FromLanes(dies ? "c1:      A-a==g\ndied c1:       *" : "c1:      A-a==g");
    for (Event& event : history.events) {
      if (event.op == Op::kAcquire && event.type == EventType::kOk) event.value[0] = INT64_MAX;
    }
    EXPECT_EQ(ExtractHolds(history).all[0].promised.empty(), dies);
  }
}

TEST(Holds, AHistoryThatContradictsItselfIsBroken) {
  const auto broken = [](int32_t client, uint64_t hold, size_t event) {
    History history = FromLanes("c1: A-a==R-r\nc2:          A-a=R-r");
    history.events[event].client = client;
    history.events[event].hold = hold;
    return ExtractHolds(history).broken.value_or("");
  };
  EXPECT_EQ(broken(1, 101, 1), "");
  EXPECT_EQ(broken(2, 101, 5),
            "the history contradicts itself: at 0.011 s client 2 was granted hold 101, which was "
            "granted before");
  EXPECT_EQ(broken(1, 0, 1),
            "the history contradicts itself: at 0.002 s client 1 was granted a key without a hold");
  EXPECT_EQ(broken(2, 101, 6),
            "the history contradicts itself: at 0.013 s client 2 released hold 101, which it was "
            "not granted");
  EXPECT_EQ(broken(2, 999, 6),
            "the history contradicts itself: at 0.013 s client 2 used hold 999, which nobody was "
            "granted");
}

TEST(Holds, AUseOfAHoldThatNobodyWasGrantedContradictsTheHistory) {
  History history = FromLanes("c1: A-a=g=W-w=R-r | 5 5>4");
  EXPECT_FALSE(ExtractHolds(history).broken);
  std::erase_if(history.events, [](const Event& event) {
    return event.op == Op::kAcquire && event.type == EventType::kOk;
  });
  EXPECT_EQ(ExtractHolds(history).broken.value_or(""),
            "the history contradicts itself: at 0.004 s client 1 used hold 101, which nobody was "
            "granted");
}

TEST(Holds, ARefusedAcquireGrantsNoHold) {
  History history = FromLanes("c1: A-a=R-r");
  history.events[1].type = EventType::kFail;
  EXPECT_EQ(ExtractHolds(history).broken.value_or(""),
            "the history contradicts itself: at 0.004 s client 1 used hold 101, which nobody was "
            "granted");
}

TEST(Holds, OfTwoOverlapsWithAGrantTheLongerOneIsFound) {
  const std::vector<OverlapFound> found = FindOverlaps(ExtractHolds(FromLanes(R"(
      c1: A-a=====R-r
      c2:   A-a==========R-r
      c3:      A-a========R-r)")),
                                                       Part::kCore);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].first, 1U);
  EXPECT_EQ(found[1].others, 1);
}

// c1 waits for two keys, so the grant of the first one does not let it enter its section.
TEST(Holds, ASessionThatUsesWhatItsLockProtectsHasEnteredItsSection) {
  struct Row {
    std::string use;
    TaskKind by;
    bool enters;
  };
  for (const auto& [use, by, enters] : std::vector<Row>{{"S-k | 7", TaskKind::kSession, true},
                                                        {"L-l | 1/1", TaskKind::kSession, true},
                                                        {"S-k | 7", TaskKind::kWatchdog, false},
                                                        {"R-r", TaskKind::kSession, false}}) {
    History history = FromLanes("c1 item-0: Q-A-a=" + use + "\nc1 item-1: Q");
    for (Event& event : history.events) {
      if (event.op == Op::kSave) event.task = by;
    }
    Holds holds = ExtractHolds(history);
    MarkEntries(history, holds);
    EXPECT_EQ(holds.all.at(0).entered_ns, enters ? 6'000'000 : kForeverNs) << use;
  }
}

// c1 was granted the first key without a wait for it.
TEST(Holds, ASessionThatStillWaitsForAnotherKeyHasNotEnteredItsSection) {
  const History history = FromLanes("c1 item-0:  A-a==R-r\nc1 item-1: Q----q");
  Holds holds = ExtractHolds(history);
  MarkEntries(history, holds);
  EXPECT_EQ(holds.all.at(0).entered_ns, 5'000'000);
}

TEST(Holds, TwoThreadsOfAClientAreTwoOwners) {
  History history = FromLanes("c1: A-a=====R-r");
  History other = FromLanes("c1:   A-a=====R-r");
  for (Event& event : other.events) {
    event.thread = 1;
    event.hold += event.hold != 0 ? 100 : 0;
    history.events.push_back(event);
  }
  SortByTime(history.events);
  const Holds holds = ExtractHolds(history);
  ASSERT_EQ(holds.all.size(), 2U);
  EXPECT_NE(holds.all[0].owner(), holds.all[1].owner());
  EXPECT_EQ(FindOverlaps(holds, Part::kCore).size(), 1U);
}

TEST(Holds, SharedHoldsMayOverlap) {
  const std::string picture = "c1: A-a=====R-r\nc2:   A-a=====R-r";
  for (const auto& [first, second, overlaps] :
       {std::tuple{0, 0, 1U}, std::tuple{1, 0, 1U}, std::tuple{0, 1, 1U}, std::tuple{1, 1, 0U}}) {
    History history = FromLanes(picture);
    for (Event& event : history.events) {
      if (event.op != Op::kAcquire || event.type != EventType::kOk) continue;
      event.value[2] = event.client == 1 ? first : second;
    }
    EXPECT_EQ(FindOverlaps(ExtractHolds(history), Part::kCore).size(), overlaps) << first << second;
  }
}

TEST(Holds, AHoldEndsWhenItsSectionThrowsEvenWithoutARelease) {
  History history = FromLanes("c1: A-a==g   | 5");
  const uint64_t hold = history.events[1].hold;
  history.events.push_back(
      {.at_ns = 9'000'000, .hold = hold, .client = 1, .op = Op::kLeave, .type = EventType::kInfo});
  history.events.push_back({.at_ns = 12'000'000, .client = 1, .op = Op::kWait});
  const Holds holds = ExtractHolds(history);
  ASSERT_EQ(holds.all.size(), 1U);
  EXPECT_EQ(holds.all[0].core, (Span{2'000'000, 9'000'000}));
  EXPECT_TRUE(holds.all[0].left);
  EXPECT_FALSE(holds.all[0].released);
}

TEST(Holds, AnUnreleasedHoldLastsUntilAFaultKillsItsClient) {
  const auto drawn = [](const std::string& picture) {
    return DrawnHolds(ExtractHolds(FromLanes(picture)).all[0]);
  };
  EXPECT_EQ(drawn("c1:       A-a==!\n"
                  "crash c1:             []"),
            "1:[2,12] 2-5");
  EXPECT_EQ(drawn("c1:       A-a==R-r\n"
                  "crash c1:             []"),
            "1:[2,5] 2-5");
  EXPECT_EQ(drawn("c1:       A-a==!\n"
                  "crash c2:             []"),
            "1:[2,2] 2-2");
  // The lost records of c1 may include its release.
  EXPECT_EQ(drawn("c1:       A-a==!\n"
                  "crash c1:             []\n"
                  "lost c1:                *"),
            "1:[2,2] 2-2");
}

TEST(Holds, AnUnreleasedHoldStaysPromisedForTheRestOfItsLease) {
  const auto promised = [](const std::string& picture, int64_t left_ms = 0) {
    History history = FromLanes(picture);
    Event leave{.at_ns = left_ms * 1'000'000,
                .hold = 101,
                .client = 1,
                .op = Op::kLeave,
                .type = EventType::kInfo};
    if (left_ms > 0) history.events.push_back(leave);
    SortByTime(history.events);
    const Holds holds = ExtractHolds(history);
    if (holds.all[0].promised.empty()) return Span{};
    const Span span = holds.all[0].promised.front();
    return Span{span.from_ns / 1'000'000, span.to_ns / 1'000'000};
  };
  const auto none = [&](const std::string& picture) {
    const Span span = promised(picture);
    return span.from_ns == span.to_ns;
  };
  EXPECT_EQ(promised("c1:       A-a=====   !\n"
                     "crash c1:     []"),
            (Span{4, 11}));
  EXPECT_EQ(promised("c1: A-a===== !"), (Span{2, 9}));
  EXPECT_EQ(promised("c1: A-a===== !  A-x"), (Span{2, 9}));
  EXPECT_EQ(promised("c1: A-a=====   A-x"), (Span{2, 11}))
      << "the promise ends at the second acquire";
  EXPECT_EQ(promised("c1: A-a=====   A-x", 6), (Span{6, 11}));
  EXPECT_TRUE(none("c1: A-a===R-r"));
  EXPECT_TRUE(none("c1: A-a===R-?"));
  EXPECT_TRUE(
      none("c1:       A-a==!====\n"
           "crash c1:             []"));
  EXPECT_TRUE(
      none("c1:       A-a=====   !\n"
           "crash c1:     []\n"
           "lost c1:         *"));
}

TEST(Holds, AKillOfADeadClientDoesNotCancelTheEarlierKill) {
  History history = FromLanes(
      "c1:       A-a==!\n"
      "crash c1:             []");
  history.facts.faults.push_back(history.facts.faults.front());
  Event again{.at_ns = 20'000'000,
              .client = kSupervisor,
              .op = Op::kFault,
              .type = EventType::kInvoke,
              .value = {1, 0, 1, -1}};
  history.events.push_back(again);
  again.type = EventType::kFail;
  history.events.push_back(again);
  EXPECT_EQ(DrawnHolds(ExtractHolds(history).all[0]), "1:[2,12] 2-5");
}

TEST(Holds, AnUnreleasedHoldMayEndAtTheStartOfTheRun) {
  for (const std::string died : {"", "\ndied c1: *"}) {
    History history = FromLanes("c1:      A-a" + died);
    for (Event& event : history.events) event.at_ns = 0;
    EXPECT_EQ(ExtractHolds(history).all.at(0).core, (Span{0, 0})) << died;
  }
}

TEST(Holds, AHoldContinuesIfItsSessionUsesItAfterAReentry) {
  History history = FromLanes("c1: A-a=A-a=R-r=====g   | 5");
  const Holds holds = ExtractHolds(history);
  EXPECT_EQ(DrawnHolds(holds.all[0]), "1:[2,16] 2-16");
  EXPECT_FALSE(holds.all[0].left);
  for (Event& event : history.events) {
    if (event.op == Op::kRead) event.hold = 0;
  }
  EXPECT_EQ(DrawnHolds(ExtractHolds(history).all[0]), "1:[2,2] 2-2");
}

TEST(Holds, AReleaseUnderAnotherKeyIsAContradiction) {
  History history = FromLanes("c1 item-0: A-a==R-r\nc2 item-1:          A-a=R-r");
  for (Event& event : history.events) {
    if (event.op == Op::kRelease && event.client == 1) event.key = 1;
  }
  EXPECT_EQ(ExtractHolds(history).broken.value_or(""),
            "the history contradicts itself: at 0.005 s client 1 released hold 101, which it was "
            "not granted");
}

TEST(Holds, ASumOfTimesDoesNotOverflow) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(Later(2, 3), 5);
  EXPECT_EQ(Later(30, kMost), kForeverNs);
  EXPECT_EQ(Later(kMost, 1), kForeverNs);
  EXPECT_EQ(Later(-kMost, 1), 1 - kMost);
}

// A history of another tool may have any number for a lease.
TEST(Holds, ALeaseWithoutEndNeverEnds) {
  History history = FromLanes("c1: A-a=E-e=R-r");
  for (const size_t asks : {0U, 2U}) history.events.at(asks).value[0] = kForeverNs * 2;
  const Evidence evidence(history);
  EXPECT_EQ(evidence.lease_ends().LatestNs(evidence.calls().all.front()), kNeverNs);
}

TEST(Holds, AHoldIsNotLiveAtTheInstantAtWhichItsLeaseEnds) {
  // Live from 2 to 5 ms, and from 9 to 12 ms.
  const Hold hold = ExtractHolds(FromLanes("c1: A-a==!=E-e==!=R-r")).all.at(0);
  for (const auto& [at_ms, live, ended_ms] : {std::tuple{2, true, 5},
                                              {4, true, 5},
                                              {5, false, 5},
                                              {8, false, 5},
                                              {9, true, 5},
                                              {12, false, 12},
                                              {14, false, 12}}) {
    EXPECT_EQ(hold.LiveAt(at_ms * 1'000'000), live) << at_ms;
    EXPECT_EQ(hold.LeaseEndBefore(at_ms * 1'000'000), ended_ms * 1'000'000) << at_ms;
  }
}

TEST(Holds, AHoldRecordsItsInvocationAndTheLatestEffectOfItsRelease) {
  struct Released {
    std::string picture;
    int64_t done_ms;
    bool harmless;
  };
  for (const Released& each : std::vector<Released>{{"c1:  A--a==R--r", 9, true},
                                                    {"c1:  A--a==R--x", 9, true},
                                                    {"c1:  A--a==R--f", 9, false},
                                                    {"c1:  A--a==R--?", 19, false}}) {
    const Hold hold = ExtractHolds(FromLanes(each.picture)).all.at(0);  // the run's lease is 10 ms
    EXPECT_EQ(hold.asked_ns, 0);
    EXPECT_EQ(hold.done_ns, each.done_ms * 1'000'000) << each.picture;
    EXPECT_EQ(hold.harmless, each.harmless) << each.picture;
  }
}

TEST(Holds, AnUnansweredReleaseIsHarmlessOnlyIfAllAnsweredOnesCheckedTheOwner) {
  EXPECT_TRUE(ExtractHolds(FromLanes("c1: A-aR-r A-aR-r A-aR-?")).all.at(2).harmless);
  EXPECT_FALSE(ExtractHolds(FromLanes("c1: A-aR-r A-aR-f A-aR-?")).all.at(2).harmless);
}

TEST(Holds, AFailedExtensionToAShorterLeaseLeavesTheEarlierLease) {
  for (const auto& [outcome, live] : {std::pair{'x', "2-17"}, {'?', "2-9"}}) {
    History history = FromLanes(std::string("c1: A-a====E----") + outcome + "====R-r");
    history.events[2].value[0] = 2'000'000;  // requested lease: 2 ms, ends at 9 ms
    EXPECT_EQ(DrawnHolds(ExtractHolds(history).all[0]), std::string("1:[2,17] ") + live);
  }
}

}  // namespace
}  // namespace doublehold
