#include "lib/history/shiviz.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "lib/base/prng.h"

namespace doublehold {
namespace {

// Returns the lines of the log behind its first two.
std::vector<std::string> LinesOf(const History& history, const std::vector<Frame>& frames) {
  std::ostringstream out;
  WriteShiViz(history, frames, out);
  std::vector<std::string> lines;
  std::istringstream in(out.str());
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  EXPECT_GE(lines.size(), 2U);
  // ShiViz reads the form of events from the first line, and from the second what separates
  // executions.
  EXPECT_EQ(lines[0], "(?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)");
  EXPECT_EQ(lines[1], "");
  return {lines.begin() + 2, lines.end()};
}

Frame RequestAt(int64_t at_ns, int client, int node, std::optional<int64_t> arrived_ns) {
  return {
      .at_ns = at_ns, .client = client, .node = node, .command = "SET", .arrived_ns = arrived_ns};
}
Frame ReplyAt(int64_t at_ns, int client, int node, std::optional<int64_t> arrived_ns) {
  Frame frame = RequestAt(at_ns, client, node, arrived_ns);
  frame.is_reply = true;
  return frame;
}

TEST(ShiViz, ARequestAndItsReplyOrderTheEventsOfClientAndNode) {
  const Event asks{.at_ns = 10, .client = 1, .type = EventType::kInvoke, .value = {100}};
  const Event granted{
      .at_ns = 40, .hold = 7, .client = 1, .type = EventType::kOk, .value = {110, 3}};
  EXPECT_EQ(LinesOf({.facts = {.keys = {"item\n0"}}, .events = {asks, granted}},
                    {RequestAt(10, 1, 2, 20), ReplyAt(20, 1, 2, 40)}),
            (std::vector<std::string>{
                R"(client-1 {"client-1":1})", R"(acquire invoke item\n0 lease_ns=100)",
                R"(client-1 {"client-1":2})", "sends SET to node-2",
                R"(node-2 {"node-2":1,"client-1":2})", "receives SET from client-1",
                R"(node-2 {"node-2":2,"client-1":2})", "sends the reply to SET to client-1",
                R"(client-1 {"node-2":2,"client-1":3})", "receives the reply to SET from node-2",
                R"(client-1 {"node-2":2,"client-1":4})",
                R"(acquire ok item\n0 hold=7 valid_until_ns=110 token=3)"}));
}

TEST(ShiViz, ALostMessageHasNoReceive) {
  EXPECT_EQ(LinesOf({}, {RequestAt(1, 1, 0, std::nullopt), RequestAt(2, 2, 0, 3)}),
            (std::vector<std::string>{R"(client-1 {"client-1":1})", "sends SET to store, lost",
                                      R"(client-2 {"client-2":1})", "sends SET to store",
                                      R"(store {"store":1,"client-2":1})",
                                      "receives SET from client-2"}));
}

TEST(ShiViz, HasTheEventsOfClientsNodesAndFaultsOnly) {
  const auto fault = [](EventType type, int64_t client, int64_t node) {
    return Event{
        .client = kSupervisor, .op = Op::kFault, .type = type, .value = {0, 5, client, node}};
  };
  History history{
      .facts = {},
      .events = {
          Event{.client = kReferee, .op = Op::kFinal, .type = EventType::kOk},
          fault(EventType::kInvoke, -1, 0), fault(EventType::kOk, 3, -1),
          fault(EventType::kInvoke, -1, -1),
          Event{.client = OfServer(4), .op = Op::kStall, .type = EventType::kInfo, .value = {9}}}};
  history.facts.faults.push_back({.name = "stop"});
  EXPECT_EQ(LinesOf(history, {}),
            (std::vector<std::string>{R"(store {"store":1})", "fault stop begins",
                                      R"(client-3 {"client-3":1})", "fault stop ends",
                                      R"(node-4 {"node-4":1})", "stall info length_ns=9"}));
}

// What ShiViz requires of a log, and what its arrows mean.
TEST(ShiViz, TheVectorClocksAreConsistent) {
  Prng prng(1, "shiviz");
  std::vector<Frame> frames;
  std::vector<Event> events;
  for (int64_t at_ns = 0; at_ns < 2000; ++at_ns) {
    Frame frame = RequestAt(at_ns, 1 + static_cast<int>(prng.Below(3)),
                            static_cast<int>(prng.Below(3)), std::nullopt);
    frame.is_reply = prng.Below(2) == 0;
    frame.command = "C" + std::to_string(at_ns);  // identifies the message
    if (prng.Below(4) != 0) frame.arrived_ns = at_ns + static_cast<int64_t>(prng.Below(50));
    frames.push_back(frame);
    if (prng.Below(3) == 0)
      events.push_back({.at_ns = at_ns, .client = 1 + static_cast<int32_t>(prng.Below(3))});
  }
  const std::vector<std::string> lines = LinesOf({.facts = {}, .events = events}, frames);
  std::map<std::string, nlohmann::json> last;   // clock of each host
  std::map<std::string, nlohmann::json> sends;  // clock of each message's send
  int receives = 0;
  for (size_t i = 0; i + 1 < lines.size(); i += 2) {
    const std::string host = lines[i].substr(0, lines[i].find(' '));
    const nlohmann::json clock = nlohmann::json::parse(lines[i].substr(host.size() + 1));
    nlohmann::json expected = last.contains(host) ? last[host] : nlohmann::json::object();
    expected[host] = expected.value(host, 0) + 1;
    const std::string& text = lines[i + 1];
    const std::string message = text.substr(0, text.find_first_of(" ,", text.find(" C") + 1));
    const std::string name = message.substr(message.rfind(' ') + 1);
    if (text.starts_with("sends ")) sends[name] = clock;
    if (text.starts_with("receives ")) {
      ++receives;
      ASSERT_TRUE(sends.contains(name)) << text << ": received before it was sent";
      for (const auto& [other, count] : sends[name].items())
        expected[other] = std::max(expected.value(other, 0), count.get<int>());
      EXPECT_NE(sends[name], clock);
    }
    EXPECT_EQ(clock, expected) << text;
    last[host] = clock;
  }
  EXPECT_EQ(last.size(), 6U) << "three clients, two nodes and the store";
  EXPECT_EQ(sends.size(), frames.size());
  EXPECT_EQ(receives, std::ranges::count_if(
                          frames, [](const Frame& frame) { return frame.arrived_ns.has_value(); }));
}

}  // namespace
}  // namespace doublehold
