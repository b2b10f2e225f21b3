#include "compose/driver/serve.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "compose/driver/driver.h"
#include "compose/plan/plan_builder.h"
#include "compose/plan/restart_rules.h"
#include "compose/plan/setting_reader.h"
#include "lib/base/words.h"
#include "lib/driver/requests.h"
#include "lib/driver/served_lock.h"
#include "lib/real/real_env.h"

namespace doublehold {
namespace {

using AnswerKind = DriverAnswer::Kind;

// A run's settings for timeouts and retries, except retry.timeout: each acquire has its own maximum
// wait.
constexpr std::array kPace{"call-timeout",  "retry.interval", "retry.growth",
                           "retry.longest", "retry.jitter",   "retry.retries"};
constexpr Lease kAnyLease = 500ms;  // placeholder until setup has the real lease
constexpr std::string_view kAwaitedReplicas = "wait-replicas";

DriverAnswer Refused(const std::string& why) {
  return {.kind = AnswerKind::kError, .definite = true, .text = OnOneLine(why)};
}

// Shared by all sessions. Outlives the sessions.
struct ServeContext {
  const LockEntry& entry;
  Plan plan;
  int client = 0;
  RealProcess process{};
};

std::unique_ptr<Lock> NewLock(const ServeContext& serve_context, Env& env, int thread) {
  return serve_context.entry.make({.env = env,
                                   .client = serve_context.client,
                                   .thread = thread,
                                   .seed = serve_context.plan.seed,
                                   .nodes = serve_context.plan.nodes,
                                   .lease = serve_context.plan.lease,
                                   .call_timeout = serve_context.plan.call_timeout,
                                   .options = Options(serve_context.plan.lock_options)});
}

// Writes whole lines to standard output.
class Answers {
 public:
  void WriteAnswer(const DriverRequest& request, const DriverAnswer& answer) {
    const std::lock_guard lock(mutex_);
    const std::string line = AnswerLine(request.id, request.op, answer);
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
  }

 private:
  std::mutex mutex_;
};

// Answers the requests of one session in order, on a task of its own.
class ServedSession {
 public:
  ServedSession(Env& env, const ServeContext& serve_context, int thread, Answers& answers)
      : task_(env.Spawn(TaskKind::kSession, [this, &serve_context, thread, &answers](Env& own) {
          RetryPolicy policy = MakeRetryPolicy(serve_context.plan);
          policy.timeout = {};  // each acquire has its own
          ServedLock lock(own, NewLock(serve_context, own, thread), policy);
          while (const std::optional<DriverRequest> request = Next())
            answers.WriteAnswer(*request, lock.Answer(*request));
        })) {}
  ~ServedSession() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    task_.reset();
  }
  ServedSession(const ServedSession&) = delete;
  ServedSession& operator=(const ServedSession&) = delete;

  void Ask(DriverRequest request) {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(request));
    }
    changed_.notify_all();
  }

 private:
  std::optional<DriverRequest> Next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return over_ || !waiting_.empty(); });
    if (over_) return std::nullopt;
    DriverRequest request = std::move(waiting_.front());
    waiting_.pop_front();
    return request;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<DriverRequest> waiting_;
  bool over_ = false;
  std::unique_ptr<Task> task_;  // last member, since it uses the others
};

class ServedDriver {
 public:
  explicit ServedDriver(const LockEntry& entry) : serve_context_{.entry = entry, .plan = {}} {}

  // Takes a line of input. Returns why it is no valid request now, or an empty text if it was
  // accepted.
  std::string Take(std::string_view line) {
    auto parsed = ParseRequest(line);
    if (const auto* broken = std::get_if<BrokenLine>(&parsed))
      return fmt::format("{}: {}", broken->why, Shortened(line));
    auto& request = std::get<DriverRequest>(parsed);
    switch (request.op) {
      case DriverOp::kHello:
        if (std::exchange(said_hello_, true)) return "hello was sent twice";
        answers_.WriteAnswer(request, Hello(request));
        return "";
      case DriverOp::kSetup:
        if (!said_hello_) return "setup was sent before hello";
        if (std::exchange(set_up_, true)) return "setup was sent twice";
        answers_.WriteAnswer(request, SetUp(request));
        return "";
      case DriverOp::kBye:
        over_ = true;
        sessions_.clear();
        answers_.WriteAnswer(request, {});
        return "";
      case DriverOp::kAcquire:
      case DriverOp::kExtend:
      case DriverOp::kRelease:
        break;
    }
    if (request.session >= static_cast<int>(sessions_.size()))
      return fmt::format("session {} is out of range: setup opened {} sessions, counted from 0",
                         request.session, sessions_.size());
    sessions_[static_cast<size_t>(request.session)]->Ask(std::move(request));
    return "";
  }
  [[nodiscard]] bool over() const { return over_; }

