#include "lib/history/perfetto.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace doublehold {
namespace {

using nlohmann::json;

History WithEvents(std::vector<Event> events) {
  History history{.facts = {.keys = {"item \"0\""}}, .events = std::move(events)};
  history.facts.faults.push_back({.name = "stop"});
  return history;
}

Event At(int64_t us, int32_t client, Op op, EventType type, uint64_t hold = 0) {
  return {.at_ns = us * 1000, .hold = hold, .client = client, .op = op, .type = type};
}

json TraceOf(const History& history) {
  std::ostringstream out;
  WriteChromeTrace(history, out);
  return json::parse(out.str());
}

// Returns "X read 3-4" for each event of the trace but the names of tracks, in order.
std::vector<std::string> Lines(const History& history) {
  std::vector<std::string> lines;
  const json trace = TraceOf(history);
  for (const json& event : trace.at("traceEvents")) {
    const auto phase = event.at("ph").get<std::string>();
    if (phase == "M") continue;
    const auto at = static_cast<int64_t>(event.at("ts").get<double>());
    std::string line = phase + " " + event.at("name").get<std::string>() + " " + std::to_string(at);
    if (phase == "X")
      line += "-" + std::to_string(at + static_cast<int64_t>(event.at("dur").get<double>())) + " " +
              event.at("args").at("outcome").get<std::string>();
    lines.push_back(line);
  }
  return lines;
}

TEST(ChromeTrace, HasTheCallsHoldsAndFaultsOfAHistory) {
  using enum EventType;
  const Event begins{.at_ns = 4000,
                     .client = kSupervisor,
                     .op = Op::kFault,
                     .type = kInvoke,
                     .value = {0, 0, 1, -1}};
  Event ends = begins;
  ends.at_ns = 6000;
  ends.type = kOk;
  EXPECT_EQ(
      Lines(WithEvents({At(1, 1, Op::kWait, kInvoke), At(1, 1, Op::kAcquire, kInvoke),
                        At(2, 1, Op::kAcquire, kOk, 7), At(2, 1, Op::kWait, kOk), begins,
                        At(5, 1, Op::kRead, kInvoke), ends, At(7, 1, Op::kRead, kOk),
                        At(8, 1, Op::kRelease, kInvoke, 7), At(9, 1, Op::kRelease, kOk, 7)})),
      (std::vector<std::string>{"X acquire 1-2 ok", "b hold 2", "X wait 1-2 ok", "b stop 4",
                                "e stop 6", "X read 5-7 ok", "e hold 8", "X release 8-9 ok"}));
}

TEST(ChromeTrace, ACallWithoutAnAnswerEndsWhereItsTrackGoesOn) {
  using enum EventType;
  EXPECT_EQ(
      Lines(WithEvents({At(1, 1, Op::kWait, kInvoke), At(2, 1, Op::kAcquire, kInvoke),
                        At(5, 1, Op::kWait, kFail), At(6, 1, Op::kAcquire, kInvoke),
                        At(7, 2, Op::kAcquire, kOk, 8), At(9, 0, Op::kFinal, kOk)})),
      (std::vector<std::string>{"X acquire 2-5 no answer", "X wait 1-5 fail", "i acquire 7",
                                "b hold 7", "i final 9", "X acquire 6-9 no answer", "e hold 9"}));
}

// Perfetto refuses to draw calls of a track that overlap without one containing the other.
TEST(ChromeTrace, TheCallsOfATrackNest) {
  using enum EventType;
  std::vector<Event> events;
  uint64_t random = 1;
  for (int64_t us = 0; us < 1000; ++us) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    const auto op = static_cast<Op>((random >> 33U) % 10);
    events.push_back(At(us, static_cast<int32_t>((random >> 50U) % 3), op,
                        (random >> 60U) % 2 == 0 ? kInvoke : kOk, 1 + (random >> 40U) % 5));
  }
  std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> calls;
  std::map<int64_t, int> holds;
  const json trace = TraceOf(WithEvents(events));
  for (const json& event : trace.at("traceEvents")) {
    const std::string phase = event.at("ph");
    if (phase == "b" || phase == "e") {
      int& open = holds[event.at("id")];
      open += phase == "b" ? 1 : -1;
      EXPECT_TRUE(open == 0 || open == 1) << event;
    }
    if (phase != "X") continue;
    const double begin = event.at("ts"), end = begin + event.at("dur").get<double>();
    for (const auto& [from, to] : calls[{event.at("pid"), event.at("tid")}]) {
      const bool apart = to <= begin || end <= from;
      const bool nested = (begin <= from && to <= end) || (from <= begin && end <= to);
      EXPECT_TRUE(apart || nested) << begin << "-" << end << " and " << from << "-" << to;
    }
    calls[{event.at("pid"), event.at("tid")}].emplace_back(begin, end);
  }
  EXPECT_EQ(calls.size(), 3U);
}

TEST(ChromeTrace, AnAttemptOnSeveralKeysIsANestedCallForEachKey) {
  using enum EventType;
  std::vector<Event> events{At(1, 1, Op::kAcquire, kInvoke),    At(2, 1, Op::kAcquire, kInvoke),
                            At(5, 1, Op::kAcquire, kOk, 7),     At(6, 1, Op::kAcquire, kOk, 8),
                            At(7, 1, Op::kRelease, kInvoke, 7), At(8, 1, Op::kRelease, kInvoke, 8),
                            At(9, 1, Op::kRelease, kOk, 7),     At(9, 1, Op::kRelease, kOk, 8)};
  for (size_t i = 1; i < events.size(); i += 2) events[i].key = 1;
  History history = WithEvents(events);
  history.facts.keys = {"a", "b"};
  EXPECT_EQ(Lines(history), (std::vector<std::string>{
                                "X acquire 2-5 ok", "X acquire 1-5 ok", "b hold 5", "b hold 6",
                                "e hold 7", "e hold 8", "X release 8-9 ok", "X release 7-9 ok"}));
}

}  // namespace
}  // namespace doublehold
