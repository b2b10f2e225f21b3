// Splits a stream into frames of one or more messages, each of which has a header with its length.
#ifndef DOUBLEHOLD_FAULTS_PROXY_WIRE_MESSAGE_FRAMER_H_
#define DOUBLEHOLD_FAULTS_PROXY_WIRE_MESSAGE_FRAMER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "faults/proxy/wire/wire.h"

namespace doublehold {

// One direction of a connection. A protocol derives from this class, and says what its messages
// mean. Keeps the bytes of a header only. Not thread-safe.
class MessageFramer {
 public:
  static constexpr size_t kMaxHeaderBytes = 32;

  virtual ~MessageFramer() = default;

  // See Wire::Next.
  FramePiece Next(std::string_view bytes);
  // From the next byte on, each chunk is a frame without a name.
  void GiveUp() { given_up_ = true; }
  [[nodiscard]] bool lost() const { return lost_; }

 protected:
  static constexpr int64_t kNotAMessage = -1;

  // The size of the next message's header, at least 1 and at most kMaxHeaderBytes.
  [[nodiscard]] virtual size_t HeaderBytes() const = 0;
  // A header has arrived. Returns the number of bytes that follow it, or kNotAMessage.
  virtual int64_t Begin(std::string_view header) = 0;
  // The next bytes after the header; called once or more unless there are none.
  virtual void Body(std::string_view text) = 0;
  // A message has arrived completely. Returns whether its frame ends with it.
  virtual bool End() = 0;

  // The name of the frame is known.
  void Named() { named_ = true; }
  // The key is known as well.
  void Keyed() { named_ = keyed_ = true; }
  [[nodiscard]] bool named() const { return named_; }
  [[nodiscard]] bool keyed() const { return keyed_; }

 private:
  bool given_up_ = false;
  bool lost_ = false;
  bool ended_ = true;   // the next byte begins a frame
  bool named_ = false;  // these two describe the current frame
  bool keyed_ = false;
  std::array<char, kMaxHeaderBytes> header_{};
  size_t header_size_ = 0;
  size_t header_bytes_ = 0;  // how much of the header has arrived
  int64_t body_left_ = 0;
  bool in_body_ = false;
};

// Numbers in headers. The text must have as many bytes.
constexpr uint64_t BigEndian(std::string_view bytes) {
  uint64_t number = 0;
  for (const char c : bytes) number = number << 8 | static_cast<unsigned char>(c);
  return number;
}
constexpr int32_t BigEndian32(std::string_view bytes, size_t at) {
  return static_cast<int32_t>(BigEndian(bytes.substr(at, 4)));
}

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_WIRE_MESSAGE_FRAMER_H_
