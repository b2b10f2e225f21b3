// Splits one direction of a Redis connection into frames: commands one way, replies the other. It
// copies nothing and keeps no bytes: it counts down what is left of the frame it is in.
//
//   *3|$3|SET|$1|k|$1|v   PING|   *1|$4|PING        three commands: arrays, or lines (inline)
//   +OK|  $-1|  *2|:1|$1|x|                         three replies; arrays nest
//
// RESP2, and what RESP3 adds to it (HELLO 3): maps, sets, pushes, attributes and the new scalars.
// What is no RESP is passed on as it comes: from there on each chunk is a frame without a name.
#ifndef DOUBLEHOLD_LIB_REDIS_WIRE_RESP_FRAMER_H_
#define DOUBLEHOLD_LIB_REDIS_WIRE_RESP_FRAMER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lib/redis/wire/command_keys.h"

namespace doublehold {

// One framer a direction. Not thread-safe; allocates nothing.
class RespFramer {
 public:
  enum class Side : uint8_t { kCommands, kReplies };

  // A line of Redis is at most this long (its PROTO_INLINE_MAX_SIZE); a longer one is no RESP.
  static constexpr size_t kMaxLineBytes = 65'536;
  // Replies of Redis's own commands nest about ten deep; scripts can nest further, and beyond this
  // the connection merely loses its names.
  static constexpr size_t kMaxDepth = 64;
  // Longer than any command or pub/sub word; a longer one is no name a rule could give.
  static constexpr size_t kMaxWordBytes = 32;
  // No array or bulk string of Redis comes near; keeps sums far from overflow.
  static constexpr int64_t kMaxNumber = int64_t{1} << 40;

  explicit RespFramer(Side side) : side_(side) {}

  // What to do with the next bytes of the stream: so many of them belong to the current frame, and
  // it ends with them or goes on. `bytes` is not empty; the answer's `bytes` is at least 1.
  struct Piece {
    size_t bytes = 0;
    bool ends = false;
  };
  Piece Next(std::string_view bytes);

  // What follows is known to be no RESP.
  void GiveUp() {
    if (!lost()) Lose();
  }

  // About the frame that the last Piece belongs to.

  // Enough was seen to know word() and elements(). Every frame is named when it ends.
  [[nodiscard]] bool named() const { return named_; }
  // A command: its name in upper case. A reply: the first element of an array or push, in upper
  // case, when it is a short string. Else empty.
  [[nodiscard]] std::string_view word() const { return {word_.data(), word_bytes_}; }
  // A command: its words, 0 for an empty line, which Redis does not answer. A reply: elements of
  // the outermost array; 0 for other types.
  [[nodiscard]] int64_t elements() const { return elements_; }
  // A command: enough was seen to know key(); never before it is named. A frame is keyed when it
  // ends.
  [[nodiscard]] bool keyed() const { return named_ && keyed_; }
  // The mark of a command's first key (see PlaceOfKey), in an inline command as it stands there.
  [[nodiscard]] KeyMark key() const { return key_; }
  // The first byte: '*', '+', '>', ...; 0 when lost.
  [[nodiscard]] char type() const { return type_; }

  // The stream is no RESP any more.
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

  // Each takes bytes from `at` on and answers where it stopped.
  size_t Start(std::string_view bytes, size_t at);
  size_t Element(std::string_view bytes, size_t at);
  size_t Number(std::string_view bytes, size_t at);
  size_t NumberLf(std::string_view bytes, size_t at);
  size_t Line(std::string_view bytes, size_t at);
  size_t Inline(std::string_view bytes, size_t at);
  size_t Bulk(std::string_view bytes, size_t at);

  // What the string that is being read is to the frame.
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
  bool has_keys_ = false;  // the number of keys that was read is not 0
  Role role_ = Role::kNone;
  bool inline_space_ = false;  // an inline command's first word is over
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
  std::array<int64_t, kMaxDepth> left_{};  // values still to come, outermost first
  std::array<char, kMaxWordBytes> word_{};
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_REDIS_WIRE_RESP_FRAMER_H_
