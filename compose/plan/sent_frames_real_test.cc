// Tests that real servers receive only the commands that registry entries list.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <thread>
#include <tuple>

#include "compose/plan/sent_frames.h"
#include "compose/testing/plan_testing.h"
#include "lib/base/options.h"
#include "lib/locks/registry.h"
#include "lib/real/real_env.h"
#include "lib/redis/socket.h"
#include "lib/redis/wire/command_keys.h"
#include "lib/testing/servers.h"
#include "lib/testing/trials.h"
#include "workloads/shop_store.h"
#include "workloads/workload.h"

namespace doublehold {
namespace {

using testing::Ask;
using testing::Built;
using testing::kPatience;
using testing::Server;

constexpr int kNodes = 3;
constexpr Lease kSentCommandsLease = 300ms;  // the same as in the plans below
constexpr const char* kEnd = "that was all";

// Records every command that clients send to a server; commands of scripts do not count.
class Monitor {
 public:
  explicit Monitor(NodeAddress server) : server_(std::move(server)) {
    EXPECT_EQ(socket_.Connect(server_, RealPatience()), "");
    EXPECT_EQ(socket_.SendAll("MONITOR\r\n", RealPatience()), "");
    EXPECT_EQ(Line(), "+OK");
  }

  // Returns the commands since the last call, each as a list of words.
  std::vector<std::vector<std::string>> Take() {
    EXPECT_EQ(Ask(server_, {"ECHO", kEnd}), kEnd);
    std::vector<std::vector<std::string>> commands;
    while (true) {
      const std::string line = Line();
      const std::vector<std::string> words = ParseMonitorLine(line);
      if (line.empty() || (words.size() == 2 && words[1] == kEnd)) return commands;
      if (!words.empty() && line.find(" lua] ") == std::string::npos) commands.push_back(words);
    }
  }

 private:
  static Deadline RealPatience() {
    return MonoTime(std::chrono::steady_clock::now().time_since_epoch()) + kPatience;
  }

  std::string Line() {
    while (true) {
      if (const size_t end = buffer_.find("\r\n"); end != std::string::npos) {
        std::string line = buffer_.substr(0, end);
        buffer_.erase(0, end + 2);
        return line;
      }
      std::array<char, 4096> bytes;
      const Socket::Received received = socket_.Receive(bytes, RealPatience());
      EXPECT_EQ(received.error, "");
      if (!received.error.empty()) return {};
      buffer_.append(bytes.data(), received.bytes);
    }
  }

  // Parses a line of MONITOR such as `+1.2 [0 unix:/x] "SET" "a \"word\"" "v"`. Does not unescape
  // the words.
  static std::vector<std::string> ParseMonitorLine(const std::string& line) {
    std::vector<std::string> words;
    size_t at = line.find("] \"");
    while (at != std::string::npos) {
      const size_t begin = line.find('"', at) + 1;
      size_t end = begin;
      while (end < line.size() && line[end] != '"') end += line[end] == '\\' ? 2 : 1;
      words.push_back(line.substr(begin, end - begin));
      at = end + 1 < line.size() ? end + 1 : std::string::npos;
    }
    return words;
  }

  NodeAddress server_;
  Socket socket_;
  std::string buffer_;
};

// Returns the command's first key, as faults/proxy finds it. Returns an empty text if it has none.
std::string FindFirstKey(const std::vector<std::string>& words) {
  const KeyPlace place = PlaceOfKey(words[0]);
  const auto at = static_cast<size_t>(place.key_at);
  if (place.count_at > 0 && words.at(static_cast<size_t>(place.count_at)) == "0") return {};
  return at == 0 || at >= words.size() ? std::string() : words[at];
}

// The nodes 1 to kNodes, and server 0, which is the store.
class Farm {
 public:
  Farm() {
    for (int i = 0; i <= kNodes; ++i) {
      servers_.push_back(std::make_unique<Server>(folder_.path() / std::to_string(i)));
      process_.addresses.push_back(servers_.back()->address());
      monitors_.push_back(std::make_unique<Monitor>(servers_.back()->address()));
    }
  }
  RealProcess ProcessOf(int client) const {
    RealProcess process = process_;
    process.number = client;
    process.seed = 7;
    return process;
  }
  void Empty() {
    for (size_t i = 0; i < servers_.size(); ++i) {
      EXPECT_EQ(Ask(servers_[i]->address(), {"FLUSHALL"}), "OK");
      // Without the scripts, clients also send EVAL.
      EXPECT_EQ(Ask(servers_[i]->address(), {"SCRIPT", "FLUSH"}), "OK");
    }
    Skip();
  }
  // Drops the commands recorded so far.
  void Skip() {
    for (const auto& monitor : monitors_) monitor->Take();
  }
  // Expects that CheckFrames accepts a fault on each recorded command.
  void ExpectAllListed(const Plan& plan) {
    for (int node = 0; node <= kNodes; ++node) {
      for (const auto& words : monitors_[static_cast<size_t>(node)]->Take()) {
        const FaultPlan fault{
            .kind = "drop", .nodes = {node}, .command = words[0], .key = FindFirstKey(words)};
        const Result<void> listed = CheckFrames(plan, fault);
        EXPECT_TRUE(listed) << "server " << node << ": " << listed.error().message;
      }
    }
  }

