// Tests the callbacks of the poller that all connections of a proxy share.
#include "faults/proxy/poller.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace doublehold {
namespace {

// A socket pair. The poller watches one end; the test writes to the other.
class Watched : public Poller::User {
 public:
  Watched(Poller& poller, std::string name, std::string& calls)
      : socket(poller, *this), alarm(poller, *this), name_(std::move(name)), calls_(calls) {
    std::array<int, 2> ends{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()), 0);
    socket.Own(ends[0]);
    other_ = ends[1];
    EXPECT_TRUE(socket.Watch(/*readable=*/true, /*writable=*/false));
  }
  ~Watched() { close(other_); }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  void Write(std::string_view bytes) const {
    EXPECT_EQ(write(other_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  // Reads one byte.
  void Read() const {
    char byte = 0;
    EXPECT_EQ(read(socket.fd(), &byte, 1), 1);
  }

  void OnReady(const Poller::Socket& /*socket*/, uint32_t /*events*/) override {
    calls_ += name_;
    if (on_ready) on_ready();
  }
  void OnTime(const Poller::Alarm& /*alarm*/) override {
    calls_ += name_ + "!";
    if (on_time) on_time();
  }

  Poller::Socket socket;
  Poller::Alarm alarm;
  std::function<void()> on_ready;
  std::function<void()> on_time;

 private:
  std::string name_;
  std::string& calls_;
  int other_ = -1;
};

class PollerTest : public ::testing::Test {
 protected:
  void RunUntil(const std::function<bool()>& met) {
    while (!met()) ASSERT_GT(io_.run_one_for(std::chrono::seconds(10)), 0U) << calls_;
  }

  boost::asio::io_context io_{1};
  std::shared_ptr<Poller> poller_ = Poller::Create(io_);
  std::string calls_;
  Watched a_{*poller_, "a", calls_};
  Watched b_{*poller_, "b", calls_};
};

TEST_F(PollerTest, ASocketIsReadyUntilItsBytesAreRead) {
  a_.Write("xyz");
  a_.on_ready = [&] { a_.Read(); };
  RunUntil([&] { return calls_.size() == 3; });
  b_.on_ready = [&] { b_.Read(); };
  b_.Write("x");
  RunUntil([&] { return calls_.ends_with('b'); });
  EXPECT_EQ(calls_, "aaab");
}

TEST_F(PollerTest, ASocketClosedByAnotherCallbackGetsNoEvent) {
  a_.Write("x");
  b_.Write("x");
  a_.on_ready = [&] {
    a_.Read();
    b_.socket.Close();
  };
  b_.on_ready = [&] {
    b_.Read();
    a_.socket.Close();
  };
  RunUntil([&] { return !calls_.empty(); });
  io_.poll();
  EXPECT_EQ(calls_.size(), 1U) << calls_;
}

TEST_F(PollerTest, AClosedSocketGetsNoEventWhileAForkedProcessHasIt) {
  const int copy = dup(a_.socket.fd());
  a_.Write("x");
  a_.socket.Close();
  b_.on_ready = [&] { b_.Read(); };
  b_.Write("x");
  RunUntil([&] { return calls_.find('b') != std::string::npos; });
  EXPECT_EQ(calls_, "b");
  close(copy);
}

TEST_F(PollerTest, AnUnwatchedSocketGetsNoEventAtItsEnd) {
  EXPECT_TRUE(a_.socket.Watch(/*readable=*/false, /*writable=*/false));
  shutdown(a_.socket.fd(), SHUT_RDWR);
  b_.on_ready = [&] { b_.Read(); };
  b_.Write("x");
  RunUntil([&] { return !calls_.empty(); });
  EXPECT_EQ(calls_, "b");
  EXPECT_TRUE(a_.socket.Watch(/*readable=*/true, /*writable=*/false));
  a_.on_ready = [&] { a_.socket.Close(); };
  RunUntil([&] { return calls_.size() == 2; });
  EXPECT_EQ(calls_, "ba");
}

TEST_F(PollerTest, AlarmsFireInTheOrderOfTheirLastTimesAndNeverEarly) {
  const MonoTime start = ProxyNow();
  Watched c(*poller_, "c", calls_);
  a_.alarm.Set(start + 1ms);
  b_.alarm.Set(start + 2ms);
  a_.alarm.Set(start + 3ms);
  c.alarm.Set(start);
  c.alarm.Stop();
  b_.on_time = [&] { EXPECT_GE(ProxyNow(), start + 2ms); };
  a_.on_time = [&] { EXPECT_GE(ProxyNow(), start + 3ms); };
  RunUntil([&] { return calls_.size() == 4; });
  EXPECT_EQ(calls_, "b!a!");
}

TEST_F(PollerTest, AnAlarmMaySetItselfAgainInItsCallback) {
  int left = 3;
  a_.on_time = [&] {
    if (--left > 0) a_.alarm.Set(ProxyNow() + 100us);
  };
  a_.alarm.Set(ProxyNow());
  RunUntil([&] { return left == 0; });
  EXPECT_EQ(calls_, "a!a!a!");
}

// With so many events and a pending alarm, the poller sleeps between events and handles them in
// groups.
TEST_F(PollerTest, UnderLoadNoEventIsLostOrEarly) {
  constexpr int kBytes = 20'000;
  int read = 0;
  const auto echo = [&](const Watched& watched) {
    watched.Read();
    if (++read < kBytes) watched.Write("x");
  };
  a_.on_ready = [&] { echo(a_); };
  b_.on_ready = [&] { echo(b_); };
  MonoTime due = ProxyNow() + 1ms;
  int alarms = 0;
  a_.on_time = [&] {
    EXPECT_GE(ProxyNow(), due);
    ++alarms;
    due = ProxyNow() + 1ms;
    a_.alarm.Set(due);
  };
  a_.alarm.Set(due);
  a_.Write("x");
  b_.Write("x");
  RunUntil([&] { return read >= kBytes && alarms >= 3; });
}

TEST_F(PollerTest, AfterCloseNoCallbackRuns) {
  a_.Write("x");
  a_.alarm.Set(ProxyNow());
  poller_->Close();
  io_.restart();
  io_.poll();
  EXPECT_EQ(calls_, "");
}

}  // namespace
}  // namespace doublehold