 private:
  DriverAnswer Hello(const DriverRequest& request) {
    if (request.protocol != kDriverProtocol)
      return Refused(fmt::format("this driver speaks protocol {}", kDriverProtocol));
    options_ = request.options;
    Result<Plan> plan =
        ServedPlan(serve_context_.entry, options_, kAnyLease, serve_context_.entry.most_nodes);
    if (!plan) return Refused(plan.error().message);
    serve_context_.plan = std::move(*plan);
    // The nodes are not known yet: this lock only reports its capabilities.
    serve_context_.process.addresses.resize(static_cast<size_t>(serve_context_.plan.nodes) + 1);
    RealEnv env(serve_context_.process, TaskKind::kSession);
    const std::unique_ptr<Lock> lock = NewLock(serve_context_, env, 0);
    if (lock->StaysLockedOnThrow())
      return Refused(
          "the lock stays locked when a section throws, which the driver protocol cannot express");
    return {.hello = {.name = std::string(serve_context_.entry.name),
                      .version = DOUBLEHOLD_VERSION,
                      .can = CanOf(serve_context_.entry, *lock)}};
  }

  DriverAnswer SetUp(const DriverRequest& request) {
    Result<Plan> plan = ServedPlan(serve_context_.entry, options_, request.lease,
                                   static_cast<int>(request.nodes.size()));
    if (!plan) return Refused(plan.error().message);
    serve_context_.plan = std::move(*plan);
    serve_context_.plan.seed = request.seed;
    serve_context_.client = request.client;
    serve_context_.process = {.number = request.client, .seed = request.seed, .addresses = {{}}};
    for (const DriverNode& node : request.nodes)
      serve_context_.process.addresses.push_back(
          {.unix_path = {}, .host = node.host, .port = node.port});
    env_ = std::make_unique<RealEnv>(serve_context_.process, TaskKind::kSession);
    for (int thread = 0; thread < request.sessions; ++thread)
      sessions_.push_back(std::make_unique<ServedSession>(*env_, serve_context_, thread, answers_));
    return {};
  }

  ServeContext serve_context_;
  std::map<std::string, std::string> options_;
  Answers answers_;
  std::unique_ptr<RealEnv> env_;
  bool said_hello_ = false;
  bool set_up_ = false;
  std::vector<std::unique_ptr<ServedSession>> sessions_;
  bool over_ = false;
};

}  // namespace

RetryPolicy MakeRetryPolicy(const Plan& plan) {
  return {.interval = plan.retry.interval,
          .growth = plan.retry.growth,
          .longest = plan.retry.longest,
          .jitter = plan.retry.jitter,
          .retries = plan.retry.retries,
          .timeout = plan.retry.timeout,
          .call_timeout = plan.call_timeout};
}

std::vector<std::string> ServedOptions(const LockEntry& lock) {
  std::vector<std::string> names;
  for (const OptionSpec& spec : lock.options) {
    // A client does not restart nodes, so it has no use for this option.
    if (spec.name != kRestartDelay) names.emplace_back(spec.name);
  }
  names.insert(names.end(), kPace.begin(), kPace.end());
  return names;
}

Result<Plan> ServedPlan(const LockEntry& lock, const std::map<std::string, std::string>& options,
                        Lease lease, int nodes) {
  const std::vector<std::string> known = ServedOptions(lock);
  Settings settings;
  const auto set = [&](const std::string& name, std::string word) {
    settings.Set(name, std::move(word), "the driver's options");
  };
  set("lock.name", std::string(lock.name));
  set("lock.lease", fmt::format("{}ms", ToMs(lease)));
  set("topology.nodes", std::to_string(nodes));
  for (const auto& [name, word] : options) {
    if (std::ranges::find(known, name) == known.end())
      return BadInput(UnknownWord("option", name, known));
    set(name.starts_with("retry.") ? name : "lock." + name, word);
    // A driver does not know the number of replicas, so the plan has as many as the lock waits for.
    if (name != kAwaitedReplicas || word == "0") continue;
    set("topology.name", "replicated");
    set("topology.replicas", word);
  }
  return BuildPlan(std::move(settings));
}

Result<ExitCode> ServeLock(const std::string& name) {
  const LockEntry* entry = name == kDriverLock ? nullptr : FindLock(name);
  if (entry == nullptr) return BadInput(UnknownWord("lock", name, ListNames(Locks())));
  if (entry->Has(Trait::kLockFree))
    return BadInput(fmt::format("'{}' takes no lock, so it cannot be served as a driver", name));
  if (entry->service != kRedisService)
    return BadInput(fmt::format("'{}' keeps its keys in {}, and a driver gets addresses of Redis",
                                name, entry->service));
  ServedDriver driver(*entry);
  DriverLines lines;
  std::string wrong;
  std::array<char, 4096> bytes{};
  while (!driver.over()) {
    const ssize_t got = read(STDIN_FILENO, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    const bool all_taken = lines.Feed({bytes.data(), static_cast<size_t>(got)}, [&](auto line) {
      wrong = driver.Take(line);
      return wrong.empty() && !driver.over();
    });
    if (all_taken || driver.over()) continue;
    if (wrong.empty()) wrong = fmt::format("a line has more than {} bytes", kLongestDriverLine);
    return EnvironmentFailed("broke the protocol: " + wrong);
  }
  return ExitCode::kAsExpected;
}

}  // namespace doublehold
