// Faults on the messages of a simulated world.
#include "lib/sim/network.h"
#include "lib/sim/redis/replies.h"
#include "lib/sim/world_parts.h"

namespace doublehold::sim {

// Asks whether a fault hits a message, and returns what becomes of the message. `message` is null
// for a message of a channel.
Fate Network::ChooseFate(Point point, uint32_t which, const Link& link, const Message* message) {
  const std::optional<FaultForm> fault = world_->ChooseFault(point, which);
  const Way way{.client = link.process, .node = link.node, .is_reply = point != Point::kRequest};
  const std::string_view command = message == nullptr ? "" : CommandOf(*message);
  if (fault && EntryOf(*fault).runs_kind) {
    world_->BeginOutside(*fault, {.client = way.client, .node = way.node, .command = command});
  } else if (fault) {
    const FaultFormEntry& entry = EntryOf(*fault);
    const bool is_held = entry.kind == "hold";
    const Fate fate{.what = is_held                 ? Fate::What::kIsLate
                            : entry.kind == "reset" ? Fate::What::kBreaks
                                                    : Fate::What::kIsLost,
                    .late = is_held ? world_->terms_.lasts : Duration{}};
    world_->Note(*fault, way.client, way.node, world_->now_ + fate.late,
                 message == nullptr ? "" : Name(*message));
    return fate;
  }
  if (!world_->HasRules()) return {};
  return world_->AskRules(
      way, {.command = command, .can_repeat = message != nullptr && CanRepeat(*message)});
}

// Whether a copy may be sent. A copy of a command that is queued in a transaction would be queued,
// too. A second EXEC fails.
bool Network::CanRepeat(const Message& message) const {
  const Link& link = links_[message.link];
  const bool ends = message.script == nullptr && IsOption(message.words.front(), "EXEC");
  return ends || !ServerOf(link).redis.IsInTransaction(link.number);
}

// Sends a copy that arrives directly after the request.
void Network::SendCopy(uint32_t index) {
  if (message_count_ == messages_.size()) messages_.emplace_back();
  const auto copy = static_cast<uint32_t>(message_count_++);
  messages_[copy] = messages_[index];
  messages_[copy].is_copy = true;
  messages_[copy].frame = 0;
  world_->Plan({.at = links_[messages_[index].link].last_request,
                .what = World::Due::What::kRequest,
                .which = copy});
}

// Executes a copy, and drops its reply. A server that has handed over only answers MOVED, and no
// client sends the copy again.
void Network::ExecuteCopy(Message& copy) {
  if (copy.trips > 0) return;
  Node& node = ServerOf(links_[copy.link]);
  static_cast<void>(Execute(copy, node));
  Publish(node);
  if (node.replicas) node.replicas->Note(world_->now_, node.redis);
}

}  // namespace doublehold::sim
