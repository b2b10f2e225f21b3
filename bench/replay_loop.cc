#include "bench/replay_loop.h"

#include <hiredis/hiredis.h>
#include <poll.h>

#include <thread>
#include <utility>

#include "lib/base/check.h"
#include "lib/clients/clients.h"
#include "lib/clients/redis.h"

namespace doublehold {
namespace {

constexpr Duration kPatience = 10s;
constexpr int kLongestSilenceMs = 1000;

using Log = std::vector<SentCommand>;

// Forwards every call and logs the commands and replies.
class Tap final : public Connection {
 public:
  Tap(std::unique_ptr<Connection> inner, Log& log) : inner_(std::move(inner)), log_(log) {}

  void Start(Argv command, Deadline deadline) override {
    log_.push_back({.words = {command.begin(), command.end()}, .reply = {}});
    inner_->Start(command, deadline);
  }
  void StartScript(const Script& script, Argv keys, Argv args, Deadline deadline) override {
    std::vector<std::string> words{"EVALSHA", script.sha1, std::to_string(keys.size())};
    words.insert(words.end(), keys.begin(), keys.end());
    words.insert(words.end(), args.begin(), args.end());
    log_.push_back({.words = std::move(words), .reply = {}});
    inner_->StartScript(script, keys, args, deadline);
  }
  CallResult Finish() override {
    CallResult result = inner_->Finish();
    CHECK(result.has_value());
    log_.back().reply = *result;
    return result;
  }

 private:
  std::unique_ptr<Connection> inner_;
  Log& log_;
};

class TapEnv final : public Env, private Clients, private RedisClients {
 public:
  TapEnv(Env& inner, Log& log, std::string& channel)
      : inner_(inner), log_(log), channel_(channel) {}
  MonoTime Mono() override { return inner_.Mono(); }
  WallTime Wall() override { return inner_.Wall(); }
  bool SleepUntil(MonoTime time) override { return inner_.SleepUntil(time); }
  bool Stopping() override { return inner_.Stopping(); }
  Clients& clients() override { return *this; }
  std::unique_ptr<Task> Spawn(TaskKind kind, std::function<void(Env&)> body) override {
    return inner_.Spawn(kind, std::move(body));
  }
  Prng& Random() override { return inner_.Random(); }
  void Reach(Step step) override { inner_.Reach(step); }
  void Record(Event event) override { inner_.Record(event); }
  int64_t SinceStartNs(MonoTime time) override { return inner_.SinceStartNs(time); }

