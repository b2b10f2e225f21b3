// Connections to a simulated etcd, over connections as those to Redis: one call at a time, and a
// late reply closes the connection. A watch has a connection of its own.
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/check.h"
#include "lib/sim/etcd/etcd_model.h"
#include "lib/sim/network.h"
#include "lib/sim/sim_env.h"
#include "lib/sim/world_parts.h"

namespace doublehold::sim {
namespace {

using EtcdKind = EtcdFailure::Kind;

constexpr NodeId kEtcdNode{1};  // an ensemble is not simulated

}  // namespace

class SimEnv::EtcdWatch final : public Subscription {
 public:
  EtcdWatch(World& world, World::Task& task, const EtcdKey& key)
      : world_(world),
        task_(task),
        key_(key),
        revision_(std::to_string(key.create_revision)),
        listener_(world.network().Listen(task.number, task.process->number, kEtcdNode.number,
                                         key.name)) {}
  ~EtcdWatch() override { world_.network().Unsubscribe(listener_); }
  EtcdWatch(const EtcdWatch&) = delete;
  EtcdWatch& operator=(const EtcdWatch&) = delete;

  bool Wait(Deadline deadline) override {
    Network& network = world_.network();
    if (task_.process->gone) return false;
    if (is_subscribed_ && !network.IsListening(listener_)) return Fail();
    if (!is_subscribed_) {
      network.Subscribe(listener_,
                        std::array<std::string_view, 3>{"/V3/WATCH", key_.name, revision_});
      is_subscribed_ = true;
      if (std::exchange(has_failed_, false)) return true;
    }
    while (!task_.process->gone) {
      if (network.TakeNews(listener_)) return true;
      if (!network.IsListening(listener_)) return Fail();
      if (world_.now() >= deadline) return false;
      world_.Block(task_, deadline);
    }
    return false;
  }

 private:
  // The connection has broken. The caller may sleep before it asks again.
  bool Fail() {
    is_subscribed_ = false;
    has_failed_ = true;
    return false;
  }

  World& world_;
  World::Task& task_;
  EtcdKey key_;
  std::string revision_;
  uint32_t listener_;
  bool is_subscribed_ = false;
  bool has_failed_ = false;
};

class SimEnv::EtcdCalls final : public EtcdConnection {
 public:
  explicit EtcdCalls(SimEnv& env) : env_(env), node_(env.Connect(kEtcdNode)) {}

  EtcdResult<int64_t> GrantLease(Duration ttl, Deadline deadline) override {
    const Duration whole = std::chrono::ceil<std::chrono::seconds>(ttl);
    const EtcdResult<Reply> granted =
        Call({"/V3/LEASE/GRANT", std::to_string(ToNs(whole))}, deadline);
    if (!granted) return tl::unexpected(granted.error());
    return granted->integer;
  }
  EtcdResult<void> KeepAlive(int64_t lease, Deadline deadline) override {
    return Ignore(Call({"/V3/LEASE/KEEPALIVE", std::to_string(lease)}, deadline));
  }
  EtcdResult<void> Revoke(int64_t lease, Deadline deadline) override {
    return Ignore(Call({"/V3/LEASE/REVOKE", std::to_string(lease)}, deadline));
  }
  EtcdResult<EtcdQueue> Create(const std::string& key, int64_t lease, const std::string& prefix,
                               Deadline deadline) override {
    const EtcdResult<Reply> reply =
        Call({"/V3/KV/TXN", key, std::to_string(lease), prefix}, deadline);
    if (!reply) return tl::unexpected(reply.error());
    return EtcdQueue{
        .own = {.name = key, .create_revision = reply->items[0].integer},
        .first = {.name = reply->items[1].text, .create_revision = reply->items[2].integer}};
  }
  EtcdResult<std::vector<std::string>> Keys(Deadline /*deadline*/) override {
    CHECK(false);  // only the referee of a real run asks, for what drivers leave
  }
  EtcdResult<std::optional<EtcdKey>> FindBefore(const std::string& prefix, int64_t revision,
                                                Deadline deadline) override {
    const EtcdResult<Reply> reply =
        Call({"/V3/KV/RANGE", prefix, std::to_string(revision)}, deadline);
    if (!reply) return tl::unexpected(reply.error());
    if (reply->IsNil()) return std::nullopt;
    return KeyIn(*reply);
  }
  std::unique_ptr<Subscription> WatchDeletion(const EtcdKey& key) override {
    return std::make_unique<EtcdWatch>(env_.world_, env_.task_, key);
  }
  EtcdResult<EtcdKey> Lock(const std::string& name, int64_t lease, Deadline deadline) override {
    const EtcdResult<Reply> reply = Call({"/V3/LOCK/LOCK", name, std::to_string(lease)}, deadline);
    if (!reply) return tl::unexpected(reply.error());
    return KeyIn(*reply);
  }
  EtcdResult<void> Unlock(const std::string& key, Deadline deadline) override {
    return Ignore(Call({"/V3/LOCK/UNLOCK", key}, deadline));
  }

 private:
  static EtcdKey KeyIn(const Reply& reply) {
    return {.name = reply.items[0].text, .create_revision = reply.items[1].integer};
  }
  static EtcdResult<void> Ignore(const EtcdResult<Reply>& result) {
    if (!result) return tl::unexpected(result.error());
    return {};
  }
  // The server's only error is that of a lease that has ended.
  EtcdResult<Reply> Call(const std::vector<std::string>& request, Deadline deadline) {
    const std::vector<std::string_view> words(request.begin(), request.end());
    CallResult result = node_->Call(words, deadline);
    if (result) return std::move(*result);
    const CallFailure& failure = result.error();
    const auto kind = !failure.definite                 ? EtcdKind::kNoReply
                      : failure.message == kEtcdNoLease ? EtcdKind::kNoLease
                                                        : EtcdKind::kNotSent;
    return tl::unexpected(EtcdFailure{kind, failure.message});
  }

  SimEnv& env_;
  std::unique_ptr<Connection> node_;
};

std::unique_ptr<EtcdConnection> SimEnv::Dial() { return std::make_unique<EtcdCalls>(*this); }

}  // namespace doublehold::sim
