// Tests the stall meter: stops real servers, and keeps the event loop from running.
#include "compose/cluster/stall_meter.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>
#include <vector>

#include "compose/cluster/redis/redis_question.h"
#include "lib/base/event.h"
#include "lib/testing/servers.h"

namespace doublehold {
namespace {

using testing::Server;
using testing::TempFolder;

constexpr Duration kShortest = 300ms;
// Well above kShortest, and above stalls of the machine itself.
constexpr Duration kStopped = 900ms;

class StallMeterTest : public ::testing::Test {
 protected:
  StallMeterTest() {
    const auto ping = [] {
      return RedisQuestion({"PING"}, [](const CallResult&) { return true; });
    };
    for (const int node : {0, 1}) {
      const std::filesystem::path socket = folder_.path() / (std::to_string(node) + ".sock");
      meter_.Watch(node, {.unix_path = socket.string()}, ping);
    }
    meter_.Begin();
    io_.run_for(100ms);  // until the first PINGs are answered
  }

  // Runs the event loop until a stall of this process is reported.
  bool IsReported(int32_t whose) {
    for (int i = 0; i < 1000 && !longest_.contains(whose); ++i) io_.run_for(10ms);
    return longest_.contains(whose);
  }

  TempFolder folder_;
  Server store_{folder_.path() / "0.sock"};
  Server node_{folder_.path() / "1.sock"};
  boost::asio::io_context io_;
  std::map<int32_t, Duration> longest_;  // longest stall of each process
  StallMeter meter_{io_, kShortest, [this](const Event& stall) {
                      longest_[stall.client] =
                          std::max(longest_[stall.client], Duration(stall.value[0]));
                    }};
};

TEST_F(StallMeterTest, AStallOfAServerIsReportedWhenItEnds) {
  node_.Stop();
  io_.run_for(kStopped);
  EXPECT_FALSE(longest_.contains(OfServer(1))) << "before it is over";
  node_.Continue();
  ASSERT_TRUE(IsReported(OfServer(1)));
  EXPECT_GT(longest_[OfServer(1)], kStopped / 2);
  EXPECT_FALSE(longest_.contains(OfServer(0))) << "the other did not";
}

TEST_F(StallMeterTest, AStallOfTheLoopIsAttributedToTheSupervisor) {
  std::this_thread::sleep_for(kStopped);
  ASSERT_TRUE(IsReported(kSupervisor));
  EXPECT_GT(longest_[kSupervisor], kStopped / 2);
  io_.run_for(100ms);
  EXPECT_FALSE(longest_.contains(OfServer(0)));
  EXPECT_FALSE(longest_.contains(OfServer(1)));
}

TEST_F(StallMeterTest, AServerThatWasDownIsMeasuredAgainAfterItsRestart) {
  node_.Kill();
  io_.run_for(kStopped);
  node_.Start();
  io_.run_for(200ms);
  EXPECT_FALSE(longest_.contains(OfServer(1))) << "it was down, and did not stand still";
  node_.Stop();
  io_.run_for(kStopped);
  node_.Continue();
  EXPECT_TRUE(IsReported(OfServer(1)));
}

}  // namespace
}  // namespace doublehold
