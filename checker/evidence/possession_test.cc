#include "checker/evidence/possession.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checker/evidence/evidence.h"
#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

std::string InMs(int64_t ns) { return ns >= kForeverNs ? "ever" : std::to_string(ns / 1'000'000); }

// Returns who may have the key when: "1:0-6 2:9-ever". With a likely end: "1:0-ever(12)".
std::string DrawnPossessions(const History& history) {
  const Evidence evidence(history);
  std::string text;
  for (const Possession& each : evidence.possessions().at(0).all()) {
    const std::string likely =
        each.likely_ns == each.may.to_ns ? "" : "(" + InMs(each.likely_ns) + ")";
    text += (text.empty() ? "" : " ") + std::to_string(each.acquire->session.client) + ":" +
            InMs(each.may.from_ns) + "-" + InMs(each.may.to_ns) + likely;
  }
  return text;
}

struct PossessionCase {
  std::string name;
  std::string picture;
  std::string expected;
  int nodes = 1;
};

void ExpectPossessions(const std::vector<PossessionCase>& drawn) {
  for (const PossessionCase& each : drawn) {
    const History history = FromLanes(each.picture, {.nodes = each.nodes, .asked_lease = 20ms});
    EXPECT_EQ(DrawnPossessions(history), each.expected) << each.name << each.picture;
  }
}

TEST(Possession, LastsFromTheInvocationOfTheAcquireToTheAnswerOfTheRelease) {
  ExpectPossessions({
      {"released", "c1: A-a==R-r", "1:0-7"},
      {"released after its lease", "c1: A-a===========================R-r", "1:0-22"},
      {"refused", "c1: A-x A-aR-r", "1:4-9"},
      {"a release that reports a loss", "c1: A-a==R-x", "1:0-7"},
      {"a release that reports a loss on several nodes", "c1: A-a==R-x", "1:0-22", 3},
      {"a release without an answer", "c1: A-a==R-?", "1:0-22"},
      {"never released", "c1: A-a==", "1:0-22"},
      {"a reader, whose lease others may renew", "c1: A-b==", "1:0-ever(22)"},
      {"the session had it before", "c1: A-aR-r A-a==", "1:0-5 1:7-29"},
      {"after a release without an answer, whose entry may go on",
       "c1: A-aR-? A-a==", "1:0-ever(22) 1:7-ever(29)"},
      {"a nested entry, whose lease the outer one may renew", "c1: A-a=A-aR-?=R-r",
       "1:0-13 1:4-ever(26)"},
      {"after an extension without an answer, which may extend this entry",
       "c1: A-aE-?R-r A-a==", "1:0-8 1:10-ever(32)"},
      {"extended", "c1: A-a==E-e", "1:0-27"},
      {"an extension without an answer", "c1: A-a==E-?", "1:0-ever(27)"},
  });
}

TEST(Possession, OfAnAcquireWithoutAnAnswerHasNoEndButItsOwnRelease) {
  ExpectPossessions({
      {"no answer", "c1: A-?", "1:0-ever(22)"},
      {"released", "c1: A-?R-r", "1:0-5"},
      {"released on several nodes", "c1: A-?R-r", "1:0-ever(22)", 3},
      {"released without a check of the owner", "c1: A-?R-f", "1:0-ever(22)"},
      {"the release may have freed another hold", "c1: A-aR-?A-?R-r", "1:0-ever(22) 1:6-ever(28)"},
      {"the other hold was released before", "c1: A-aR-rA-?R-r", "1:0-5 1:6-11"},
      {"another unknown acquire came later", "c1: A-?R-r  A-?", "1:0-5 1:8-ever(30)"},
      {"both were released", "c1: A-?R-r  A-?R-r", "1:0-5 1:8-13"},
      {"the second of two", "c1: A-?A-?R-r", "1:0-ever(28) 1:3-ever(25)"},
  });
}

TEST(Possession, AMovedClockLeavesALeaseWithoutAnEnd) {
  const History history = FromLanes(R"(
      c1:        A-a===
      c2:     A-aR-r
      jump n1:       [])",
                                    {.asked_lease = 20ms});
  EXPECT_EQ(DrawnPossessions(history), "2:0-5 1:3-ever(25)");
}

TEST(Possession, AKeyThatNobodyAskedForHasNone) {
  History history = FromLanes("c1: A-aR-r");
  std::erase_if(history.events, [](const Event& event) { return event.op == Op::kAcquire; });
  const Evidence evidence(history);
  EXPECT_TRUE(evidence.possessions().at(0).all().empty());
  EXPECT_TRUE(evidence.second_copies().at(0).all().empty());
}

TEST(Possession, EndsWithAnExclusiveGrantToAnother) {
  const std::string asks_again = "c1: A-a==R-?A-a=R-r\n";
  ExpectPossessions({
      {"the session may have re-entered", asks_again, "1:0-ever(22) 1:8-14"},
      {"another was granted it", asks_again + "c2:                    A-a",
       "1:0-21 1:8-14 2:19-41"},
      {"another had asked before the grant", "c2: A---------a\nc1:  A-a==R-?", "2:0-30 1:1-23"},
      {"a reader was granted it", asks_again + "c2:                    A-b",
       "1:0-ever(22) 1:8-14 2:19-ever(41)"},
  });
}

TEST(Possession, AWaitLastsFromTheFirstAcquireToTheGrant) {
  const History history = FromLanes(R"(
      c1:   A-x A-x  A-a=R-r A-x
      c2:     A-?R-r)");
  const Evidence evidence(history);
  const KeyTimeline& waits = evidence.waits().at(0);
  const auto waits_at = [&](int32_t client, int64_t ms) {
    return waits.Meets(SessionId{.client = client}, {ms * 1'000'000, ms * 1'000'000});
  };
  EXPECT_TRUE(waits_at(1, 3));
  EXPECT_TRUE(waits_at(1, 11));
  EXPECT_FALSE(waits_at(1, 13));
  EXPECT_TRUE(waits_at(1, 1000));
  EXPECT_TRUE(waits_at(2, 6));
  EXPECT_FALSE(waits_at(2, 8)) << "its release shows that the acquire was carried out";
}

TEST(KeyTimeline, FindsTheTimesOfOtherSessions) {
  const History history = FromLanes(R"(
      c1:  A-a===================R-r
      c2:        A-aR-r    A-aR-r
      c3:                 A-a=R-r)");
  const Evidence evidence(history);
  const KeyTimeline& timeline = evidence.possessions().at(0);
  struct Row {
    int32_t except;
    int64_t from_ms, to_ms;
    bool expected;
  };
  for (const Row& row : std::vector<Row>{{1, 0, 5, false},
                                         {1, 0, 6, true},
                                         {1, 12, 13, false},
                                         {1, 11, 13, true},
                                         {2, 12, 13, true},
                                         {3, 26, 90, false},
                                         {3, 24, 90, true},
                                         {2, 26, 90, false}}) {
    EXPECT_EQ(timeline.MeetsOther({.client = row.except},
                                  {row.from_ms * 1'000'000, row.to_ms * 1'000'000}),
              row.expected)
        << row.except << " " << row.from_ms << "-" << row.to_ms;
  }
}

}  // namespace
}  // namespace doublehold
