#include "checker/evidence/second_copies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "checker/evidence/evidence.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

TEST(SecondCopies, ArePossibleWhereAFaultOrAStallMetTheAcquire) {
  struct Row {
    std::string disturbance;
    std::optional<int64_t> if_granted_ms, if_refused_ms;
  };
  for (const Row& row : std::vector<Row>{
           {"hold c1:        [-]", 4, 4},
           {"hold c1:        [------]", 8, 8},
           {"duplicate c1:   [-]", 4, 4},
           {"drop c1:        [-]", std::nullopt, 4},
           {"pause n1:       [-]", std::nullopt, std::nullopt},
           {"pause n0:       [-]", std::nullopt, std::nullopt},
           {"pause c1:       [-]", std::nullopt, std::nullopt},
           {"pause c2:       [-]", std::nullopt, std::nullopt},
           {"hold c2:        [-]", std::nullopt, std::nullopt},
           {"jump n1:        [-]", std::nullopt, std::nullopt},
           {"hold c1:           [-]", 6, 6},  // from the answer on
           {"hold c1:                [-]", std::nullopt, std::nullopt},
           {"machine n1:     (------)", 8, 8},
           {"machine n1:     (--)", std::nullopt, std::nullopt},
           {"machine n1:    (--)\nmachine c1:       (---)", 7, 7},  // together too long
           {"machine n0:     (------)", std::nullopt, std::nullopt},
       }) {
    const History history = FromLanes("c1:            A---aR-r\n" + row.disturbance);
    const Disturbances disturbances = Observe(history);
    const Span when{0, 4'000'000};
    const auto in_ms = [](std::optional<int64_t> ns) -> std::optional<int64_t> {
      return ns ? std::optional(*ns / 1'000'000) : std::nullopt;
    };
    EXPECT_EQ(in_ms(SecondCopyArrivalNs(disturbances, 1, when, true)), row.if_granted_ms)
        << row.disturbance;
    EXPECT_EQ(in_ms(SecondCopyArrivalNs(disturbances, 1, when, false)), row.if_refused_ms)
        << row.disturbance;
  }
}

TEST(SecondCopies, AFaultDelaysACopyThatItDidNotMake) {
  for (const auto& [disturbance, arrival_ms] : std::vector<std::pair<std::string, int64_t>>{
           {"hold c1:        [-----------]", -1},
           {"duplicate c1:   [-]", 4},
           {"duplicate c1:   [-]\nhold c1:        [-----------]", 13},
           {"duplicate c1:   [-]\npause n1:       [------]", 8},
           {"duplicate c1:   [-]\npause n0:       [------]", 4},
           {"duplicate c1:   [-]\nmachine n1:     (------)", 8},
           {"duplicate c1:   [-]\nhold c1:        [----]\nmachine n1:          (------)", 13},
           // It may be under way for a tenth of a lease (2 ms) after its arrival.
           {"duplicate c1:   [-]\nhold c1:            [--]", 8},
           {"duplicate c1:   [-]\nhold c1:             [--]", 4},
           {"duplicate c1:   [-]\nmachine n1:         (------)", 12},
           {"duplicate c1:   [-]\nmachine n1:          (------)", 4}}) {
    History history = FromLanes("c1:            A---aR-r\n" + disturbance, {.lease = 20ms});
    history.facts.lock_traits = LockTraits{LockTrait::kSendsOnce};
    const auto arrival_ns = SecondCopyArrivalNs(Observe(history), 1, {0, 4'000'000}, true);
    EXPECT_EQ(arrival_ns ? *arrival_ns / 1'000'000 : -1, arrival_ms) << disturbance;
  }
}

TEST(SecondCopies, ManyShortStallsFarApartMakeNone) {
  const std::string acquire = "c1:         A----------------------------------------a";
  const auto copy = [&](const std::string& stalls) {
    const History history = FromLanes(acquire + "\nmachine n1: " + stalls);
    return SecondCopyArrivalNs(Observe(history), 1, {0, 41'000'000}, true).has_value();
  };
  EXPECT_FALSE(copy("  (-)         (-)         (-)"));
  EXPECT_TRUE(copy("  (-)(-)(-)"));
}

// Returns who may have the key by a copy, and when: "1:6-17 2:9-ever".
std::string DrawnCopies(const History& history, CopyQueue queue) {
  const Evidence evidence(history);
  const auto in_ms = [](int64_t ns) {
    return ns >= kForeverNs ? "ever" : std::to_string(ns / 1'000'000);
  };
  const Possessions copies = FindSecondCopies(evidence, queue);
  std::string text;
  for (const Possession& each : copies.at(0).all()) {
    text += (text.empty() ? "" : " ") + std::to_string(each.acquire->session.client) + ":" +
            in_ms(each.may.from_ns) + "-" + in_ms(each.may.to_ns);
  }
  return text;
}

