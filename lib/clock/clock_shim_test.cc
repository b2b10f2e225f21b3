// The clock shim under a test program and under a real redis-server.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <memory>
#include <sstream>

#include "lib/base/paths.h"
#include "lib/clock/clock_page.h"
#include "lib/os/spawn.h"
#include "lib/redis/hiredis_connection.h"
#include "lib/testing/byte_client.h"
#include "lib/testing/servers.h"

namespace doublehold {
namespace {

using testing::ByteClient;
using testing::Eventually;

constexpr int64_t kSecondNs = 1'000'000'000;
// Bound on delays of the machine between two readings. All jumps in these tests are far larger.
constexpr int64_t kSlackNs = 20 * kSecondNs;

// Two pages in a memfd that child processes inherit. The second one is the clock page.
class SharedClock {
 public:
  SharedClock() : fd_(memfd_create("doublehold-test", 0)) {
    EXPECT_EQ(ftruncate(fd_, 2 * DOUBLEHOLD_CLOCK_PAGE_BYTES), 0);
    memory_ =
        mmap(nullptr, 2 * DOUBLEHOLD_CLOCK_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
    page_ = std::make_unique<ClockPage>(static_cast<char*>(memory_) + DOUBLEHOLD_CLOCK_PAGE_BYTES);
  }
  ~SharedClock() {
    munmap(memory_, 2 * DOUBLEHOLD_CLOCK_PAGE_BYTES);
    close(fd_);
  }
  ClockPage& page() { return *page_; }
  // Fills the first page with a moved clock but without the magic number, so it is no clock page.
  void FillFirstPage() {
    ClockPage(memory_).Set(3600s, 1.0);
    std::memset(memory_, 0, sizeof(doublehold_clock_page::magic));
  }
  [[nodiscard]] std::vector<std::string> Environment() const {
    return Environment(fmt::format("{}:{}", fd_, DOUBLEHOLD_CLOCK_PAGE_BYTES));
  }
  // Returns the environment with `value` for DOUBLEHOLD_CLOCK.
  static std::vector<std::string> Environment(const std::string& value) {
    return {"LD_PRELOAD=" + BinaryDir() + "/libdoublehold_clock_shim.so",
            "ASAN_OPTIONS=verify_asan_link_order=0", DOUBLEHOLD_CLOCK_VARIABLE "=" + value};
  }
  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_;
  void* memory_ = nullptr;
  std::unique_ptr<ClockPage> page_;
};

struct Clocks {
  int64_t monotonic = 0;
  int64_t machine = 0;
  std::vector<int64_t> wall;  // one reading for each way to read the wall clock
};

// The probe program, running under the shim.
class Probe {
 public:
  explicit Probe(const SharedClock& clock) : Probe(clock, clock.Environment()) {}
  Probe(const SharedClock& clock, const std::vector<std::string>& environment) {
    EXPECT_EQ(pipe2(to_, O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(from_, O_CLOEXEC), 0);
    pid_ = Spawn({.argv = {BinaryDir() + "/doublehold_clock_probe"},
                  .environment = environment,
                  .descriptors = {clock.fd()},
                  .input = to_[0],
                  .output = from_[1]})
               .value();
    close(to_[0]);
    close(from_[1]);
  }
  ~Probe() {
    kill(pid_, SIGKILL);
    AwaitEnd(pid_);
    close(to_[1]);
    close(from_[0]);
  }
  Clocks Read() {
    EXPECT_EQ(write(to_[1], "\n", 1), 1);
    std::string line;
    for (char c = 0; c != '\n' && read(from_[0], &c, 1) == 1;) line += c;
    std::istringstream words(line);
    Clocks clocks;
    words >> clocks.monotonic >> clocks.machine;
    for (int64_t ns = 0; words >> ns;) clocks.wall.push_back(ns);
    EXPECT_EQ(clocks.wall.size(), 7u) << "the probe said: " << line;
    return clocks;
  }

 private:
  int to_[2] = {-1, -1};
  int from_[2] = {-1, -1};
  pid_t pid_ = -1;
};

void ExpectAhead(const Clocks& clocks, int64_t ahead_ns) {
  for (const int64_t wall : clocks.wall) {
    EXPECT_NEAR(static_cast<double>(wall - clocks.machine), static_cast<double>(ahead_ns),
                static_cast<double>(kSlackNs));
  }
}

TEST(ClockShim, MovesEveryWallClockOfARunningProcessAndNotTheMonotonicOne) {
  SharedClock clock;
  Probe probe(clock);
  ExpectAhead(probe.Read(), 0);
  int64_t monotonic_ns = 0;
  for (const int64_t hours : {1, -3, 48, 0}) {
    clock.page().Set(hours * 3600s, 1.0);
    const Clocks clocks = probe.Read();
    ExpectAhead(clocks, hours * 3600 * kSecondNs);
    EXPECT_GT(clocks.monotonic, monotonic_ns);
    EXPECT_LT(clocks.monotonic, ToNs(RealMono()));
    monotonic_ns = clocks.monotonic;
  }
}

TEST(ClockShim, RunsAWallClockAtItsRate) {
  SharedClock clock;
  Probe probe(clock);
  clock.page().Set(1000 * 3600s, 100.0);
  const Clocks first = probe.Read();
  EXPECT_TRUE(Eventually([&] { return probe.Read().monotonic > first.monotonic + 50'000'000; }));
  const Clocks second = probe.Read();
  // The probe reads the machine's clock before the wall clocks. The delay between the two reads
  // adds to `gained` at the second reading and reduces it at the first, so the tolerance is wide.
  const auto gained = static_cast<double>(second.wall[0] - first.wall[0]);
  const auto passed = static_cast<double>(second.machine - first.machine);
  EXPECT_NEAR(gained / passed, 100, 20);
}

TEST(ClockShim, WithoutAPageTheMachinesTimeIsReturned) {
  SharedClock clock;
  clock.page().Set(3600s, 1.0);
  clock.FillFirstPage();
  for (const std::string value : {"", "x", "7", "7:", ":4096", "999:4096", "99999999999999999:0"}) {
    Probe probe(clock, SharedClock::Environment(value));
    ExpectAhead(probe.Read(), 0);
  }
  for (const std::string offset : {"0", "8192", "1", "4096x", "-4096"}) {
    Probe probe(clock, SharedClock::Environment(fmt::format("{}:{}", clock.fd(), offset)));
    ExpectAhead(probe.Read(), 0);
  }
  Probe probe(clock);
  ExpectAhead(probe.Read(), 3600 * kSecondNs);
}

int64_t Number(const std::string& reply) {
  int64_t number = -99;
  std::from_chars(reply.data() + 1, reply.data() + reply.size(), number);
  return number;
}

class RedisUnderShim : public ::testing::Test {
 protected:
  // Returns the difference between the server's clock and the machine's, in seconds.
  int64_t AheadSeconds() {
    const std::string reply = client_.Call({"TIME"});  // "*2|$10|seconds|..."
    const int64_t seconds = Number(reply.substr(reply.find("\r\n", 5) + 1));
    return seconds - ToNs(ReadMachineClocks().wall.time_since_epoch()) / kSecondNs;
  }

