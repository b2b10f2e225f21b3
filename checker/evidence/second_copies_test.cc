#include "checker/evidence/second_copies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
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
           {"duplicate c1:   [-]\nhold c1:        [----]\nmachine n1:          (------)", 13}}) {
    History history = FromLanes("c1:            A---aR-r\n" + disturbance);
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

// The number of a client's calls at whose invocation a copy of its own acquire may hold the key.
int64_t CallsWithOwnCopy(int32_t client, const std::string& picture, bool has_queue) {
  History history = FromLanes(picture, {.asked_lease = 10ms});
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
                            false);
  };
  EXPECT_EQ(calls("A-aR-r", "A-a"), 1) << "c2's release only";
  EXPECT_EQ(calls("A-aR-?", "A-a"), 2) << "c1 may re-enter without asking a server";
  EXPECT_EQ(calls("A-aR-r", "A-x"), 2);
}

}  // namespace
}  // namespace doublehold