// The copy arrives at 11 ms. A later call of its session may set its lease again.
TEST(SecondCopies, HaveTheKeyForALeaseUnlessACallOfTheirSessionRenewsIt) {
  struct Row {
    std::string client1, reentrant, not_reentrant;
    bool longer = false;  // the last acquire asks for 20 ms
  };
  for (const Row& row : std::vector<Row>{
           {"A-aR-r A---x", "1:7-21", "1:7-21"},
           {"A-a    A---x", "1:7-ever", "1:7-ever"},  // the holder may extend it
           {"A-aR-r A---x   A-x", "1:7-27", "1:7-21"},
           {"A-aR-r A---x   A-x", "1:7-37", "1:7-21", true},
           {"A-aR-r A---x   A-?", "1:7-ever", "1:7-21"},
           {"A-aR-r A---x   A-aR-r", "1:7-ever", "1:7-17"},
           {"A-aR-r A---x           A-x", "1:7-21", "1:7-21"},
       }) {
    History history =
        FromLanes("c1:       " + row.client1 + "\nhold c1:         [---]", {.asked_lease = 10ms});
    if (row.longer) {
      const auto acquire = std::ranges::find_if(history.events, [](const Event& event) {
        return event.op == Op::kAcquire && event.at_ns == 15'000'000;
      });
      ASSERT_NE(acquire, history.events.end());
      acquire->value[0] = 20'000'000;
    }
    history.facts.lock_traits = LockTraits{LockTrait::kReentry};
    EXPECT_EQ(DrawnCopies(history, CopyQueue::kAnyOrder), row.reentrant) << row.client1;
    history.facts.lock_traits = LockTraits{};
    EXPECT_EQ(DrawnCopies(history, CopyQueue::kAnyOrder), row.not_reentrant) << row.client1;
  }
}

TEST(SecondCopies, AMovedClockMayKeepACopyForEver) {
  for (const auto& [jump, copies] :
       {std::pair{"       []", "1:7-ever"}, {"[]        ", "1:7-21"}}) {
    History history =
        FromLanes(std::string("c1:       A-aR-r A---x\nhold c1:         [---]\njump n1:  ") + jump,
                  {.asked_lease = 10ms});
    history.facts.lock_traits = LockTraits{};
    EXPECT_EQ(DrawnCopies(history, CopyQueue::kAnyOrder), copies) << jump;
  }
}

TEST(SecondCopies, HaveTheKeyForNoLongerThanTheirLeases) {
  const auto had_for = [](const std::string& client1, int64_t for_ms) {
    History history = FromLanes("c1:            " + client1 + "\nduplicate c1:   [---------------]",
                                {.asked_lease = 10ms});
    history.facts.lock_traits = LockTraits{LockTrait::kQueue};
    return MayBeHadByCopies(Evidence(history), 0, {20'000'000, 55'000'000}, for_ms * 1'000'000)
        .has_value();
  };
  EXPECT_TRUE(had_for("A---x", 10));
  EXPECT_FALSE(had_for("A---x", 11));
  EXPECT_TRUE(had_for("A---xA---x", 20)) << "one after the other";
  EXPECT_FALSE(had_for("A---xA---x", 21));
  EXPECT_TRUE(had_for("A---x                   A-x", 16)) << "renewed until 6 ms after 20 ms";
  EXPECT_FALSE(had_for("A---x                   A-x", 17));
}

TEST(SecondCopies, HaveTheKeyForTheLongestLeaseThatTheirSessionAskedForOrWasGranted) {
  const auto had_for = [](Op op, EventType type, int64_t lease_ms, int64_t for_ms,
                          int32_t client = 1) {
    History history =
        FromLanes("c1:            A-aE-eR-r\nc2:                        A-x\nduplicate c1:   []",
                  {.asked_lease = 10ms});
    for (Event& event : history.events) {
      if (event.op != op || event.type != type || event.client != client) continue;
      const int64_t from_ns = type == EventType::kInvoke ? 0 : event.at_ns;
      event.value[0] = from_ns + lease_ms * 1'000'000;
    }
    return MayBeHadByCopies(Evidence(history), 0, {10'000'000, 90'000'000}, for_ms * 1'000'000)
        .has_value();
  };
  EXPECT_FALSE(had_for(Op::kRelease, EventType::kFail, 0, 12)) << "as drawn";
  EXPECT_FALSE(had_for(Op::kAcquire, EventType::kInvoke, 60, 12, 2)) << "another's lease";
  EXPECT_FALSE(had_for(Op::kAcquire, EventType::kOk, 10, 12)) << "it may count from the answer";
  for (const Op op : {Op::kAcquire, Op::kExtend}) {
    EXPECT_TRUE(had_for(op, EventType::kInvoke, 60, 59)) << Name(op);
    EXPECT_FALSE(had_for(op, EventType::kInvoke, 60, 65)) << Name(op);
    EXPECT_TRUE(had_for(op, EventType::kOk, 60, 59)) << Name(op);
    EXPECT_FALSE(had_for(op, EventType::kOk, 60, 65)) << Name(op);
  }
}

