#include "checker/measures/load.h"

#include <gtest/gtest.h>

#include "checker/testing/ascii_history.h"

namespace doublehold {
namespace {

// A column is 1 ms.
Load Measure(const History& history) { return MeasureLoad(Evidence(history)); }

struct HandoverCase {
  const char* what;
  const char* lanes;
  int64_t count = 0, max_ms = 0;
};

TEST(Load, AHandoverLastsFromAReleaseToTheNextGrantIfAnotherWaited) {
  const HandoverCase cases[] = {
      {"nobody waited", R"(
      c1:  QA-aq==R--r
      c2:                QA-aq=R-r)"},
      {"one waited", R"(
      c1:  QA-aq==R--r
      c2:     QA-------aq=R-r)",
       1, 5},
      {"the key went to one who came later", R"(
      c1:  QA-aq==R--r
      c2:     QA-----------x
      c3:            QA-aq==R-r)",
       1, 6},
      {"one who gave up before the release does not wait", R"(
      c1:  QA-aq=======R--r
      c2:     QA-xx
      c3:                   QA-aq=R-r)"},
      {"the last one gave up before the next came", R"(
      c1:  QA-aq==R--r
      c2:     QA-------xx
      c3:                    QA-aq=R-r)"},
      {"a refused attempt is no grant", R"(
      c1:  QA-aq==R--r
      c2:     QA-------x-A-aq=R-r)",
       1, 9},
  };
  for (const HandoverCase& one : cases) {
    SCOPED_TRACE(one.what);
    const Load load = Measure(FromLanes(one.lanes));
    EXPECT_EQ(load.latency.at("handover").count, one.count);
    EXPECT_EQ(load.latency.at("handover").max_ns, one.max_ms * 1'000'000);
  }
}

TEST(Load, AResponseLastsFromTheTimeAtWhichACustomerCame) {
  History history = FromLanes(R"(
      c1:  ---QA-aq==R-r  QA-aq=R-r)");
  EXPECT_EQ(Measure(history).latency.at("response").count, 0);
  for (Event& event : history.events) {
    if (event.op == Op::kWait && event.type == EventType::kInvoke) event.value = {1'000'000};
  }
  const Percentiles response = Measure(history).latency.at("response");
  EXPECT_EQ(response.count, 2);
  EXPECT_EQ(response.p50_ns, 6'000'000);
  EXPECT_EQ(response.max_ns, 18'000'000);
}

TEST(Load, ACustomerWhoGaveUpWaitedAtLeastUntilThen) {
  History history = FromLanes(R"(
      c1:  QA-aq==R-r
      c2:   QA-----------xx)");
  for (Event& event : history.events) {
    if (event.op == Op::kWait && event.type == EventType::kInvoke) event.value = {1'000'000};
  }
  const Load load = Measure(history);
  const Percentiles response = load.latency.at("response");
  EXPECT_EQ(response.count, 2);
  EXPECT_EQ(response.max_ns, 14'000'000);
}

TEST(Load, JainsIndexSaysHowEquallySessionsAreServed) {
  struct Case {
    const char* what;
    const char* lanes;
    std::optional<double> index;
  };
  const Case cases[] = {
      {"one session", "\n      c1:  A-a=R-r", std::nullopt},
      {"nobody is granted", "\n      c1:  A-x\n      c2:  A-x", std::nullopt},
      {"equal", "\n      c1:  A-a=R-r\n      c2:          A-a=R-r", 1.0},
      {"one of two has all", "\n      c1:  A-a=R-r\n      c2:     A-x", 0.5},
      {"threads of one client count each", "\n      c1:  A-a=R-r\n      c1.2:    A-x", 0.5},
      {"three and one", "\n      c1:  A-aR-rA-aR-rA-aR-r\n      c2:                        A-aR-r",
       0.8},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.what);
    const Load load = Measure(FromLanes(one.lanes));
    ASSERT_EQ(load.jain_index.has_value(), one.index.has_value());
    EXPECT_DOUBLE_EQ(load.jain_index.value_or(-1), one.index.value_or(-1));
  }
}

TEST(Load, AddsUpWhatEachLinkCarried) {
  History history = FromLanes("\n      c1:  A-a=R-r");
  EXPECT_FALSE(Measure(history).sent.has_value());
  for (const int64_t client : {1, 2}) {
    history.events.push_back({.at_ns = 9'000'000,
                              .client = kSupervisor,
                              .op = Op::kTraffic,
                              .type = EventType::kOk,
                              .value = {client, 1, 10 * client, 1000}});
  }
  const Load load = Measure(history);
  ASSERT_TRUE(load.sent.has_value());
  EXPECT_EQ(load.sent->commands, 30);
  EXPECT_EQ(load.sent->bytes, 2000);
}

TEST(Load, CountsTheCommandsOfHolders) {
  const char* lanes = R"(
      c1:       A-a=========R-r
      c2:                        A-a==R-r
      sent c1: * **   *  *   * *
      sent c2:      *            *  * **)";
  EXPECT_FALSE(Measure(FromLanes(lanes)).renewals.has_value()) << "not all commands are recorded";
  const Load load = Measure(FromLanes(lanes, {.limits = {{"commands-per-hold", "100"}}}));
  ASSERT_TRUE(load.renewals.has_value());
  EXPECT_EQ(load.renewals->commands, 3);
  EXPECT_EQ(load.renewals->held_ns, 13'000'000);
  const Load cut = Measure(FromLanes(std::string(lanes) + "\n      sent c1:            #",
                                     {.limits = {{"commands-per-hold", "100"}}}));
  EXPECT_FALSE(cut.renewals.has_value()) << "from some time on nothing is recorded";
}

}  // namespace
}  // namespace doublehold
