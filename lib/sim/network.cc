#include "lib/sim/network.h"

#include <algorithm>
#include <utility>

#include "lib/base/check.h"
#include "lib/sim/redis/replies.h"
#include "lib/sim/world_parts.h"

namespace doublehold::sim {
namespace {

CallResult Failure(bool definite, std::string message) {
  return tl::unexpected(CallFailure{.definite = definite, .message = std::move(message)});
}

// Converts a server's reply as the real connection does. An error reply to a command is definite:
// the server changed nothing. An error of a script is definite only if it is NOSCRIPT; otherwise
// the script may have failed half-way.
void Read(ServerReply&& reply, bool of_script, CallResult& into) {
  if (reply) {
    into = std::move(*reply);
    return;
  }
  const bool is_definite = !of_script || reply.error().text.starts_with(kNoScript);
  into = Failure(is_definite, std::move(reply.error().text));
}

constexpr int kMostOpened = 1 << 16;  // of one link

}  // namespace

void Network::Begin(World& world, int nodes, MakeService make_service) {
  world_ = &world;
  make_service_ = make_service;
  const auto count = static_cast<size_t>(nodes) + 1;
  if (nodes_.size() != count) {
    nodes_.clear();
    for (size_t i = 0; i < count; ++i) nodes_.emplace_back(scripts_);
  }
  for (Node& node : nodes_) {
    node.redis.RestartEmpty();
    node.clock = {};
    node.still_until = node.down_until = {};
    node.life = 0;
    node.deposed.clear();
    // When all traffic is recorded, the node begins without scripts. The commands that load a
    // script are then counted too, as on a real server that has just started.
    node.knows_all = !world.terms_.records_traffic;
    node.replicas.reset();
    if (world.terms_.replicas > 0) node.replicas.emplace(node.redis, world.terms_.lag);
    const bool is_service = make_service != nullptr && &node != &nodes_.front();
    node.service = is_service ? make_service() : nullptr;
  }
  links_.clear();
  listeners_.clear();
  words_.Clear();
  messages_.resize(std::max<size_t>(messages_.size(), 1));
  message_count_ = 1;
  lives_ = 0;
}

uint32_t Network::Connect(uint32_t task, int process, int node) {
  CHECK(node >= 0 && static_cast<size_t>(node) < nodes_.size());
  links_.push_back({.task = task, .process = process, .node = node});
  return static_cast<uint32_t>(links_.size() - 1);
}

Network::Message& Network::Add(uint32_t link) {
  if (message_count_ == messages_.size()) messages_.emplace_back();
  Message& message = messages_[message_count_];
  message.link = link;
  message.script = nullptr;
  message.frame = 0;
  message.with_text = message.replied = message.closes = message.is_copy = false;
  message.in_flight = true;
  message.step = world_->memory_->tasks[links_[link].task]->step;
  message.nth = ++links_[link].messages;
  links_[link].sent = static_cast<uint32_t>(message_count_++);
  return message;
}

uint32_t Network::Send(uint32_t link, Argv command) {
  Add(link).words = words_.Put(command);
  const uint32_t message = links_[link].sent;
  SendMessage(message);
  return message;
}

void Network::SendScript(uint32_t link, const Script& script, Argv keys, Argv args) {
  Message& message = Add(link);
  const Argv both = words_.Put(keys, args);
  message.script = &script;
  message.words = both.first(keys.size());
  message.args = both.subspan(keys.size());
  SendMessage(links_[link].sent);
}

void Network::SendText(uint32_t link) {
  const uint32_t before = links_[link].sent;
  Message& message = Add(link);
  message.script = messages_[before].script;
  message.words = messages_[before].words;
  message.args = messages_[before].args;
  message.with_text = true;
  SendMessage(links_[link].sent);
}

void Network::SendMessage(uint32_t index) {
  Message& message = messages_[index];
  Link& link = links_[message.link];
  world_->See(link.process, message.link, message.nth);
  if (link.number == 0) {
    // Unique in the world, and independent of what other links do.
    link.number = static_cast<int>(message.link + 1) * kMostOpened + link.opened++;
    CHECK(link.opened < kMostOpened);
    link.last_request = link.last_reply = MonoTime{};
    link.life = ServerOf(link).life;
    link.moved = false;
  }
  link.answered = 0;
  message.number = link.number;
  message.life = link.life;
  message.trips = std::exchange(link.moved, false) ? 2 : 0;
  link.awaited = index;
  if (link.node != kStoreId.number) world_->NoteTraffic(link.process, link.node);
  if (ServerOf(link).down_until > world_->now_)
    return Lose(index, /*definite=*/true, "the server refused the connection");
  if (world_->terms_.frames != nullptr) RecordFrame(message, /*is_reply=*/false);
  MonoTime at = world_->now_ + world_->terms_.latency;
  if (world_->NotesPlaces(Point::kRequest)) NotePlace(Point::kRequest, index);
  const Fate fate = ChooseFate(Point::kRequest, index, link, &message);
  if (fate.what == Fate::What::kBreaks)
    return Lose(index, /*definite=*/false, "the connection was reset");
  if (fate.what == Fate::What::kIsLost) {
    message.in_flight = false;
    return;
  }
  at += fate.late;
  link.last_request = std::max(link.last_request, at);
  world_->Plan({.at = link.last_request, .what = World::Due::What::kRequest, .which = index});
  if (fate.what == Fate::What::kComesTwice) SendCopy(index);
}

CallResult* Network::Take(uint32_t link) {
  const uint32_t answered = std::exchange(links_[link].answered, 0);
  world_->See(links_[link].process, link, answered == 0 ? 0 : messages_[answered].nth);
  if (answered == 0) return nullptr;
  world_->See(links_[link].process, messages_[answered].reply);
  return &messages_[answered].reply;
}

bool Network::IsOpen(uint32_t link) const {
  world_->See(links_[link].process, links_[link].number != 0);
  return links_[link].number != 0;
}

void Network::Break(uint32_t link) {
  Link& broken = links_[link];
  // The node reads all requests before it sees the end of the connection. A request in flight is
  // executed with the connection's watches and queued commands. So the node closes the connection
  // only afterwards.
  if (broken.number != 0 && (broken.awaited == 0 || !messages_[broken.awaited].in_flight))
    CloseConnection(broken, broken.number);
  broken.number = 0;
  broken.awaited = 0;
  broken.answered = 0;
}

void Network::DeliverRequest(uint32_t index) {
  Message& message = messages_[index];
  const Link& link = links_[message.link];
  const int number = link.node;
  const Node& before = ServerOf(link);
  if (message.life != before.life) return;  // the message was lost when the server ended
  if (before.still_until > world_->now_) return Again(index, before);
  if (message.is_copy) return ExecuteCopy(message);
  if (message.trips > 0) return Follow(index);
  // Faults of a node hit its present master, not a former one that still answers somebody.
  if (number != kStoreId.number && &before == &nodes_[static_cast<size_t>(number)]) {
    if (world_->NotesPlaces(Point::kExecute)) NotePlace(Point::kExecute, index);
    const std::optional<FaultForm> fault = world_->ChooseFault(Point::kExecute, index);
    if (fault && StartNodeFault(*fault, message)) {
      // A paused node executes the message later. A node that restarts has lost it.
      if (before.still_until > world_->now_) Again(index, before);
      if (message.trips > 0) Follow(index);
      return;
    }
  }
  Node& node = ServerOf(link);
  const bool replies = Execute(message, node);
  world_->BeginMoment(message.link, message.nth, replies);
  if (world_->tracks_) MixRequest(index, world_->moment_);
  if (replies) world_->AddToMoment(message.reply);
  message.in_flight = false;
  NoteArrival(message);
  Publish(node);
  if (link.number != message.number) CloseConnection(link, message.number);
  if (!replies) return;
  MonoTime at = world_->now_ + world_->terms_.latency;
  if (node.replicas && number != kStoreId.number) {
    node.replicas->Note(world_->now_, node.redis);
    if (message.script == nullptr && IsOption(message.words.front(), "WAIT")) {
      const std::optional<Duration> later = AwaitReplicas(message, node);
      if (!later) return;
      at += *later;
    }
  }
  SendReply(index, at);
}

void Network::SendReply(uint32_t index, MonoTime at) {
  Message& message = messages_[index];
  const Link& link = links_[message.link];
  if (world_->terms_.frames != nullptr) RecordFrame(message, /*is_reply=*/true);
  if (world_->NotesPlaces(Point::kReply)) NotePlace(Point::kReply, index);
  const Fate fate = ChooseFate(Point::kReply, index, link, &message);
  if (fate.what == Fate::What::kBreaks)
    return Lose(index, /*definite=*/false, "the connection was reset");
  if (fate.what == Fate::What::kIsLost) return;
  at += fate.late;
  Answer(index, at);
}

void Network::Again(uint32_t index, const Node& server) {
  world_->Plan({.at = server.still_until, .what = World::Due::What::kRequest, .which = index});
}

// The server refers the client to another one (MOVED), and the client sends the request there,
// unless it has left. A former master refuses WAIT, which has no key.
void Network::Follow(uint32_t index) {
  Message& message = messages_[index];
  Link& link = links_[message.link];
  if (link.number != message.number) {
    message.in_flight = false;
    return CloseConnection(link, message.number);
  }
  if (message.script == nullptr && IsOption(message.words.front(), "WAIT")) {
    link.moved = true;
    message.in_flight = false;
    message.reply = Failure(/*definite=*/true, "WAIT cannot be used with replica instances");
    return SendReply(index, world_->now_ + world_->terms_.latency);
  }
  --message.trips;
  world_->Plan({.at = world_->now_ + world_->terms_.latency,
                .what = World::Due::What::kRequest,
                .which = index});
}

int64_t Network::NowMs(const Node& node) const {
  return ToMs(kWallAtStart + (world_->now_ - kStart) + node.clock.AheadAt(world_->now_));
}

// Returns whether the node replies.
bool Network::Execute(Message& message, Node& node) {
  if (node.service != nullptr) return ExecuteOnService(message, node);
  const int64_t now_ms = NowMs(node);
  const Link& link = links_[message.link];
  if (link.listener) {
    Listener& listener = listeners_[*link.listener];
    if (!listener.gone) listener.number = message.number;
    CountListeners(node, listener.channel);
    message.reply = Reply{};
    return true;
  }
  if (message.script == nullptr) {
    Read(node.redis.Execute(message.number, message.words, now_ms), /*of_script=*/false,
         message.reply);
    return true;
  }
  // Before a fault removes its scripts, a server is assumed to know every script.
  if (message.with_text || node.knows_all) node.redis.LoadScript(*message.script);
  Read(node.redis.Eval(message.number, *message.script, message.words, message.args, now_ms),
       /*of_script=*/true, message.reply);
  return true;
}

void Network::Answer(uint32_t index, MonoTime at) {
  Message& message = messages_[index];
  Link& link = links_[message.link];
  if (link.number != message.number) return;
  message.replied = true;
  link.last_reply = std::max(link.last_reply, at);
  world_->Plan({.at = link.last_reply, .what = World::Due::What::kReply, .which = index});
}

// Breaks the connection. The caller sees the failure after one latency.
void Network::Lose(uint32_t index, bool definite, std::string why) {
  messages_[index].closes = true;
  messages_[index].in_flight = false;
  messages_[index].reply = Failure(definite, std::move(why));
  Answer(index, world_->now_ + world_->terms_.latency);
}

void Network::DeliverReply(uint32_t index) {
  Message& message = messages_[index];
  Link& link = links_[message.link];
  if (link.user != nullptr) return DeliverToUser(index);
  if (link.number != message.number || link.awaited != index) return;
  link.awaited = 0;
  if (message.closes) {
    CloseConnection(link, link.number);
    link.number = 0;
  } else {
    NoteArrival(message);
  }
  if (!link.listener) {
    link.answered = index;
  } else if (message.reply) {
    if (message.reply->IsInteger(0)) return;
    listeners_[*link.listener].has_news = true;
  }
  world_->Wake(link.task);
}

void Network::CloseConnection(const Link& link, int number) {
  Node& closing = ServerOf(link);
  if (closing.service != nullptr) {
    closing.service->CloseConnection(number);
  } else {
    closing.redis.CloseConnection(number);
  }
}

void Network::RecordFrame(Message& message, bool is_reply) {
  const Link& link = links_[message.link];
  if (link.process == kReferee) return;
  const World::Task& task = *world_->memory_->tasks[link.task];
  world_->terms_.frames->push_back({.at_ns = ToNs(world_->now_ - kStart),
                                    .client = link.process,
                                    .node = link.node,
                                    .is_reply = is_reply,
                                    .command = std::string(CommandOf(message)),
                                    .task = task.kind,
                                    .thread = static_cast<uint8_t>(task.thread)});
  message.frame = world_->terms_.frames->size();
}

// Notes that the message's last frame arrives now.
void Network::NoteArrival(const Message& message) {
  if (message.frame == 0) return;
  (*world_->terms_.frames)[message.frame - 1].arrived_ns = ToNs(world_->now_ - kStart);
}

std::string_view Network::CommandOf(const Message& message) {
  if (message.script == nullptr) return message.words.front();
  return message.with_text ? "EVAL" : "EVALSHA";
}

std::string_view Network::Name(const Message& message) {
  return message.script != nullptr ? "script" : message.words.front();
}

}  // namespace doublehold::sim
