#include "faults/proxy/postgres/postgres_wire.h"

#include <algorithm>
#include <array>

namespace doublehold {
namespace {

constexpr int64_t kMaxPostgresMessageBytes = int64_t{1} << 30;  // the server's limit
constexpr int64_t kMaxStartupBytes = 10'000;                    // the server's limit

constexpr int32_t kCancelRequest = 80877102;
constexpr int32_t kSslRequest = 80877103;
constexpr int32_t kGssRequest = 80877104;
constexpr int32_t kMajorVersion = 3;

constexpr std::string_view kSslName = "SSLREQUEST";
constexpr std::string_view kGssName = "GSSREQUEST";

struct MessageType {
  char type;
  std::string_view name;  // of a frame that begins with it; empty: named by its statement
  bool ends = true;       // its frame ends with it
  bool answered = true;   // by an answer of its own
};

constexpr std::array kRequestTypes{
    MessageType{'Q', ""},
    MessageType{'P', "", false},
    MessageType{'B', "BIND", false},
    MessageType{'E', "EXECUTE", false},
    MessageType{'D', "DESCRIBE", false},
    MessageType{'C', "CLOSE", false},
    MessageType{'H', "FLUSH", false},
    MessageType{'S', "SYNC"},
    MessageType{'F', "FUNCTION"},
    MessageType{'X', "TERMINATE", true, false},
    MessageType{'p', "PASSWORD", true, false},
    MessageType{'d', "COPYDATA", true, false},
    MessageType{'c', "COPYDONE", true, false},
    MessageType{'f', "COPYFAIL", true, false},
};

const MessageType* FindRequestType(char type) {
  const auto* found = std::ranges::find(kRequestTypes, type, &MessageType::type);
  return found == kRequestTypes.end() ? nullptr : found;
}

constexpr std::string_view kReplyTypes = "123ACDEGHIKNRSTVWZcdnstv";

constexpr std::string_view kStreamed = "REPLICATION";

// Messages that the server may send between answers.
std::string_view NameBetweenAnswers(char type) {
  switch (type) {
    case 'A':
      return "NOTIFICATION";
    case 'N':
      return "NOTICE";
    case 'S':
      return "PARAMETER";
    default:
      return "";
  }
}

bool IsCopyMessage(char type) { return type == 'd' || type == 'c' || type == 'f'; }

// Returns the number of bytes after type and length.
int64_t BytesAfterLength(std::string_view header) {
  const int64_t length = BigEndian32(header, 1);
  return length >= 4 && length <= kMaxPostgresMessageBytes ? length - 4 : -1;
}

}  // namespace

std::string_view PostgresRequests::name() const {
  if (lost()) return "";
  return fixed_name_.empty() ? keyword_.word().view() : fixed_name_;
}

bool PostgresRequests::is_repeatable() const {
  return !lost() && is_statement_ && !name().empty() && name() != "COPY" &&
         name() != "START_REPLICATION";
}

int64_t PostgresRequests::Begin(std::string_view header) {
  if (starting_) return BeginStartup(header);
  type_ = header[0];
  const MessageType* type = FindRequestType(type_);
  if (type == nullptr) return kNotAMessage;
  if (!in_frame_) {
    const bool ignored = copying_ && type_ == 'S';
    copying_ = IsCopyMessage(type_);
    answered_ = type->answered && !ignored;
    is_statement_ = type_ == 'Q' || type_ == 'P' || type_ == 'B';
    before_text_ = type_ == 'P';
    fixed_name_ = type->name;
    keyword_ = SqlKeyword();
    if (!fixed_name_.empty()) Keyed();
  }
  return BytesAfterLength(header);
}

int64_t PostgresRequests::BeginStartup(std::string_view header) {
  const int64_t length = BigEndian32(header, 0);
  const int32_t code = BigEndian32(header, 4);
  if (length < 8 || length > kMaxStartupBytes) return kNotAMessage;
  type_ = 0;
  answered_ = code != kCancelRequest;
  if (code == kSslRequest) {
    fixed_name_ = kSslName;
  } else if (code == kGssRequest) {
    fixed_name_ = kGssName;
  } else if (code == kCancelRequest) {
    fixed_name_ = "CANCEL";
  } else if (code >> 16 == kMajorVersion) {
    fixed_name_ = "CONNECT";
    starting_ = false;
  } else {
    return kNotAMessage;
  }
  Keyed();
  return length - 8;
}

void PostgresRequests::Body(std::string_view text) {
  if (named()) return;
  if (before_text_) {
    const size_t end = text.find('\0');
    if (end == std::string_view::npos) return;
    before_text_ = false;
    text.remove_prefix(end + 1);
  }
  if (keyword_.Add(text)) Keyed();
}

bool PostgresRequests::End() {
  const MessageType* type = FindRequestType(type_);
  const bool ends = type == nullptr || type->ends;
  in_frame_ = !ends;
  Keyed();
  return ends;
}

int64_t PostgresReplies::Begin(std::string_view header) {
  Keyed();
  if (header.size() == 1) {
    name_ = "";
    ends_ = true;
    encrypts_ = header[0] == 'S' || header[0] == 'G';
    return encrypts_ || header[0] == 'N' ? 0 : kNotAMessage;
  }
  if (kReplyTypes.find(header[0]) == std::string_view::npos) return kNotAMessage;
  const char type = header[0];
  if (!in_answer_) name_ = streams_ && type == 'd' ? kStreamed : NameBetweenAnswers(type);
  streams_ = streams_ ? type != 'c' : type == 'W';
  ends_ = type == 'Z' || type == 'W' || !name_.empty();
  return BytesAfterLength(header);
}

bool PostgresReplies::End() {
  in_answer_ = !ends_;
  return ends_;
}

FramePiece PostgresWire::Next(Direction direction, std::string_view bytes) {
  if (direction == Direction::kRequest) return requests_.Next(bytes);
  const OutstandingRequest* first = outstanding_.first();
  replies_.Expect(first != nullptr &&
                  (first->name.view() == kSslName || first->name.view() == kGssName));
  const FramePiece piece = replies_.Next(bytes);
  if (replies_.encrypts()) {
    requests_.GiveUp();
    replies_.GiveUp();
  }
  return piece;
}

FrameName PostgresWire::Name(Direction direction) {
  if (direction == Direction::kRequest) {
    return {.name = requests_.name(), .repeatable = requests_.is_repeatable()};
  }
  if (replies_.lost()) {
    outstanding_.Forget();
    return {};
  }
  if (!replies_.name().empty()) return {.name = replies_.name()};
  return outstanding_.Take();
}

void PostgresWire::Sent(bool surplus) {
  if (requests_.lost() || !requests_.is_answered()) return;
  outstanding_.Add({.name = FrameWord(requests_.name()), .surplus = surplus});
}

}  // namespace doublehold
