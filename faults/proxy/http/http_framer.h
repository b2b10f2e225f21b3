// Splits one direction of an HTTP/1.1 connection into messages.
#ifndef DOUBLEHOLD_FAULTS_PROXY_HTTP_HTTP_FRAMER_H_
#define DOUBLEHOLD_FAULTS_PROXY_HTTP_HTTP_FRAMER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "faults/proxy/wire/outstanding.h"
#include "faults/proxy/wire/wire.h"

namespace doublehold {

// A frame is a whole message, or a part of a streamed reply: its head, or one of its chunks. Keeps
// one line of a head at a time. Not thread-safe.
class HttpFramer {
 public:
  enum class Side : uint8_t { kRequests, kReplies };
  // The form of the reply to a request.
  enum class Form : int32_t { kWhole, kStream, kWithoutBody };

  // A longer line, or a head of more bytes, is not HTTP.
  static constexpr size_t kMaxHeadBytes = 65'536;

  explicit HttpFramer(Side side) : side_(side) {}

  // See Wire::Next.
  FramePiece Next(std::string_view bytes);
  // From the next frame on, each chunk of bytes is a frame without a name.
  void GiveUp() { given_up_ = true; }
  [[nodiscard]] bool lost() const { return lost_; }

  // Requests: the path in upper case, and the form of the reply, which is known with the head.
  [[nodiscard]] std::string_view path() const { return lost_ ? std::string_view{} : path_.view(); }
  [[nodiscard]] Form form() const;

  // Replies: call before each frame with the form of the oldest reply that is missing.
  void Expect(Form form) { expected_ = form; }
  // Whether the frame is a chunk of a reply whose head was an earlier frame.
  [[nodiscard]] bool is_chunk() const { return is_chunk_; }
  // Whether the frame comes before the reply (status 100 to 199).
  [[nodiscard]] bool is_interim() const { return status_ / 100 == 1; }

  // Whether the bytes after this frame are of another protocol.
  [[nodiscard]] bool leaves_protocol() const { return leaves_; }

 private:
  enum class State : uint8_t {
    kFirstLine,
    kHeader,
    kBody,
    kChunkSize,
    kChunk,
    kChunkEnd,
    kTrailer,
    kUntilClose,
  };

  void BeginFrame();
  size_t Line(std::string_view bytes, size_t at);
  void LineEnded(std::string_view line);
  [[nodiscard]] bool MayBegin() const;
  void RequestLine(std::string_view line);
  void StatusLine(std::string_view line);
  void Header(std::string_view line);
  void HeadEnded();
  void ChunkSize(std::string_view line);
  void Ended() { ended_ = true; }
  void Lose();

  const Side side_;
  State state_ = State::kFirstLine;
  bool given_up_ = false;
  bool lost_ = false;
  bool leaves_ = false;
  bool ended_ = true;   // the next byte begins a frame
  bool named_ = false;  // these two describe the current frame
  bool keyed_ = false;
  bool streams_ = false;  // between the head and the last chunk of a streamed reply
  bool is_chunk_ = false;
  Form expected_ = Form::kWhole;
  FrameWord path_;
  bool is_head_request_ = false;
  int status_ = 0;
  bool chunked_ = false;
  int64_t left_ = 0;  // bytes of the body or chunk that are missing
  size_t head_bytes_ = 0;
  std::string line_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_HTTP_HTTP_FRAMER_H_
