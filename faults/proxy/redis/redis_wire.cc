#include "faults/proxy/redis/redis_wire.h"

namespace doublehold {

FramePiece RedisWire::Next(Direction direction, std::string_view bytes) {
  const bool requests = direction == Direction::kRequest;
  RespFramer& framer = requests ? commands_ : replies_;
  if (names_.streams()) framer.GiveUp();
  const RespFramer::Piece piece = framer.Next(bytes);
  return {.bytes = piece.bytes,
          .ends = piece.ends,
          .named = framer.named(),
          .keyed = requests ? framer.keyed() : framer.named(),
          .silent = requests && !framer.lost() && framer.elements() == 0,
          .raw = framer.lost()};
}

// A reply takes its name from the queue of outstanding commands.
FrameName RedisWire::Name(Direction direction) {
  const RespFramer& framer = direction == Direction::kRequest ? commands_ : replies_;
  if (names_.streams() && framer.lost()) return {.name = kReplication};
  if (direction == Direction::kRequest) {
    const std::string_view word = framer.word();
    return {.name = word, .key = framer.key(), .repeatable = names_.Repeatable(word)};
  }
  if (!framer.lost()) return names_.Take(framer);
  names_.Forget();
  return {};
}

void RedisWire::Sent(bool surplus) {
  if (commands_.lost()) return;
  names_.Sent(commands_.word(), commands_.elements(), commands_.key(), surplus);
}

}  // namespace doublehold