 private:
  RedisClients& redis() override { return *this; }
  SqlClients& sql() override { return inner_.clients().sql(); }
  SqlClients& mariadb() override { return inner_.clients().mariadb(); }
  ZooKeeperClients& zookeeper() override { return inner_.clients().zookeeper(); }
  EtcdClients& etcd() override { return inner_.clients().etcd(); }
  std::unique_ptr<Connection> Connect(NodeId node) override {
    return std::make_unique<Tap>(inner_.clients().redis().Connect(node), log_);
  }
  std::unique_ptr<Subscription> Subscribe(NodeId node, std::string channel) override {
    channel_ = channel;
    return inner_.clients().redis().Subscribe(node, std::move(channel));
  }
  Env& inner_;
  Log& log_;
  std::string& channel_;
};

// Whether a reply means a grant, like the reply of the granted attempt. The fencing token may
// differ.
bool SaysTheSame(const redisReply& reply, const Reply& granted) {
  switch (granted.kind) {
    case Reply::Kind::kNil:
      return reply.type == REDIS_REPLY_NIL;
    case Reply::Kind::kInteger:
      return reply.type == REDIS_REPLY_INTEGER && (granted.integer == 0) == (reply.integer == 0);
    case Reply::Kind::kArray:
      // The first element is -1 if the lock was granted. In a refusal it is the remaining time.
      return reply.type == REDIS_REPLY_ARRAY && reply.elements == granted.items.size() &&
             (reply.elements == 0 || reply.element[0]->integer == granted.items[0].integer);
    default:
      return reply.type == REDIS_REPLY_STATUS || reply.type == REDIS_REPLY_STRING;
  }
}

}  // namespace

std::unique_ptr<Lock> MakeWithDefaults(Env& env, const LockEntry& entry, int client, int nodes,
                                       Lease lease) {
  const auto options = CompleteOptions(entry.name, entry.options, {}, lease);
  CHECK(options.has_value());
  return entry.make({.env = env,
                     .client = client,
                     .seed = 1,
                     .nodes = nodes,
                     .lease = lease,
                     .call_timeout = kPatience,
                     .options = Options(*options)});
}

SentCycle WatchOneCycle(Env& env, const LockEntry& entry, int client, const LockKey& key,
                        Lease lease) {
  Log log;
  SentCycle cycle;
  TapEnv tap(env, log, cycle.channel);
  const std::unique_ptr<Lock> lock = MakeWithDefaults(tap, entry, client, 1, lease);
  const auto acquire = [&](Lock& with) {
    AcquireResult result = with.TryAcquire(key, lease, env.Mono() + kPatience);
    CHECK(std::holds_alternative<Granted>(result));
    return std::get<Granted>(std::move(result)).grant;
  };
  const Grant grant = acquire(*lock);
  cycle.granted = std::exchange(log, {});
  CHECK(lock->Release(grant, env.Mono() + kPatience) != ReleaseResult::kUnknown);
  cycle.release = std::exchange(log, {});

  const std::unique_ptr<Lock> holder = MakeWithDefaults(env, entry, client + 1000, 1, lease);
  const Grant other = acquire(*holder);
  CHECK(std::holds_alternative<Busy>(lock->TryAcquire(key, lease, env.Mono() + kPatience)));
  cycle.refused = std::exchange(log, {});
  (void)lock->WakeUps(key);
  (void)lock->GiveUp(key, env.Mono() + kPatience);
  CHECK(holder->Release(other, env.Mono() + kPatience) != ReleaseResult::kUnknown);
  return cycle;
}

struct ReplayLoop::State {
  redisContext* context = nullptr;
  redisContext* subscribed = nullptr;
};

ReplayLoop::ReplayLoop(std::string unix_path, SentCycle cycle)
    : unix_path_(std::move(unix_path)), state_(new State), cycle_(std::move(cycle)) {
  state_->context = redisConnectUnix(unix_path_.c_str());
  CHECK(state_->context != nullptr && state_->context->err == 0);
}

ReplayLoop::~ReplayLoop() {
  redisFree(state_->context);
  if (state_->subscribed != nullptr) redisFree(state_->subscribed);
  delete state_;
}

bool ReplayLoop::Send(const SentCommand& command) {
  std::vector<const char*> words;
  std::vector<size_t> sizes;
  for (const std::string& word : command.words) {
    words.push_back(word.data());
    sizes.push_back(word.size());
  }
  auto* reply = static_cast<redisReply*>(redisCommandArgv(
      state_->context, static_cast<int>(words.size()), words.data(), sizes.data()));
  CHECK(reply != nullptr && reply->type != REDIS_REPLY_ERROR);
  const bool same = SaysTheSame(*reply, command.reply);
  freeReplyObject(reply);
  return same;
}

void ReplayLoop::Cycle(Duration interval) {
  while (!Send(cycle_.granted.front())) {
    for (size_t i = 1; i < cycle_.refused.size(); ++i) (void)Send(cycle_.refused[i]);
    if (state_->subscribed != nullptr) {
      AwaitMessage();
    } else if (!cycle_.channel.empty()) {
      Subscribe();  // tries again at once, because the lock may have been released before
    } else {
      std::this_thread::sleep_for(interval);
    }
  }
  for (size_t i = 1; i < cycle_.granted.size(); ++i) (void)Send(cycle_.granted[i]);
  for (const SentCommand& command : cycle_.release) (void)Send(command);
}

void ReplayLoop::Subscribe() {
  state_->subscribed = redisConnectUnix(unix_path_.c_str());
  CHECK(state_->subscribed != nullptr && state_->subscribed->err == 0);
  void* reply = redisCommand(state_->subscribed, "SUBSCRIBE %s", cycle_.channel.c_str());
  CHECK(reply != nullptr);
  freeReplyObject(reply);
}

// Waits for a message, at most as long as the retry policy waits without a message.
void ReplayLoop::AwaitMessage() {
  pollfd readable{.fd = state_->subscribed->fd, .events = POLLIN, .revents = 0};
  void* reply = nullptr;
  CHECK(redisGetReplyFromReader(state_->subscribed, &reply) == REDIS_OK);
  while (reply == nullptr && poll(&readable, 1, kLongestSilenceMs) == 1) {
    CHECK(redisBufferRead(state_->subscribed) == REDIS_OK);
    CHECK(redisGetReplyFromReader(state_->subscribed, &reply) == REDIS_OK);
  }
  if (reply != nullptr) freeReplyObject(reply);
}

}  // namespace doublehold
