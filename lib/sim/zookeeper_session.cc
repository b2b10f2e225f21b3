// Sessions of a simulated ZooKeeper, as ZooKeeper's C client keeps them: one connection, heartbeats
// each third of the timeout, and a new connection after two thirds of it without any reply. A task
// of the process does this, so a stopped or killed process sends no heartbeats.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "lib/sim/network.h"
#include "lib/sim/sim_env.h"
#include "lib/sim/world_parts.h"
#include "lib/sim/zookeeper/zookeeper_model.h"

namespace doublehold::sim {
namespace {

using ZooKind = ZooFailure::Kind;

// The C client waits for 1/60 of the timeout after a connection was refused. Fewer attempts have
// the same effect, and make shorter executions.
constexpr int kAttemptsPerTimeout = 10;
constexpr int kZooKeeperNode = 1;  // an ensemble is not simulated

tl::unexpected<ZooFailure> Fail(ZooKind kind, std::string message) {
  return tl::unexpected(ZooFailure{kind, std::move(message)});
}

tl::unexpected<ZooFailure> FailAs(const CallFailure& failure) {
  const auto kind = !failure.definite                       ? ZooKind::kNoReply
                    : failure.message == kZooNoNode         ? ZooKind::kNoNode
                    : failure.message == kZooNodeExists     ? ZooKind::kNodeExists
                    : failure.message == kZooSessionExpired ? ZooKind::kSessionEnded
                                                            : ZooKind::kRefused;
  return Fail(kind, failure.message);
}

}  // namespace

class SimEnv::ZooSession final : public ZooKeeperSession, private Subscription, private LinkUser {
 public:
  ZooSession(World& world, World::Task& opener, Duration timeout)
      : world_(world),
        process_(*opener.process),
        thread_(opener.thread),
        timeout_(timeout),
        link_(world.network().ConnectUser(opener.number, process_.number, kZooKeeperNode, *this)),
        name_(std::to_string(link_)) {}
  // Sends CLOSE and does not wait for the server.
  ~ZooSession() override {
    if (keeper_ != nullptr) world_.Join(*world_.running_, *keeper_);
    if (state_ == State::kConnected && !process_.gone) (void)Send({"CLOSE", name_});
    world_.network().Leave(link_);
  }
  ZooSession(const ZooSession&) = delete;
  ZooSession& operator=(const ZooSession&) = delete;

  ZooResult<ZooNode> Create(std::string_view path, std::string_view /*data*/, ZooCreate how,
                            Deadline deadline) override {
    std::vector<std::string_view> words{"CREATE", name_, path};
    if (how == ZooCreate::kEphemeralSequential) words.emplace_back("ephemeral");
    const ZooResult<Reply> created = Request(words, deadline);
    if (!created) return tl::unexpected(created.error());
    return ZooNode{.path = created->items[0].text, .czxid = created->items[1].integer};
  }
  ZooResult<std::vector<std::string>> Children(std::string_view path, Deadline deadline) override {
    return ListChildren({"GETCHILDREN", name_, path}, deadline);
  }
  ZooResult<ZooNode> Find(std::string_view path, Deadline deadline) override {
    return GetNode({"GETDATA", name_, path}, deadline);
  }
  ZooResult<ZooNode> Watch(std::string_view path, Deadline deadline) override {
    return GetNode({"GETDATA", name_, path, "watch"}, deadline);
  }
  ZooResult<std::vector<std::string>> WatchChildren(std::string_view path,
                                                    Deadline deadline) override {
    return ListChildren({"GETCHILDREN", name_, path, "watch"}, deadline);
  }
  ZooResult<void> Delete(std::string_view path, Deadline deadline) override {
    const ZooResult<Reply> deleted = Request({"DELETE", name_, path}, deadline);
    if (!deleted) return tl::unexpected(deleted.error());
    return {};
  }
  Subscription& News() override { return *this; }

 private:
  using Words = std::vector<std::string_view>;
  enum class State : uint8_t { kClosed, kConnecting, kConnected, kEnded };
  struct Call {  // belongs to the requester, on its stack
    uint32_t task = 0;
    std::optional<CallResult> result{};
  };
  struct Sent {
    uint32_t message = 0;
    Call* call = nullptr;  // null when the requester has left
  };

  bool Wait(Deadline deadline) override;  // of Subscription
  void HandleReply(uint32_t message, CallResult& reply) override;
  void HandleNews() override;
  void HandleClose() override;

  ZooResult<Reply> Request(const Words& words, Deadline deadline);
  ZooResult<ZooNode> GetNode(const Words& words, Deadline deadline) {
    const ZooResult<Reply> found = Request(words, deadline);
    if (!found) return tl::unexpected(found.error());
    return ZooNode{.path = std::string(words[2]), .czxid = found->integer};
  }
  ZooResult<std::vector<std::string>> ListChildren(const Words& words, Deadline deadline) {
    const ZooResult<Reply> listed = Request(words, deadline);
    if (!listed) return tl::unexpected(listed.error());
    std::vector<std::string> names;
    for (const Reply& name : listed->items) names.push_back(name.text);
    return names;
  }
  uint32_t Send(const Words& words) {
    sent_at_ = world_.now();
    return world_.network().Send(link_, words);
  }
  bool AwaitConnection(Deadline deadline);
  void Keep();
  void Change(State state);
  void Disconnect();

