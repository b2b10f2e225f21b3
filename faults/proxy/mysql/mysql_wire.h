// The protocol of MySQL and MariaDB: packets with a length and a number.
//
//   < length | 0 | GREETING    > length | 1 | CONNECT ...    < length | 2 | OK
//   > length | 0 | command ... < length | 1 | OK, an error, or a result of several packets
//
// The name of a query is the first keyword of its statement (SELECT); other commands have their own
// names (PREPARE, EXECUTE, PING, QUIT). Passwords and files of a client are named DATA. Frames have
// no key. A reply is the whole answer. After a switch to TLS or to compression, frames have no
// names.
#ifndef DOUBLEHOLD_FAULTS_PROXY_MYSQL_MYSQL_WIRE_H_
#define DOUBLEHOLD_FAULTS_PROXY_MYSQL_MYSQL_WIRE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "faults/proxy/mysql/mysql_replies.h"
#include "faults/proxy/wire/message_framer.h"
#include "faults/proxy/wire/outstanding.h"
#include "faults/proxy/wire/sql_keyword.h"
#include "faults/proxy/wire/wire.h"

namespace doublehold {

class MySqlRequests final : public MessageFramer {
 public:
  [[nodiscard]] std::string_view name() const;
  // The command of the current frame; kNoCommand for data that belongs to an earlier one.
  [[nodiscard]] int32_t command() const { return command_; }
  [[nodiscard]] bool is_answered() const;
  [[nodiscard]] bool is_repeatable() const;
  // The capabilities that the client chose in its first packet.
  [[nodiscard]] uint64_t capabilities() const { return capabilities_; }

 private:
  [[nodiscard]] size_t HeaderBytes() const override { return 4; }
  int64_t Begin(std::string_view header) override;
  void Body(std::string_view text) override;
  bool End() override;
  void CommandByte(unsigned char command);

  bool logged_in_ = false;  // the first packet has begun
  bool continues_ = false;  // the current packet continues the one before
  int64_t length_ = 0;
  size_t read_ = 0;  // bytes of the packet that were read already, up to its text
  int32_t command_ = kNoCommand;
  uint64_t capabilities_ = 0;
  bool has_attributes_ = false;
  std::string_view fixed_name_;
  SqlKeyword keyword_;
};

class MySqlWire final : public Wire {
 public:
  FramePiece Next(Direction direction, std::string_view bytes) override;
  FrameName Name(Direction direction) override;
  void Sent(bool surplus) override;
  [[nodiscard]] size_t surplus() const override { return outstanding_.surplus(); }
  [[nodiscard]] bool full() const override { return outstanding_.full(); }

 private:
  MySqlRequests requests_;
  MySqlReplies replies_;
  OutstandingRequests outstanding_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_MYSQL_MYSQL_WIRE_H_