TEST(SecondCopies, AnUnansweredExtensionOrAnotherReaderMayRenewThem) {
  const auto had_for_50_ms = [](const std::string& client1, const std::string& client2) {
    const History history = FromLanes(
        "c1:            " + client1 + "\nc2:            " + client2 + "\nduplicate c1:   []",
        {.asked_lease = 10ms});
    return MayBeHadByCopies(Evidence(history), 0, {10'000'000, 90'000'000}, 50'000'000).has_value();
  };
  EXPECT_FALSE(had_for_50_ms("A-aE-eR-r", "          A-x"));
  EXPECT_TRUE(had_for_50_ms("A-aE-?R-r", "          A-x"));
  EXPECT_TRUE(had_for_50_ms("A-bE-eR-r", "          A-b                                   A-b"));
  EXPECT_FALSE(had_for_50_ms("A-bE-eR-r", "          A-b                                   A-x"));
}

// c1's copy arrives at 8 ms, and then waits in a queue that is first-in, first-out.
TEST(SecondCopies, AWaitingCopyHasEndedIfAnotherJoinedTheQueueAfterItsArrival) {
  for (const auto& [client2, copies] : {std::pair{"...........A-a", "1:2-13"},
                                        {"A-t........A-a", "1:2-ever"},  // waits since 0 ms
                                        {"A-aR-r.....A-a", "1:2-13"},    // this wait is over
                                        // The first acquire may still wait.
                                        {"A-?........A-aR-r...A-a", "1:2-ever"}}) {
    const History history =
        FromLanes(std::string("hold c1:    [----]\nc1:      ..A---x\nc2:      ") + client2);
    EXPECT_EQ(DrawnCopies(history, CopyQueue::kFifo), copies) << client2;
  }
}

TEST(SecondCopies, OfAReleaseMayFreeAnothersLockUnlessItChecksTheOwner) {
  for (const auto& [answer, frees_own, frees_other] :
       {std::tuple{"r", true, false}, {"f", true, true}, {"?", true, true}}) {
    const History history = FromLanes(std::string("c1:      A-aR---") + answer +
                                      "\nhold c1:     [-----]\nc2:              A-a");
    const Evidence evidence(history);
    const auto frees = [&](int32_t client) {
      return MayBeFreedByCopy(evidence, {.client = client}, 0, {9'000'000, 10'000'000}).has_value();
    };
    EXPECT_EQ(frees(1), frees_own) << answer;
    EXPECT_EQ(frees(2), frees_other) << answer;
  }
}

// The number of a client's calls at whose invocation a copy of its own acquire may hold the key.
int64_t CallsWithOwnCopy(int32_t client, const std::string& picture, bool has_queue,
                         Duration lease = 10ms) {
  History history = FromLanes(picture, {.asked_lease = lease});
  history.facts.lock_traits = LockTraits{LockTrait::kReentry};
  if (has_queue) history.facts.lock_traits->Add(LockTrait::kQueue);
  const Evidence evidence(history);
  return std::ranges::count_if(evidence.calls().all, [&](const Call& call) {
    return call.session.client == client && MayMeetOwnCopy(evidence, call);
  });
}

// c1's refused acquire may have a copy, which ends a lease of 10 ms later unless it waits.
TEST(SecondCopies, ACopyMayWaitInAQueueOnlyIfAnotherSessionMayUseTheKey) {
  const std::string later = R"(
      hold c1:           [-]
      c1:                A---x                        A-a)";
  EXPECT_EQ(CallsWithOwnCopy(1, "      c2:       A-aR-r" + later, true), 0);
  EXPECT_EQ(CallsWithOwnCopy(1, "      c2:       A-?R-x" + later, true), 1)
      << "c2's acquire may be carried out later";
  EXPECT_EQ(CallsWithOwnCopy(1, "      c2:       A-aR-r\n      hold c2:  [-]" + later, true), 1)
      << "a copy of c2's acquire may hold the key";
}

TEST(SecondCopies, OnlyAGrantToASessionThatIsNotInsideShowsThatACopyHasEnded) {
  const auto calls = [](const std::string& before, const std::string& after) {
    return CallsWithOwnCopy(2,
                            "hold c2:        [-]\n"
                            "c2:             A--aR-r                A-x\n"
                            "c1:     " +
                                before + "               " + after,
                            false, 30ms);
  };
  EXPECT_EQ(calls("A-aR-r", "A-a"), 1) << "c2's release only";
  EXPECT_EQ(calls("A-aR-?", "A-a"), 2) << "c1 may re-enter without asking a server";
  EXPECT_EQ(calls("A-aR-r", "A-x"), 2);
}

}  // namespace
}  // namespace doublehold
