// Subscriptions to the channels of a simulated world's nodes. Each subscription has a connection of
// its own, to which the faults on connections apply.
#include <algorithm>
#include <array>
#include <utility>

#include "lib/sim/network.h"
#include "lib/sim/world_parts.h"

namespace doublehold::sim {

uint32_t Network::Listen(uint32_t task, int process, int node, std::string channel) {
  const uint32_t link = Connect(task, process, node);
  listeners_.push_back({.link = link, .channel = std::move(channel)});
  links_[link].listener = static_cast<uint32_t>(listeners_.size() - 1);
  return *links_[link].listener;
}

void Network::Subscribe(uint32_t listener) {
  const std::array<std::string_view, 2> words{"SUBSCRIBE", listeners_[listener].channel};
  Send(listeners_[listener].link, words);
}

void Network::Unsubscribe(uint32_t index) {
  Listener& listener = listeners_[index];
  listener.gone = true;
  links_[listener.link].number = 0;
  if (std::exchange(listener.number, 0) != 0)
    CountListeners(ServerOf(links_[listener.link]), listener.channel);
}

void Network::CountListeners(Node& server, const std::string& channel) {
  const auto count = std::ranges::count_if(listeners_, [&](const Listener& other) {
    return other.number != 0 && &ServerOf(links_[other.link]) == &server &&
           other.channel == channel;
  });
  server.redis.SetSubscribers(channel, count);
}

bool Network::TakeNews(uint32_t listener) {
  const bool has_news = std::exchange(listeners_[listener].has_news, false);
  world_->See(links_[listeners_[listener].link].process, has_news);
  return has_news;
}

void Network::Publish(Node& server) {
  if (server.service != nullptr) return PublishOfService(server);
  if (!server.redis.HasPublished()) return;
  const std::vector<Published> all = server.redis.TakePublished();
  for (const Published& published : all) world_->AddToMoment(std::string_view{published.channel});
  for (const Published& published : all) PublishTo(server, published.channel);
}

void Network::PublishTo(const Node& server, const std::string& channel) {
  for (const Listener& listener : listeners_) {
    Link& link = links_[listener.link];
    const auto index = static_cast<uint32_t>(&listener - listeners_.data());
    const bool is_told =
        listener.number != 0 && &ServerOf(link) == &server && listener.channel == channel;
    if (!is_told) continue;
    MonoTime at = world_->now_ + world_->terms_.latency;
    if (world_->NotesPlaces(Point::kNews))
      world_->NotePlace({.point = Point::kNews, .client = link.process});
    const Fate fate = ChooseFate(Point::kNews, index, link, /*message=*/nullptr);
    if (fate.what == Fate::What::kIsLost) continue;
    at += fate.late;
    SendToListener(index, link, /*closes=*/false, at);
  }
}

// Plans the delivery of a message. Messages of one connection are delivered in the order of
// publishing.
void Network::SendToListener(uint32_t listener, Link& link, bool closes, MonoTime at) {
  link.last_reply = std::max(link.last_reply, at);
  const uint64_t number = static_cast<uint64_t>(link.number);
  world_->Plan({.at = link.last_reply,
                .what = World::Due::What::kNews,
                .which = listener,
                .wait = 2 * number + (closes ? 1 : 0)});
}

void Network::DeliverNews(uint32_t index, uint64_t what) {
  Listener& listener = listeners_[index];
  Link& link = links_[listener.link];
  if (listener.gone || static_cast<uint64_t>(link.number) != what / 2) return;
  const bool closes = what % 2 == 1;
  if (closes) link.number = 0;
  if (link.user != nullptr) world_->See(link.process, what, world_->now_);
  if (link.user != nullptr) return closes ? link.user->HandleClose() : link.user->HandleNews();
  if (!closes) {
    listener.has_news = true;
  }
  world_->Wake(link.task);
}

}  // namespace doublehold::sim