  SharedClock clock_;
  testing::TempFolder folder_;
  testing::Server server_{folder_.path() / "redis.sock",
                          {.environment = clock_.Environment(), .descriptors = {clock_.fd()}}};
  ByteClient client_ = ByteClient::ToUnix(server_.address().unix_path);
};

TEST_F(RedisUnderShim, KeysExpireByTheMovedClockAtOnce) {
  client_.Call({"SET", "k", "v", "PX", "3600000"});
  EXPECT_GT(Number(client_.Call({"PTTL", "k"})), 3'500'000);
  clock_.page().Set(3000s, 1.0);
  const int64_t left = Number(client_.Call({"PTTL", "k"}));
  EXPECT_LE(left, 600'000);
  EXPECT_GT(left, 500'000);
  EXPECT_NEAR(static_cast<double>(AheadSeconds()), 3000, 20);
  clock_.page().Set(3601s, 1.0);
  EXPECT_EQ(client_.Call({"GET", "k"}), "$-1\r\n");
  EXPECT_EQ(client_.Call({"SET", "k", "w", "NX"}), "+OK\r\n");
}

TEST_F(RedisUnderShim, KeysLiveLongerWhenTheServersClockGoesBack) {
  client_.Call({"SET", "k", "v", "PX", "100"});
  clock_.page().Set(-3600s, 1.0);
  EXPECT_GT(Number(client_.Call({"PTTL", "k"})), 3'000'000);
  clock_.page().Set(Duration{}, 1.0);
  EXPECT_TRUE(Eventually([&] { return client_.Call({"GET", "k"}) == "$-1\r\n"; }));
}

TEST_F(RedisUnderShim, KeysExpireAtTheRateOfTheServersClock) {
  clock_.page().Set(Duration{}, 100.0);
  const MonoTime set = RealMono();
  client_.Call({"SET", "k", "v", "PX", "10000"});
  EXPECT_TRUE(Eventually([&] { return client_.Call({"GET", "k"}) == "$-1\r\n"; }));
  const Duration lived = RealMono() - set;
  EXPECT_GE(lived, 99ms);
  EXPECT_LT(lived, 10s);
}

}  // namespace
}  // namespace doublehold