  World& world_;
  World::Process& process_;
  int thread_;
  Duration timeout_;
  uint32_t link_;
  std::string name_;
  World::Task* keeper_ = nullptr;  // the task that keeps the session alive; null before first use
  State state_ = State::kClosed;
  bool was_connected_ = false;
  bool has_news_ = false;
  MonoTime heard_at_{}, sent_at_{}, connect_at_{};
  uint32_t connect_ = 0;               // the last CONNECT
  std::vector<Sent> sent_;             // requests without a reply, in order
  std::vector<uint32_t> unconnected_;  // tasks that wait for a connection
  std::optional<uint32_t> reader_;     // the task that waits for news
};

ZooResult<Reply> SimEnv::ZooSession::Request(const Words& words, Deadline deadline) {
  if (process_.gone) return Fail(ZooKind::kNotSent, "the client was killed");
  if (!AwaitConnection(deadline)) return Fail(ZooKind::kNotSent, "no connection");
  if (state_ == State::kEnded) return Fail(ZooKind::kSessionEnded, "session expired");
  World::Task& task = *world_.running_;
  Call call{.task = task.number};
  const uint32_t message = Send(words);
  sent_.push_back({.message = message, .call = &call});
  while (!call.result && !process_.gone && world_.now() < deadline) world_.Block(task, deadline);
  if (call.result && *call.result) return std::move(**call.result);
  if (call.result) return FailAs(call.result->error());
  const auto left = std::ranges::find(sent_, message, &Sent::message);
  left->call = nullptr;
  return Fail(ZooKind::kNoReply, "no reply in time");
}

// Returns true when the session is connected or has ended.
bool SimEnv::ZooSession::AwaitConnection(Deadline deadline) {
  if (keeper_ == nullptr)
    keeper_ = &world_.AddTask(process_, TaskKind::kWatchdog, thread_, [this](Env&) { Keep(); });
  World::Task& task = *world_.running_;
  while (state_ == State::kClosed || state_ == State::kConnecting) {
    if (process_.gone || world_.now() >= deadline) return false;
    unconnected_.push_back(task.number);
    world_.Block(task, deadline);
    std::erase(unconnected_, task.number);
  }
  return !process_.gone && world_.now() < deadline;
}

void SimEnv::ZooSession::Keep() {
  while (!keeper_->stop && !process_.gone && state_ != State::kEnded) {
    const MonoTime now = world_.now();
    const MonoTime gives_up_at = heard_at_ + timeout_ * 2 / 3;
    if (state_ == State::kClosed && now >= connect_at_) {
      heard_at_ = now;
      state_ = State::kConnecting;
      const std::string timeout = std::to_string(ToNs(timeout_));
      connect_ = Send({"CONNECT", name_, timeout, was_connected_ ? "again" : "new"});
    } else if (state_ == State::kClosed) {
      world_.Block(*keeper_, connect_at_);
    } else if (now >= gives_up_at) {
      Disconnect();
    } else if (state_ == State::kConnecting) {
      world_.Block(*keeper_, gives_up_at);
    } else if (now >= sent_at_ + timeout_ / 3) {
      (void)Send({"PING", name_});
    } else {
      world_.Block(*keeper_, std::min(gives_up_at, sent_at_ + timeout_ / 3));
    }
  }
}

void SimEnv::ZooSession::HandleReply(uint32_t message, CallResult& reply) {
  heard_at_ = world_.now();
  if (message == connect_ && state_ == State::kConnecting) {
    if (was_connected_ || !reply) HandleNews();
    was_connected_ = true;
    return Change(reply ? State::kConnected : State::kEnded);
  }
  const auto found = std::ranges::find(sent_, message, &Sent::message);
  if (found == sent_.end()) return;  // a heartbeat
  // A message before it was lost. The client takes its connection for broken.
  if (found != sent_.begin()) return Disconnect();
  if (found->call != nullptr) {
    found->call->result = std::move(reply);
    world_.Wake(found->call->task);
  }
  sent_.erase(found);
}

void SimEnv::ZooSession::HandleNews() {
  has_news_ = true;
  if (reader_) world_.Wake(*std::exchange(reader_, {}));
}

void SimEnv::ZooSession::HandleClose() {
  connect_at_ =
      state_ == State::kConnecting ? world_.now() + timeout_ / kAttemptsPerTimeout : world_.now();
  for (const Sent& sent : std::exchange(sent_, {})) {
    if (sent.call == nullptr) continue;
    sent.call->result = tl::unexpected(CallFailure{.message = "the connection was lost"});
    world_.Wake(sent.call->task);
  }
  Change(State::kClosed);
}

void SimEnv::ZooSession::Disconnect() {
  world_.network().Break(link_);
  HandleClose();
}

void SimEnv::ZooSession::Change(State state) {
  state_ = state;
  for (const uint32_t task : unconnected_) world_.Wake(task);
  if (world_.running_ != keeper_) world_.Wake(keeper_->number);
}

bool SimEnv::ZooSession::Wait(Deadline deadline) {
  while (!process_.gone) {
    if (std::exchange(has_news_, false)) return true;
    if (world_.now() >= deadline) return false;
    reader_ = world_.running_->number;
    world_.Block(*world_.running_, deadline);
    reader_.reset();
  }
  return false;
}

std::unique_ptr<ZooKeeperSession> SimEnv::Open(Duration timeout) {
  return std::make_unique<ZooSession>(world_, task_, timeout);
}

}  // namespace doublehold::sim
