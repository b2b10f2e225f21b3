#include "faults/proxy/mysql/mysql_wire.h"

#include <algorithm>
#include <array>

namespace doublehold {
namespace {

constexpr uint64_t kCompress = 0x20;
constexpr uint64_t kSsl = 0x800;
constexpr uint64_t kDeprecateEof = uint64_t{1} << 24;
constexpr uint64_t kQueryAttributes = uint64_t{1} << 27;
constexpr int64_t kSslRequestBytes = 32;

struct CommandName {
  int32_t command;
  std::string_view name;  // empty: named by its statement
  bool answered = true;
};

// Commands that are not listed have no name, and an answer of one packet.
constexpr std::array kCommandNames{
    CommandName{0x01, "QUIT", false},
    CommandName{0x02, "INIT_DB"},
    CommandName{kQuery, ""},
    CommandName{kFieldList, "FIELD_LIST"},
    CommandName{0x09, "STATISTICS"},
    CommandName{0x0C, "PROCESS_KILL"},
    CommandName{0x0E, "PING"},
    CommandName{kChangeUser, "CHANGE_USER"},
    CommandName{kBinlogDump, "BINLOG_DUMP"},
    CommandName{kPrepare, "PREPARE"},
    CommandName{kExecute, "EXECUTE"},
    CommandName{0x18, "SEND_LONG_DATA", false},
    CommandName{0x19, "CLOSE", false},
    CommandName{0x1A, "RESET_STATEMENT"},
    CommandName{0x1B, "SET_OPTION"},
    CommandName{kFetch, "FETCH"},
    CommandName{0x1F, "RESET_CONNECTION"},
};

CommandName NameForCommand(int32_t command) {
  const auto* found = std::ranges::find(kCommandNames, command, &CommandName::command);
  return found == kCommandNames.end() ? CommandName{command, ""} : *found;
}

}  // namespace

std::string_view MySqlRequests::name() const {
  if (lost()) return "";
  return fixed_name_.empty() ? keyword_.word().view() : fixed_name_;
}

bool MySqlRequests::is_answered() const {
  if (lost() || command_ == kNoCommand) return false;
  return command_ == kLogin || NameForCommand(command_).answered;
}

bool MySqlRequests::is_repeatable() const {
  if (lost()) return false;
  return command_ == kExecute || (command_ == kQuery && !name().empty() && name() != "LOAD");
}

int64_t MySqlRequests::Begin(std::string_view header) {
  length_ = static_cast<int64_t>(LittleEndian(header.substr(0, 3)));
  if (continues_) return length_;
  read_ = 0;
  fixed_name_ = "";
  keyword_ = SqlKeyword();
  if (!logged_in_) {
    logged_in_ = true;
    command_ = kLogin;
    fixed_name_ = "CONNECT";
  } else if (header[3] != 0) {
    command_ = kNoCommand;
    fixed_name_ = "DATA";
    Keyed();
  } else {
    command_ = kNoCommand;  // until its first byte arrives
  }
  return length_;
}

void MySqlRequests::Body(std::string_view text) {
  for (; !text.empty() && !named(); text.remove_prefix(1)) {
    const auto byte = static_cast<unsigned char>(text[0]);
    if (command_ == kLogin) {
      capabilities_ |= uint64_t{byte} << 8 * read_;
      if (++read_ < 4) continue;
      if ((capabilities_ & kSsl) != 0 && length_ == kSslRequestBytes) {
        command_ = kNoCommand;
        fixed_name_ = "SSLREQUEST";
        GiveUp();
      }
      Keyed();
    } else if (read_ == 0) {
      CommandByte(byte);
      ++read_;
    } else if (has_attributes_ && read_ < 3) {
      // A statement with attributes keeps its text behind them, and has no name.
      if (read_ == 1 && byte != 0) Keyed();
      ++read_;
    } else {
      if (keyword_.Add(text)) Keyed();
      return;
    }
  }
}

void MySqlRequests::CommandByte(unsigned char command) {
  command_ = command;
  fixed_name_ = NameForCommand(command_).name;
  has_attributes_ = (capabilities_ & kQueryAttributes) != 0;
  if (command_ != kQuery) Keyed();
}

bool MySqlRequests::End() {
  continues_ = length_ == kMaxPacketBytes;
  return !continues_;
}

FramePiece MySqlWire::Next(Direction direction, std::string_view bytes) {
  if (direction == Direction::kRequest) {
    const FramePiece piece = requests_.Next(bytes);
    if (requests_.name() == "SSLREQUEST") replies_.GiveUp();
    return piece;
  }
  const OutstandingRequest* first = outstanding_.first();
  replies_.Expect(first == nullptr ? kNoCommand : first->id);
  replies_.Agree({.results_end_by_ok = (requests_.capabilities() & kDeprecateEof) != 0,
                  .compressed = (requests_.capabilities() & kCompress) != 0});
  const FramePiece piece = replies_.Next(bytes);
  if (replies_.leaves_protocol()) {
    requests_.GiveUp();
    replies_.GiveUp();
  }
  return piece;
}

FrameName MySqlWire::Name(Direction direction) {
  if (direction == Direction::kRequest) {
    return {.name = requests_.name(), .repeatable = requests_.is_repeatable()};
  }
  if (replies_.lost()) {
    outstanding_.Forget();
    return {};
  }
  if (replies_.is_greeting()) return {.name = "GREETING"};
  return outstanding_.Take();
}

void MySqlWire::Sent(bool surplus) {
  if (!requests_.is_answered()) return;
  outstanding_.Add(
      {.name = FrameWord(requests_.name()), .id = requests_.command(), .surplus = surplus});
}

}  // namespace doublehold
