#include "faults/proxy/http/http_wire.h"

namespace doublehold {

FramePiece HttpWire::Next(Direction direction, std::string_view bytes) {
  HttpFramer& framer = direction == Direction::kRequest ? requests_ : replies_;
  const OutstandingRequest* first = outstanding_.first();
  replies_.Expect(first == nullptr ? Form::kWhole : static_cast<Form>(first->id));
  const FramePiece piece = framer.Next(bytes);
  if (framer.leaves_protocol()) {
    requests_.GiveUp();
    replies_.GiveUp();
  }
  return piece;
}

FrameName HttpWire::Name(Direction direction) {
  if (direction == Direction::kRequest) {
    return {.name = requests_.path(),
            .repeatable = !requests_.path().empty() && requests_.form() == Form::kWhole};
  }
  if (replies_.lost()) {
    outstanding_.Forget();
    return {};
  }
  if (replies_.is_interim()) return {.name = "CONTINUE"};
  if (!replies_.is_chunk()) reply_ = outstanding_.Take();
  return reply_;
}

void HttpWire::Sent(bool surplus) {
  if (requests_.lost()) return;
  // The surplus reply is removed as a whole, so it must be one frame.
  const Form form = surplus && requests_.form() == Form::kStream ? Form::kWhole : requests_.form();
  outstanding_.Add(
      {.name = FrameWord(requests_.path()), .id = static_cast<int32_t>(form), .surplus = surplus});
}

}  // namespace doublehold
