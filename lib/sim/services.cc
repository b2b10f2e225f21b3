// Lock nodes of a simulated world that are servers of another service than Redis, and connections
// that have several calls in flight.
#include <algorithm>
#include <string>

#include "lib/sim/network.h"
#include "lib/sim/world_parts.h"

namespace doublehold::sim {

uint32_t Network::ConnectUser(uint32_t task, int process, int node, LinkUser& user) {
  const uint32_t link = Connect(task, process, node);
  listeners_.push_back({.link = link, .channel = std::to_string(link)});
  links_[link].listener = static_cast<uint32_t>(listeners_.size() - 1);
  links_[link].user = &user;
  return link;
}

void Network::Leave(uint32_t link) {
  links_[link].number = 0;
  Listener& listener = listeners_[*links_[link].listener];
  listener.gone = true;
  listener.number = 0;
}

// Returns whether the node replies. The latest of a user's connections that got a reply is the one
// to which the node sends its messages.
bool Network::ExecuteOnService(Message& message, Node& node) {
  const ServiceCall call{
      .now = world_->now_,
      .wall = kWallAtStart + (world_->now_ - kStart) + node.clock.AheadAt(world_->now_),
      .connection = message.number,
      .number = uint64_t{message.link} << 32 | message.nth};
  std::optional<CallResult> reply = node.service->Execute(message.words, call);
  if (!reply) return false;
  message.reply = std::move(*reply);
  if (const std::optional<uint32_t> own = links_[message.link].listener) {
    Listener& listener = listeners_[*own];
    if (!listener.gone) listener.number = std::max(listener.number, message.number);
  }
  return true;
}

void Network::PublishOfService(Node& server) {
  ServiceModel& service = *server.service;
  const std::vector<ServiceNews> all_news = service.TakeNews();
  std::vector<LateReply> late_replies = service.TakeLateReplies();
  for (const ServiceNews& news : all_news)
    world_->AddToMoment(std::string_view{news.channel}, news.closes);
  for (const LateReply& late : late_replies) world_->AddToMoment(late.call, late.reply);
  for (const ServiceNews& news : all_news) {
    if (news.closes) {
      CloseChannel(server, news.channel);
    } else {
      PublishTo(server, news.channel);
    }
  }
  for (LateReply& late : late_replies) {
    uint32_t call = static_cast<uint32_t>(message_count_) - 1;
    while (messages_[call].link != late.call >> 32 ||
           messages_[call].nth != static_cast<uint32_t>(late.call))
      --call;
    messages_[call].reply = std::move(late.reply);
    SendReply(call, world_->now_ + world_->terms_.latency);
  }
}

void Network::CloseChannel(const Node& server, const std::string& channel) {
  for (Listener& listener : listeners_) {
    Link& link = links_[listener.link];
    const bool is_told =
        listener.number != 0 && &ServerOf(link) == &server && listener.channel == channel;
    if (!is_told) continue;
    if (std::exchange(listener.number, 0) != link.number) continue;  // the client has left it
    SendToListener(static_cast<uint32_t>(&listener - listeners_.data()), link, /*closes=*/true,
                   world_->now_ + world_->terms_.latency);
  }
}

void Network::DeliverToUser(uint32_t index) {
  Message& message = messages_[index];
  Link& link = links_[message.link];
  if (link.number != message.number) return;
  world_->See(link.process, message.link, message.nth, message.closes, message.reply, world_->now_);
  if (message.closes) {
    link.number = 0;
    link.user->HandleClose();
  } else {
    NoteArrival(message);
    link.user->HandleReply(index, message.reply);
  }
}

// A stopped server ends nothing until it continues, and a dead one ends nothing any more.
MonoTime Network::FindNextExpiry() const {
  MonoTime next = MonoTime::max();
  for (const Node& node : nodes_) {
    if (node.service == nullptr) continue;
    next =
        std::min(next, std::max({node.service->NextExpiry(), node.still_until, node.down_until}));
  }
  return next;
}

void Network::Expire() {
  for (size_t number = 1; number < nodes_.size(); ++number) {
    Node& node = nodes_[number];
    if (std::max(node.still_until, node.down_until) > world_->now_) continue;
    node.service->Expire(world_->now_);
    world_->BeginMoment(number);
    PublishOfService(node);
  }
}

}  // namespace doublehold::sim
