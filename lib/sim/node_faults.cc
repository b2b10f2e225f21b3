// Faults on a node of a simulated world: their effect on its data, connections and replicas.
#include <optional>
#include <string>
#include <utility>

#include "lib/base/check.h"
#include "lib/sim/network.h"
#include "lib/sim/redis/replies.h"
#include "lib/sim/world_parts.h"

namespace doublehold::sim {

// Returns true when the fault keeps the server from executing the current message now.
bool Network::StartNodeFault(FaultForm fault, Message& message) {
  if (EntryOf(fault).site == FaultSite::kMasters) return StartMasterFault(fault, message);
  const Link& link = links_[message.link];
  if (EntryOf(fault).runs_kind) {
    world_->BeginOutside(fault, {.node = link.node});
    return false;
  }
  Node& node = nodes_[static_cast<size_t>(link.node)];
  const MonoTime now = world_->now_;
  const Duration lasts = world_->terms_.lasts;
  const auto note = [&](MonoTime until) { world_->Note(fault, -1, link.node, until); };
  switch (fault) {
    case FaultForm::kNodePause:
      node.still_until = now + lasts;
      note(node.still_until);
      return true;
    case FaultForm::kRestartEmpty:
      node.redis.RestartEmpty();
      if (node.service != nullptr) node.service = make_service_();
      node.down_until = now + world_->terms_.restart_delay;
      note(node.down_until);
      EndConnections(node);
      return true;
    case FaultForm::kRestartWithData:
      node.redis.RestartWithData();
      node.down_until = now + world_->terms_.restart_delay;
      if (node.service != nullptr) node.service->Restart(node.down_until);
      note(node.down_until);
      EndConnections(node);
      return true;
    case FaultForm::kNodeCrash:
      node.down_until = MonoTime::max();
      note(MonoTime::max());
      EndConnections(node);
      return true;
    case FaultForm::kForgetScripts:
      node.redis.ForgetScripts();
      node.knows_all = false;
      note(now);
      return false;
    case FaultForm::kNodeClock:
    case FaultForm::kNodeClockBack:
      node.clock.Jump(EntryOf(fault).by_sign * lasts);
      note(MonoTime::max());
      return false;
    case FaultForm::kNodeFast:
      node.clock.RunFast(now);
      note(MonoTime::max());
      return false;
    default:
      CHECK(false);
  }
}

bool Network::StartMasterFault(FaultForm fault, Message& message) {
  const Link& link = links_[message.link];
  Node& node = nodes_[static_cast<size_t>(link.node)];
  const MonoTime now = world_->now_;
  switch (fault) {
    case FaultForm::kCutReplication:
      node.replicas->Cut(now);
      world_->Note(fault, -1, link.node, MonoTime::max());
      return false;
    case FaultForm::kFailover:
      world_->Note(fault, -1, link.node, now);
      Promote(node, now);
      EndConnections(node);
      return true;
    case FaultForm::kLateFailover:
      world_->Note(fault, -1, link.node, now);
      Promote(node, node.replicas->LateTime(now));
      EndConnections(node);
      return true;
    case FaultForm::kHandover:
      if (node.replicas->is_cut()) return false;  // the replica never gets all data
      world_->Note(fault, -1, link.node, now);
      BeginAsMaster(node);
      MoveConnections(node);
      return true;
    case FaultForm::kSplitBrain: {
      const MonoTime until = now + world_->terms_.lasts;
      world_->Note(fault, link.process, link.node, until);
      Deposed& deposed = node.deposed.emplace_back(
          Deposed{.server = Node(scripts_), .client = link.process, .until = until});
      deposed.server.redis = node.redis;
      deposed.server.clock = node.clock;
      deposed.server.life = node.life;
      deposed.server.knows_all = node.knows_all;
      deposed.server.replicas = node.replicas;
      deposed.server.replicas->Cut(now);
      Promote(node, now);
      EndConnections(node);
      return false;
    }
    default:
      CHECK(false);
  }
}

// A replica with the data that it had at `at` becomes the node's master. Clients reach it at the
// former master's address, and the other replicas follow it.
void Network::Promote(Node& node, MonoTime at) {
  node.redis = RedisModel(node.replicas->Promote(at));
  BeginAsMaster(node);
}

// The node's data is now that of another server, with a clock of its own and without scripts.
void Network::BeginAsMaster(Node& node) {
  node.redis.RestartWithData();
  node.clock = {};
  node.knows_all = false;
}

void Network::EndSplits(int number) {
  Node& node = nodes_[static_cast<size_t>(number)];
  for (Deposed& deposed : node.deposed) {
    if (deposed.until <= world_->now_) EndConnections(deposed.server);
  }
  std::erase_if(node.deposed, [&](const Deposed& it) { return it.until <= world_->now_; });
}

// Call when the server's process has ended, or another has taken its place. All connections to it
// break, and requests in flight are lost.
void Network::EndConnections(Node& server) {
  server.life = ++lives_;
  server.knows_all = false;
  for (Link& link : links_) {
    if (&ServerOf(link) != &server || link.number == 0) continue;
    if (link.listener) listeners_[*link.listener].number = 0;
    if (link.user != nullptr) {
      SendToListener(*link.listener, link, /*closes=*/true, world_->now_ + world_->terms_.latency);
    } else if (link.awaited != 0 && messages_[link.awaited].replied) {
      messages_[link.awaited].closes = true;  // a reply that the server has sent still arrives
    } else if (link.awaited != 0) {
      Lose(link.awaited, /*definite=*/false, "the server closed the connection");
    } else if (link.listener) {
      SendToListener(*link.listener, link, /*closes=*/true, world_->now_ + world_->terms_.latency);
    } else {
      link.number = 0;
    }
  }
}

// The former master refers each client's request to the new one. Subscriptions go on: the new
// master tells the former one what is published.
void Network::MoveConnections(Node& server) {
  server.life = ++lives_;
  for (Link& link : links_) {
    if (&ServerOf(link) != &server || link.number == 0) continue;
    link.life = server.life;
    Message& message = messages_[link.awaited];
    const bool is_on_its_way = link.awaited != 0 && message.in_flight;
    link.moved = !is_on_its_way;
    if (!is_on_its_way) continue;
    message.life = server.life;
    message.trips = 2;
  }
  for (const Listener& listener : listeners_) {
    if (listener.number != 0 && &ServerOf(links_[listener.link]) == &server)
      CountListeners(server, listener.channel);
  }
}

// Handles WAIT on a server with replicas. The reply is the number of replicas when they have the
// data. If replication is cut, the reply is 0 at the timeout. Returns the delay of the reply
// relative to other commands. Returns nothing if there is no reply.
std::optional<Duration> Network::AwaitReplicas(Message& message, Node& server) {
  constexpr size_t kTimeoutAt = 2;
  const int count = server.replicas->is_cut() ? 0 : world_->terms_.replicas;
  message.reply = Reply{.kind = Reply::Kind::kInteger, .integer = count};
  if (count > 0) {
    server.replicas->Confirm(world_->now_ + world_->terms_.lag);
    return world_->terms_.lag;
  }
  const int64_t timeout_ms = ReadInteger(message.words[kTimeoutAt]).value_or(0);  // 0: no timeout
  if (timeout_ms == 0) return std::nullopt;
  return std::chrono::milliseconds(timeout_ms);
}

}  // namespace doublehold::sim
