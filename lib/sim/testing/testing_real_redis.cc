#include "lib/sim/testing/testing_real_redis.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string_view>
#include <thread>

#include "lib/base/paths.h"
#include "lib/os/run_tool.h"
#include "lib/redis/hiredis_connection.h"
#include "lib/sim/testing/testing_model.h"

namespace doublehold::testing {
namespace {

// Valkey 9 reads the wall clock by a timer, and not for each command.
constexpr std::chrono::milliseconds kReadsClockEvery(120);

std::string ShowWire(std::string_view bytes) {
  ReplyReader replies;
  replies.Feed(bytes);
  const std::optional<CallResult> reply = replies.Next();
  if (!reply) return "a broken reply";
  return *reply ? Show(**reply) : "error " + reply->error().message;
}

ServerOptions OptionsOf(const StandingClock& clock) {
  const char* chosen = std::getenv("DOUBLEHOLD_CONFORMANCE_SERVER");
  ServerOptions options{.environment = clock.Environment(),
                        .descriptors = {clock.fd()},
                        .program = chosen == nullptr ? "redis-server" : chosen};
  // Redis 6 has no such option, and always lets clients debug.
  const Result<std::string> version = RunTool({options.program, "--version"});
  if (version && version->find(" v=6.") == std::string::npos)
    options.arguments = {"--enable-debug-command", "yes"};
  return options;
}

}  // namespace

StandingClock::StandingClock() : fd_(memfd_create("doublehold-test", 0)) {
  EXPECT_EQ(ftruncate(fd_, DOUBLEHOLD_CLOCK_PAGE_BYTES), 0);
  page_ = static_cast<doublehold_clock_page*>(
      mmap(nullptr, DOUBLEHOLD_CLOCK_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0));
  __atomic_store_n(&page_->magic, DOUBLEHOLD_CLOCK_MAGIC, __ATOMIC_RELEASE);
  StandAt(kSequenceStartMs);
}

StandingClock::~StandingClock() {
  munmap(page_, DOUBLEHOLD_CLOCK_PAGE_BYTES);
  close(fd_);
}

// Writes a slot whose clock has rate 0. ClockPage cannot write one, because no fault stops a clock.
void StandingClock::StandAt(int64_t now_ms) {
  const uint64_t version = page_->version;
  doublehold_clock_slot& free = page_->slots[(version + 1) & 1];
  __atomic_store_n(&free.moved, 1, __ATOMIC_RELEASE);
  __atomic_store_n(&free.base_wall_ns, now_ms * 1'000'000, __ATOMIC_RELEASE);
  __atomic_store_n(&free.rate_q32, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&page_->version, version + 1, __ATOMIC_RELEASE);
}

std::vector<std::string> StandingClock::Environment() const {
  return {"LD_PRELOAD=" + BinaryDir() + "/libdoublehold_clock_shim.so",
          "ASAN_OPTIONS=verify_asan_link_order=0",
          fmt::format(DOUBLEHOLD_CLOCK_VARIABLE "={}:0", fd_)};
}

RealRedis::RealRedis() : server_(folder_.path() / "redis.sock", OptionsOf(clock_)) {
  for (int i = 0; i < kSequenceConnections; ++i)
    clients_.push_back(ByteClient::ToUnix(server_.address().unix_path));
  is_valkey_ = clients_[0].Call({"INFO", "server"}).find("valkey_version") != std::string::npos;
  // Makes the server remove an expired key only when a command reads it, so that replies are
  // deterministic.
  EXPECT_EQ(clients_[0].Call({"DEBUG", "SET-ACTIVE-EXPIRE", "0"}), "+OK\r\n");
}

void RealRedis::Load(const std::vector<Script>& scripts) {
  clients_[0].Call({"SCRIPT", "FLUSH"});
  for (const Script& script : scripts) clients_[0].Call({"SCRIPT", "LOAD", script.text});
}

void RealRedis::MoveClockTo(int64_t now_ms) {
  clock_.StandAt(now_ms);
  if (is_valkey_) std::this_thread::sleep_for(kReadsClockEvery);
}

std::vector<std::string> RealRedis::Run(const Sequence& sequence) {
  int64_t now_ms = kSequenceStartMs;
  MoveClockTo(now_ms);
  const std::string forget = Encode({"DISCARD"}) + Encode({"UNWATCH"});
  for (const size_t each : used_) clients_[each].Send(forget);
  for (const size_t each : used_) {
    clients_[each].ReceiveReply();
    clients_[each].ReceiveReply();
  }
  used_.clear();
  clients_[0].Call({"FLUSHALL"});
  std::vector<std::string> replies(sequence.size());
  for (size_t at = 0; at < sequence.size();) {
    const SequenceStep& first = sequence[at];
    if (first.words.empty()) {
      now_ms += first.move_ms;
      MoveClockTo(now_ms);
      ++at;
      continue;
    }
    // Sends consecutive commands of one connection in one write.
    size_t end = at;
    std::string bytes;
    for (; end < sequence.size(); ++end) {
      const SequenceStep& step = sequence[end];
      if (step.words.empty() || step.connection != first.connection) break;
      bytes += Encode(step.words);
    }
    const auto connection = static_cast<size_t>(first.connection);
    used_.insert(connection);
    ByteClient& client = clients_[connection];
    EXPECT_TRUE(client.Send(bytes));
    for (; at < end; ++at) replies[at] = ShowWire(client.ReceiveReply());
  }
  return replies;
}

}  // namespace doublehold::testing
