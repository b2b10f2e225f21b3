#include "compose/cluster/redis/replication.h"

#include <fmt/format.h>

#include <boost/asio/steady_timer.hpp>
#include <utility>

#include "compose/cluster/redis/redis_servers.h"
#include "compose/cluster/redis/server.h"
#include "lib/redis/hiredis_connection.h"

namespace doublehold {
namespace {

constexpr Duration kReplicationPollInterval = 5ms;
// Timeout of a promotion. A vote of sentinels or of a cluster starts when a server was silent for
// Plan::down_after, and takes one or two seconds.
constexpr Duration kPatience = 30s;

// A repeated check. Its handlers keep it alive.
struct Poll : std::enable_shared_from_this<Poll> {
  Poll(boost::asio::io_context& io, std::function<bool()> is_met, std::function<void(bool)> on_done)
      : timer(io), met(std::move(is_met)), done(std::move(on_done)) {}

  void Next() {
    timer.expires_after(kReplicationPollInterval);
    timer.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      if (error) return;
      if (self->met()) return self->done(true);
      if (RealMono() >= self->give_up) return self->done(false);
      self->Next();
    });
  }

  boost::asio::steady_timer timer;
  std::function<bool()> met;
  std::function<void(bool)> done;
  MonoTime give_up = RealMono() + kPatience;
};

}  // namespace

void Replication::Await(std::function<bool()> met, std::function<void(bool)> done) {
  std::make_shared<Poll>(parts_.io, std::move(met), std::move(done))->Next();
}

std::filesystem::path Replication::SocketOf(int server) const {
  return parts_.servers.SocketOf(server);
}

bool Replication::IsMasterAlready(int node) const {
  return AskRole(SocketOf(node)).role == "master";
}

std::string Replication::FindMissingAtReplicas() {
  for (int server = 2; server <= Servers(); ++server) {
    if (AskRole(SocketOf(server)).state != "connected")
      return fmt::format("node {} has not caught up with the primary", server);
  }
  for (int server = 2; server <= Servers(); ++server) {
    if (!Flows(1, server, {"PUBLISH", "doublehold", "flows"}))
      return fmt::format("node {} does not receive the primary's writes", server);
  }
  return {};
}

bool Replication::Flows(int master, int replica, std::initializer_list<std::string_view> command) {
  const std::filesystem::path socket = SocketOf(master);
  if (!sent_.contains(master)) {
    if (!AskServer(socket, command)) return false;
    const Role role = AskRole(socket);
    if (role.role != "master") return false;
    sent_[master] = role.offset;
  }
  return AskRole(SocketOf(replica)).offset >= sent_[master];
}

std::unique_ptr<Replication> MakeReplication(const Replication::Parts& parts) {
  switch (FindTopology(parts.plan.topology)->lead) {
    case Lead::kFixed:
      return nullptr;
    case Lead::kAddress:
      return MakeManualFailover(parts);
    case Lead::kSentinel:
      return MakeSentinelFailover(parts);
    case Lead::kCluster:
      return MakeRedisCluster(parts);
  }
  return nullptr;
}

}  // namespace doublehold
