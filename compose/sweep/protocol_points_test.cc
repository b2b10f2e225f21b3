// Tests which places of a protocol are found in a run's marks and frames.
#include "compose/sweep/protocol_points.h"

#include <gtest/gtest.h>

namespace doublehold {
namespace {

constexpr int64_t kMs = 1'000'000;

class Protocol : public ::testing::Test {
 protected:
  Protocol() {
    for (const FaultPlan& mark : StepMarks(1))
      history_.facts.faults.push_back({.name = mark.name, .kind = mark.kind, .what = ""});
    history_.facts.faults.push_back({.name = "late-2", .kind = "slow", .what = ""});
  }

  void Reach(Step step, int64_t at_ms) { FaultStart(static_cast<int64_t>(step), at_ms); }
  void FaultStart(int64_t fault, int64_t at_ms) {
    for (const EventType type : {EventType::kInvoke, EventType::kOk}) {
      history_.events.push_back({.at_ns = at_ms * kMs,
                                 .client = kSupervisor,
                                 .op = Op::kFault,
                                 .type = type,
                                 .value = {fault, 0, kFaultedClient, -1}});
    }
  }
  void Say(const std::string& command, int64_t at_ms, int node = 1, int client = kFaultedClient) {
    for (const bool is_reply : {false, true}) {
      frames_.push_back({.at_ns = at_ms * kMs,
                         .client = client,
                         .node = node,
                         .is_reply = is_reply,
                         .command = command});
    }
  }

  std::vector<std::string> Places(int section = 1) {
    const Result<ProtocolSection> found = FindProtocolPlaces(history_, frames_, section);
    EXPECT_TRUE(found.has_value()) << found.error().message;
    std::vector<std::string> texts;
    for (const ProtocolPlace& place : found->places) texts.push_back(Describe(place));
    return texts;
  }

  History history_;
  std::vector<Frame> frames_;
};

TEST_F(Protocol, HasTheStepsAndCommandsOfTheFirstClientsFirstSection) {
  Say("PING", 1);  // sent before the client starts
  Reach(Step::kStart, 2);
  Say("SET", 3);
  Say("GET", 4, /*node=*/1, /*client=*/2);
  FaultStart(static_cast<int64_t>(kStepNames.size()), 4);
  Reach(Step::kAfterAcquire, 5);
  Say("SET", 6, kStoreNode);
  Say("SET", 7, kStoreNode);
  Say("", 8);  // sent on a connection whose commands are not parsed
  Reach(Step::kBeforeRelease, 9);
  Say("EVALSHA", 10, 2);
  Reach(Step::kAfterRelease, 11);
  Say("SET", 12);  // sent in the next cycle
  Reach(Step::kMidAcquire, 13);
  EXPECT_EQ(Places(),
            (std::vector<std::string>{"start", "SET to node 1", "after-acquire", "SET to the store",
                                      "2nd SET to the store", "before-release", "EVALSHA to node 2",
                                      "after-release"}));
}

TEST_F(Protocol, RepeatedCommandsAreNumberedWithOrdinals) {
  Reach(Step::kStart, 1);
  for (int i = 0; i < 23; ++i) Say("GET", 2);
  Reach(Step::kAfterRelease, 3);
  const std::vector<std::string> places = Places();
  EXPECT_EQ(places[3], "3rd GET to node 1");
  EXPECT_EQ(places[4], "4th GET to node 1");
  EXPECT_EQ(places[11], "11th GET to node 1");
  EXPECT_EQ(places[21], "21st GET to node 1");
  EXPECT_EQ(places[22], "22nd GET to node 1");
}

TEST_F(Protocol, ALaterSectionBeginsAtTheReleaseBeforeIt) {
  const std::vector<FaultPlan> marks = StepMarks(5);
  EXPECT_EQ(marks.front().on,
            (Trigger{.client = kFaultedClient, .step = Step::kAfterRelease, .nth = 4}));
  EXPECT_EQ(marks.back().on,
            (Trigger{.client = kFaultedClient, .step = Step::kMidRelease, .nth = 5}));
  Say("HELLO", 1);
  Say("SET", 2);
  Reach(Step::kStart, 30);
  Say("SET", 40);
  Reach(Step::kMidAcquire, 20);  // of an earlier section: this one had none
  Reach(Step::kAfterAcquire, 50);
  Reach(Step::kAfterRelease, 60);
  EXPECT_EQ(Places(5),
            (std::vector<std::string>{"SET to node 1", "after-acquire", "after-release"}))
      << "the client's start is no place of it, and commands are counted from its start";
  EXPECT_EQ(FindProtocolPlaces(history_, frames_, 5)->begins_after, 30ms);
}

TEST_F(Protocol, IsAnErrorIfTheClientNeverReleased) {
  Reach(Step::kStart, 1);
  Say("SET", 2);
  Reach(Step::kAfterAcquire, 3);
  const Result<ProtocolSection> found = FindProtocolPlaces(history_, frames_, 2);
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code, ExitCode::kEnvironment);
  EXPECT_EQ(found.error().message,
            "client 1 did not finish its 2nd section in a run without faults: there is nothing to "
            "sweep");
}

}  // namespace
}  // namespace doublehold
