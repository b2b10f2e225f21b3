#include "faults/proxy/wire/message_framer.h"

#include <algorithm>
#include <cstring>

namespace doublehold {

FramePiece MessageFramer::Next(std::string_view bytes) {
  if (ended_) {
    ended_ = named_ = keyed_ = false;
    lost_ = given_up_;
  }
  size_t at = 0;
  while (at < bytes.size() && !ended_ && !lost_) {
    if (!in_body_) {
      if (header_bytes_ == 0) header_size_ = HeaderBytes();
      const size_t taken = std::min(header_size_ - header_bytes_, bytes.size() - at);
      std::memcpy(header_.data() + header_bytes_, bytes.data() + at, taken);
      header_bytes_ += taken;
      at += taken;
      if (header_bytes_ < header_size_) break;
      header_bytes_ = 0;
      body_left_ = Begin({header_.data(), header_size_});
      if (body_left_ < 0) lost_ = given_up_ = true;
      in_body_ = true;
    } else {
      const auto taken = std::min(static_cast<size_t>(body_left_), bytes.size() - at);
      Body(bytes.substr(at, taken));
      body_left_ -= static_cast<int64_t>(taken);
      at += taken;
    }
    if (lost_ || body_left_ > 0) continue;
    in_body_ = false;
    ended_ = End();
  }
  if (lost_) {
    ended_ = named_ = keyed_ = true;
    return {.bytes = bytes.size(), .ends = true, .named = true, .keyed = true, .raw = true};
  }
  if (ended_) named_ = keyed_ = true;
  return {.bytes = at, .ends = ended_, .named = named_, .keyed = keyed_};
}

}  // namespace doublehold
