// Splits one direction of a Redis connection into frames: commands one way, replies the other.
// Copies nothing and keeps no bytes. Counts how many bytes of the current frame are left.
//
//   *3|$3|SET|$1|k|$1|v   PING|   *1|$4|PING        three commands: arrays, or lines (inline)
//   +OK|  $-1|  *2|:1|$1|x|                         three replies; arrays nest
//
// Supports RESP2 and the additions of RESP3 (HELLO 3): maps, sets, pushes, attributes and new
// scalars. After bytes that are not RESP, each chunk is a frame without a name.
#ifndef DOUBLEHOLD_LIB_REDIS_WIRE_RESP_FRAMER_H_
#define DOUBLEHOLD_LIB_REDIS_WIRE_RESP_FRAMER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lib/redis/wire/command_keys.h"

namespace doublehold {

// One framer for each direction. Not thread-safe; does not allocate.
class RespFramer {
 public:
  enum class Side : uint8_t { kCommands, kReplies };

  // Limit of a line in Redis (PROTO_INLINE_MAX_SIZE); a longer line is not RESP.
  static constexpr size_t kMaxLineBytes = 65'536;
  // Replies to Redis's own commands nest about ten deep. Replies of scripts may nest deeper. Beyond
  // this depth, later frames of the connection have no command names, but are still forwarded.
  static constexpr size_t kMaxDepth = 64;
  // Longer than any name of a command or pub/sub message. A longer word cannot be the name in a
  // rule.
  static constexpr size_t kMaxWordBytes = 32;
  // Larger than any array or bulk string of Redis, and small enough that sums cannot overflow.
  static constexpr int64_t kMaxNumber = int64_t{1} << 40;

  explicit RespFramer(Side side) : side_(side) {}

  // Returns how many of the next bytes belong to the current frame, and whether the frame ends with
  // them. `bytes` must not be empty; Piece::bytes is at least 1.
  struct Piece {
    size_t bytes = 0;
    bool ends = false;
  };
  Piece Next(std::string_view bytes);

  // Treats the rest of the stream as bytes that are not RESP.
  void GiveUp() {
    if (!lost()) Lose();
  }

  // The functions below describe the frame of the last Piece.

  // Whether word() and elements() are known. Always true at the end of a frame.
  [[nodiscard]] bool named() const { return named_; }
  // For a command: its name in upper case. For an array or push: the first element in upper case,
  // if it is a short string. Otherwise empty.
  [[nodiscard]] std::string_view word() const { return {word_.data(), word_bytes_}; }
  // For a command: the number of words. An empty line has 0 words, and gets no reply. For a reply:
  // the number of elements of the outermost array, or 0 for other types.
  [[nodiscard]] int64_t elements() const { return elements_; }
  // Whether key() is known, or known to be absent. Never true before named(). Always true at the
  // end of a frame.
  [[nodiscard]] bool keyed() const { return named_ && keyed_; }
  // The mark of a command's first key (see PlaceOfKey). In an inline command, quotes and escapes
  // count as part of the key.
  [[nodiscard]] KeyMark key() const { return key_; }
  // The first byte of the frame, for example '*', '+' or '>'. 0 when lost.
  [[nodiscard]] char type() const { return type_; }

  // Whether the stream is no longer RESP.
  [[nodiscard]] bool lost() const { return state_ == State::kLost; }

 private:
  enum class State : uint8_t {
    kStart,     // before the first byte of a frame
    kElement,   // before the first byte of an element of an aggregate
    kNumber,    // in the digits of a header
    kNumberLf,  // after a header's \r
    kLine,      // in a simple reply, to its \n
    kInline,    // in an inline command, to its \n
    kBulk,      // in a bulk string or its \r\n
    kLost,
  };

  // Each function consumes bytes from `at` on, and returns the position where it stopped.
  size_t Start(std::string_view bytes, size_t at);
  size_t Element(std::string_view bytes, size_t at);
  size_t Number(std::string_view bytes, size_t at);
  size_t NumberLf(std::string_view bytes, size_t at);
  size_t Line(std::string_view bytes, size_t at);
  size_t Inline(std::string_view bytes, size_t at);
  size_t Bulk(std::string_view bytes, size_t at);

  // The role of the current string in its frame.
  enum class Role : uint8_t { kNone, kWord, kKeyCount, kKey };

  void BeginNumber();
  void BeginBulk(int64_t length);
  void BeginAggregate(int64_t length);
  void ValueEnded();
  [[nodiscard]] Role RoleOfString(int64_t bytes) const;
  [[nodiscard]] Role RoleOfArgument(int64_t index) const;
  void AddToRole(std::string_view text);
  void AddToWord(std::string_view text);
  void RoleEnded();
  void Named();
  void Lose();

  Side side_;
  State state_ = State::kStart;
  bool ended_ = false;
  bool named_ = false;
  bool keyed_ = false;
  bool has_keys_ = false;  // the number of keys is not 0
  Role role_ = Role::kNone;
  bool inline_space_ = false;  // the first word of an inline command has ended
  bool negative_ = false;
  char type_ = 0;
  char header_ = 0;  // type of the value being read
  uint8_t digits_ = 0;
  size_t depth_ = 0;
  size_t line_bytes_ = 0;
  size_t word_bytes_ = 0;
  int64_t number_ = 0;
  int64_t bulk_left_ = 0;
  int64_t elements_ = 0;
  KeyPlace place_;
  KeyMark key_;
  std::array<int64_t, kMaxDepth> left_{};  // missing values on each level, outermost first
  std::array<char, kMaxWordBytes> word_{};
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_REDIS_WIRE_RESP_FRAMER_H_
