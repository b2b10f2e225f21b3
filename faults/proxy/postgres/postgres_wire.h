// PostgreSQL's protocol (version 3): messages with a type and a length.
//
//   length | code | ...            the first messages of a client: SSLREQUEST, CONNECT, CANCEL
//   type | length | ...            all later messages
//
// A request is one message (Query), or the messages of an extended query up to its Sync. Its name
// is the first keyword of its first statement (SELECT); BIND for a statement that was prepared
// before. A reply is the whole answer up to ReadyForQuery. NOTIFICATION, NOTICE and PARAMETER come
// outside of answers. Frames have no key. After a switch to TLS, frames have no names.
#ifndef DOUBLEHOLD_FAULTS_PROXY_POSTGRES_POSTGRES_WIRE_H_
#define DOUBLEHOLD_FAULTS_PROXY_POSTGRES_POSTGRES_WIRE_H_

#include <string_view>

#include "faults/proxy/wire/message_framer.h"
#include "faults/proxy/wire/outstanding.h"
#include "faults/proxy/wire/sql_keyword.h"
#include "faults/proxy/wire/wire.h"

namespace doublehold {

class PostgresRequests final : public MessageFramer {
 public:
  [[nodiscard]] std::string_view name() const;
  // Whether the server replies to the request.
  [[nodiscard]] bool is_answered() const { return answered_; }
  // Whether the request is a statement that may be sent twice.
  [[nodiscard]] bool is_repeatable() const;

 private:
  [[nodiscard]] size_t HeaderBytes() const override { return starting_ ? 8 : 5; }
  int64_t Begin(std::string_view header) override;
  void Body(std::string_view text) override;
  bool End() override;
  int64_t BeginStartup(std::string_view header);

  bool starting_ = true;   // before the startup message
  bool copying_ = false;   // data for COPY has been sent, so the next Sync gets no answer
  bool in_frame_ = false;  // a message of the frame has ended
  bool answered_ = false;
  char type_ = 0;  // of the current message; 0 before the startup message
  bool is_statement_ = false;
  bool before_text_ = false;  // in the name of a prepared statement, which precedes its text
  std::string_view fixed_name_;
  SqlKeyword keyword_;
};

class PostgresReplies final : public MessageFramer {
 public:
  // Call before each frame: `awaits_byte` means that the oldest request is answered by one byte.
  void Expect(bool awaits_byte) { awaits_byte_ = awaits_byte; }
  // The name of a message outside of answers; empty for an answer.
  [[nodiscard]] std::string_view name() const { return name_; }
  // The server agreed to encrypt the connection.
  [[nodiscard]] bool encrypts() const { return encrypts_; }

 private:
  [[nodiscard]] size_t HeaderBytes() const override { return awaits_byte_ && !in_answer_ ? 1 : 5; }
  int64_t Begin(std::string_view header) override;
  void Body(std::string_view) override {}
  bool End() override;

  bool awaits_byte_ = false;
  bool encrypts_ = false;
  bool in_answer_ = false;
  bool ends_ = false;     // the current message ends its frame
  bool streams_ = false;  // the server streams its log, message by message
  std::string_view name_;
};

class PostgresWire final : public Wire {
 public:
  FramePiece Next(Direction direction, std::string_view bytes) override;
  FrameName Name(Direction direction) override;
  void Sent(bool surplus) override;
  [[nodiscard]] size_t surplus() const override { return outstanding_.surplus(); }
  [[nodiscard]] bool full() const override { return outstanding_.full(); }

 private:
  PostgresRequests requests_;
  PostgresReplies replies_;
  OutstandingRequests outstanding_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_POSTGRES_POSTGRES_WIRE_H_
