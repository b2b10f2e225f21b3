// The state of a simulated network, as a part of the world's state (world_state.cc).
#include <algorithm>

#include "lib/sim/network.h"
#include "lib/sim/state/state_digest.h"
#include "lib/sim/world_parts.h"

namespace doublehold::sim {

// Numbers that only tell whether a server ended meanwhile are compared, not mixed.
void Network::MixState(StateDigest& digest) const {
  for (const Node& node : nodes_) MixNode(node, digest);
  digest.Mix(links_.size());
  for (const Link& link : links_) {
    digest.Mix(link.task);
    digest.Mix(link.process);
    digest.Mix(link.node);
    digest.Mix(link.number);
    digest.Mix(link.life == ServerOf(link).life);
    digest.Mix(link.moved);
    digest.Mix(std::max(link.last_request, world_->now_));
    digest.Mix(std::max(link.last_reply, world_->now_));
    digest.Mix(link.awaited != 0);
    if (link.awaited != 0) MixReply(link.awaited, digest);
    digest.Mix(link.answered != 0);
    if (link.answered != 0) MixReply(link.answered, digest);
  }
  digest.Mix(listeners_.size());
  for (const Listener& listener : listeners_) {
    digest.Mix(listener.link);
    digest.Mix(listener.channel);
    digest.Mix(listener.number);
    digest.Mix(listener.has_news);
    digest.Mix(listener.gone);
  }
}

void Network::MixNode(const Node& node, StateDigest& digest) const {
  digest.Mix(std::max(node.still_until, world_->now_));
  digest.Mix(std::max(node.down_until, world_->now_));
  digest.Mix(node.knows_all);
  digest.Mix(node.deposed.size());
  for (const Deposed& deposed : node.deposed) {
    digest.Mix(deposed.client);
    digest.Mix(deposed.until);
    MixNode(deposed.server, digest);
  }
  if (node.service != nullptr || node.replicas) node.clock.MixState(digest);
  if (node.service != nullptr) return node.service->MixState(digest);
  if (node.replicas) {
    // A promoted replica has the expiry times of the master, and a clock of its own.
    node.replicas->MixState(digest);
    return node.redis.MixState(digest, /*now_ms=*/0);
  }
  // Only what is left until a key expires matters, not what the clock shows.
  const Duration ahead = node.clock.AheadAt(world_->now_);
  digest.Mix(node.clock.is_fast());
  digest.Mix(ahead % 1ms);
  node.redis.MixState(digest, NowMs(node));
}

void Network::MixRequest(uint32_t index, StateDigest& digest) const {
  const Message& message = messages_[index];
  const Link& link = links_[message.link];
  digest.Mix(message.link);
  digest.Mix(message.nth);
  digest.Mix(message.number);
  digest.Mix(link.number == message.number);
  digest.Mix(message.life == ServerOf(link).life);
  digest.Mix(message.trips);
  digest.Mix(message.is_copy);
  digest.Mix(message.script == nullptr ? std::string_view() : message.script->sha1);
  digest.Mix(message.with_text);
  digest.Mix(message.words);
  digest.Mix(message.script == nullptr ? Argv{} : message.args);
}

void Network::MixReply(uint32_t index, StateDigest& digest) const {
  const Message& message = messages_[index];
  MixRequest(index, digest);
  digest.Mix(message.in_flight);
  digest.Mix(message.replied);
  digest.Mix(message.closes);
  if (message.replied) digest.Mix(message.reply);
}

}  // namespace doublehold::sim
