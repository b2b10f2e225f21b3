// The replies of a MySQL or MariaDB server: which packets belong to the answer to a command.
#ifndef DOUBLEHOLD_FAULTS_PROXY_MYSQL_MYSQL_REPLIES_H_
#define DOUBLEHOLD_FAULTS_PROXY_MYSQL_MYSQL_REPLIES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "faults/proxy/wire/message_framer.h"

namespace doublehold {

// Commands of the protocol whose answers have a form of their own. kLogin stands for the client's
// first packet, kNoCommand for no command at all.
enum MySqlCommand : int32_t {
  kNoCommand = -2,
  kLogin = -1,
  kQuery = 0x03,
  kFieldList = 0x04,
  kChangeUser = 0x11,
  kBinlogDump = 0x12,
  kPrepare = 0x16,
  kExecute = 0x17,
  kFetch = 0x1C,
};

// Little-endian, as all numbers of this protocol.
constexpr uint64_t LittleEndian(std::string_view bytes) {
  uint64_t number = 0;
  for (size_t at = bytes.size(); at-- > 0;) {
    number = number << 8 | static_cast<unsigned char>(bytes[at]);
  }
  return number;
}

// Packets of this length continue in the next packet.
constexpr int64_t kMaxPacketBytes = 0xFFFFFF;

class MySqlReplies final : public MessageFramer {
 public:
  // Call before each frame: the oldest command without an answer.
  void Expect(int32_t command) { expected_ = command; }
  // What the client asked for in its first packet.
  struct Agreement {
    bool results_end_by_ok = false;  // instead of an EOF packet
    bool compressed = false;         // all packets after the login
  };
  void Agree(Agreement agreement) { agreed_ = agreement; }
  // Whether the current frame is the greeting, which the server sends before any command.
  [[nodiscard]] bool is_greeting() const { return greets_; }
  // The bytes after this frame cannot be framed: the server asks for a file, streams its log, or
  // compresses.
  [[nodiscard]] bool leaves_protocol() const { return leaves_; }

 private:
  enum class State : uint8_t { kFirst, kDefinitions, kRows };

  [[nodiscard]] size_t HeaderBytes() const override { return 4; }
  int64_t Begin(std::string_view header) override;
  void Body(std::string_view text) override;
  bool End() override;
  bool PacketEnded();
  bool FirstEnded();
  bool PrepareEnded();
  bool ResultBegins();
  bool ResultEnds(uint64_t status);
  [[nodiscard]] bool IsEnd() const;
  [[nodiscard]] uint64_t StatusOfOk() const;
  [[nodiscard]] uint64_t Number(size_t at, size_t bytes) const;

  Agreement agreed_;
  bool greeted_ = false;
  bool greets_ = false;
  bool leaves_ = false;
  int32_t expected_ = kNoCommand;
  int32_t command_ = kNoCommand;  // that the current frame answers
  bool in_frame_ = false;
  bool continues_ = false;  // the current packet continues the one before
  State state_ = State::kFirst;
  uint64_t definitions_left_ = 0;
  bool rows_follow_ = false;  // after the definitions
  int64_t length_ = 0;        // of the current packet
  // The beginning of the current packet: enough for the status of an OK packet.
  std::array<char, 24> start_{};
  size_t started_ = 0;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_MYSQL_MYSQL_REPLIES_H_
