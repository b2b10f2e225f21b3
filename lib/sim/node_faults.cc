// Faults on a node of a simulated world: their effect on its data, connections and replicas.
#include <optional>
#include <string>
#include <utility>

#include "lib/base/check.h"
#include "lib/sim/network.h"
#include "lib/sim/redis/replies.h"
#include "lib/sim/world_parts.h"

namespace doublehold::sim {

// Returns true when the fault keeps the node from executing the current message now.
bool Network::StartNodeFault(FaultForm fault, int number) {
  Node& node = nodes_[static_cast<size_t>(number)];
  const MonoTime now = world_->now_;
  const Duration lasts = world_->terms_.lasts;
  const auto note = [&](MonoTime until) { world_->Note(fault, -1, number, until); };
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
      FailPendingCalls(number);
      return true;
    case FaultForm::kRestartWithData:
      node.redis.RestartWithData();
      node.down_until = now + world_->terms_.restart_delay;
      if (node.service != nullptr) node.service->Restart(node.down_until);
      note(node.down_until);
      FailPendingCalls(number);
      return true;
    case FaultForm::kNodeCrash:
      node.down_until = MonoTime::max();
      note(MonoTime::max());
      FailPendingCalls(number);
      return true;
    case FaultForm::kFailover: {
      // The promoted replica has the data that it had received, a clock of its own and no scripts.
      // Clients reach it at the old master's address, and the other replicas follow it.
      node.clock = {};
      node.redis = RedisModel(node.replicas->At(now));
      node.redis.RestartWithData();
      node.replicas.emplace(node.redis, world_->terms_.lag);
      note(now);
      FailPendingCalls(number);
      return true;
    }
    case FaultForm::kCutReplication:
      node.replicas->Cut(now);
      note(MonoTime::max());
      return false;
    case FaultForm::kForgetScripts:
      node.redis.ForgetScripts();
      node.knows_all = false;
      note(now);
      return false;
    case FaultForm::kNodeClock:
      node.clock.Jump(lasts);
      note(MonoTime::max());
      return false;
    case FaultForm::kNodeClockBack:
      node.clock.Jump(-lasts);
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

// Call when the node's process has ended. All connections to the node break, and requests in flight
// are lost.
void Network::FailPendingCalls(int number) {
  Node& node = nodes_[static_cast<size_t>(number)];
  ++node.restarts;
  node.knows_all = false;
  for (Link& link : links_) {
    if (link.node != number || link.number == 0) continue;
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

// Handles WAIT on a node with replicas. The reply is the number of replicas when they have the
// data. If replication is cut, the reply is 0 at the timeout. Returns the delay of the reply
// relative to other commands. Returns nothing if there is no reply.
std::optional<Duration> Network::AwaitReplicas(Message& message, const Node& node) {
  constexpr size_t kTimeoutAt = 2;
  const int count = node.replicas->is_cut() ? 0 : world_->terms_.replicas;
  message.reply = Reply{.kind = Reply::Kind::kInteger, .integer = count};
  if (count > 0) return world_->terms_.lag;
  const int64_t timeout_ms = ReadInteger(message.words[kTimeoutAt]).value_or(0);  // 0: no timeout
  if (timeout_ms == 0) return std::nullopt;
  return std::chrono::milliseconds(timeout_ms);
}

}  // namespace doublehold::sim