 private:
  testing::TempFolder folder_;
  std::vector<std::unique_ptr<Server>> servers_;
  std::vector<std::unique_ptr<Monitor>> monitors_;
  RealProcess process_;
};

// A client of the plan with the lock of its first session.
struct Client {
  Client(const Farm& farm, const Plan& plan, int number)
      : process(farm.ProcessOf(number)),
        env(process, TaskKind::kSession),
        lock(FindLock(plan.lock)->make({.env = env,
                                        .client = number,
                                        .seed = 7,
                                        .nodes = std::min(FindLock(plan.lock)->most_nodes, kNodes),
                                        .lease = plan.lease,
                                        .call_timeout = kPatience,
                                        .options = Options(plan.lock_options)})) {}
  Deadline Soon() { return env.Mono() + kPatience; }

  RealProcess process;
  RealEnv env;
  std::unique_ptr<Lock> lock;
};

// Calls every operation of the lock, with every outcome: granted, refused, lost, taken over, given
// up.
void UseLock(const Farm& farm, const Plan& plan, const LockKey& key) {
  Client a(farm, plan, 1);
  Client b(farm, plan, 2);
  const RetryPolicy policy{
      .interval = 2ms, .timeout = kSentCommandsLease + 50ms, .call_timeout = kPatience};
  // If the machine stalls for a lease, the lock refuses. So the attempts last longer. A lock that
  // waits for replicas is never granted here, as there are no replicas, so it keeps the short
  // timeout.
  const auto replicas = plan.lock_options.find("wait-replicas");
  const bool awaits = replicas != plan.lock_options.end() && replicas->second != "0";
  RetryPolicy patient = policy;
  if (!awaits) patient.timeout = kPatience;
  const AcquireResult first = AcquireWithRetry(a.env, *a.lock, key, kSentCommandsLease, patient);
  std::ignore = b.lock->TryAcquire({.name = key.name}, kSentCommandsLease, b.Soon());
  std::ignore = b.lock->GiveUp({.name = key.name}, b.Soon());
  const auto* granted = std::get_if<Granted>(&first);
  if (granted == nullptr) {
    ASSERT_TRUE(awaits);
    return;
  }
  std::ignore = a.lock->Extend(granted->grant, kSentCommandsLease, a.Soon());
  std::ignore = AcquireWithRetry(b.env, *b.lock, key, kSentCommandsLease, policy);
  std::ignore = a.lock->Release(granted->grant, a.Soon());
  std::ignore = a.lock->Extend(granted->grant, kSentCommandsLease, a.Soon());
  std::ignore = a.lock->Release(granted->grant, a.Soon());
  const AcquireResult left = AcquireWithRetry(b.env, *b.lock, key, kSentCommandsLease, policy);
  const AcquireResult last = AcquireWithRetry(a.env, *a.lock, key, kSentCommandsLease, policy);
  if (const auto* late = std::get_if<Granted>(&left))
    std::ignore = b.lock->Release(late->grant, b.Soon());
  if (const auto* done = std::get_if<Granted>(&last))
    std::ignore = a.lock->Release(done->grant, a.Soon());
}

void UseWorkload(const Farm& farm, const Plan& plan) {
  std::vector<std::thread> clients;
  const auto made = [&] {
    return FindWorkload(plan.workload)->make(Options(plan.workload_options));
  };
  for (int number = 1; number <= 2; ++number) {
    clients.emplace_back([&, number] {
      Client client(farm, plan, number);
      Session session{
          .env = client.env,
          .lock = *client.lock,
          .client = number,
          .lease = plan.lease,
          .policy = {.interval = 2ms, .timeout = kSentCommandsLease, .call_timeout = kPatience}};
      const auto workload = made();
      for (int step = 0; step < 4; ++step) workload->Step(session);
    });
  }
  for (std::thread& client : clients) client.join();
}

struct Form {
  std::string name;
  Plan plan;
};

// Returns settings of the lock with its defaults, and with each other value of each option.
std::vector<Form> ListForms(const LockEntry& lock) {
  const std::string usual =
      fmt::format("lock.name = \"{}\"\nlock.lease = \"300ms\"\n{}", lock.name,
                  lock.most_nodes > 1 ? fmt::format("topology.nodes = {}\n", kNodes) : "");
  std::vector<Form> forms;
  const auto add = [&](const std::string& more) {
    const Result<Plan> plan = Built(usual + more);
    EXPECT_TRUE(plan) << plan.error().message;
    if (plan) forms.push_back({std::string(lock.name) + " " + more, *plan});
  };
  add("");
  for (const OptionSpec& option : lock.options) {
    std::vector<std::string> values(option.choices.begin(), option.choices.end());
    if (option.kind == OptionSpec::Kind::kFlag) values = {"true"};
    for (const std::string& value : values)
      add(fmt::format("lock.{} = \"{}\"\n", option.name, value));
    if (option.name == "wait-replicas")
      add("lock.wait-replicas = 1\ntopology.name = \"replicated\"\n");
  }
  return forms;
}

TEST(SentCommands, LocksSendOnlyListedCommands) {
  Farm farm;
  for (const LockEntry& lock : Locks()) {
    if (lock.service != kRedisService) continue;
    std::vector<Form> forms = ListForms(lock);
    if (!RunsAllTrials()) forms.resize(1);
    for (const Form& form : forms) {
      SCOPED_TRACE(form.name);
      for (const bool shared : {false, true}) {
        if (shared && !lock.Has(Trait::kReaders)) continue;
        farm.Empty();
        UseLock(farm, form.plan, {.name = "dh:item:0", .shared = shared});
        farm.ExpectAllListed(form.plan);
      }
    }
    EXPECT_FALSE(CheckFrames(ListForms(lock).front().plan,
                             {.kind = "drop", .nodes = {1}, .command = "GETEX"}))
        << "lock " << lock.name << " does not say what it sends";
  }
}

TEST(SentCommands, WorkloadsSendOnlyListedCommands) {
  Farm farm;
  for (const WorkloadEntry& workload : Workloads()) {
    const auto write = std::ranges::find(workload.options, "write", &OptionSpec::name);
    const bool sells = std::ranges::any_of(
        workload.options, [](const OptionSpec& option) { return option.name == "stock"; });
    std::vector<std::string_view> writes{""};
    if (write != workload.options.end()) writes = write->choices;
    for (const std::string_view way : writes) {
      const std::vector<std::string_view> known = WritesIn(kRedisService);
      if (!way.empty() && std::ranges::find(known, way) == known.end()) continue;
      bool served = false;
      for (const LockEntry& lock : Locks()) {
        if (lock.service != kRedisService) continue;
        // The stock is small, so that the commands for an empty stock are sent too.
        const Result<Plan> plan = Built(fmt::format(
            "lock.name = \"{}\"\nlock.lease = \"300ms\"\nworkload.name = \"{}\"\n{}{}{}", lock.name,
            workload.name, sells ? "workload.stock = 3\n" : "",
            way.empty() ? "" : fmt::format("workload.write = \"{}\"\n", way),
            lock.most_nodes > 1 ? fmt::format("topology.nodes = {}\n", kNodes) : ""));
        if (!plan) continue;  // the lock does not fit the workload
        SCOPED_TRACE(fmt::format("{} {} with {}", workload.name, way, lock.name));
        farm.Empty();
        const RealProcess referee = farm.ProcessOf(0);
        RealEnv env(referee, TaskKind::kSession);
        ASSERT_TRUE(
            FindWorkload(plan->workload)->make(Options(plan->workload_options))->Setup(env));
        farm.Skip();
        UseWorkload(farm, *plan);
        farm.ExpectAllListed(*plan);
        EXPECT_FALSE(
            CheckFrames(*plan, {.kind = "drop", .nodes = {kStoreNode}, .command = "GETEX"}))
            << "workload " << workload.name << " does not say what it sends";
        served = true;
        if (!RunsAllTrials()) break;  // the commands of a workload do not depend on the lock
      }
      EXPECT_TRUE(served) << workload.name << ' ' << way;
    }
  }
}

}  // namespace
}  // namespace doublehold
