#include "faults/proxy/zookeeper/zookeeper_wire.h"

#include <algorithm>
#include <array>
#include <limits>

namespace doublehold {
namespace {

// Larger than any frame of a server with sensible settings (jute.maxbuffer is 1 MiB). Smaller than
// every four-letter word that is read as a length.
constexpr int64_t kMaxFrameBytes = 256 << 20;

constexpr size_t kLengthBytes = 4;
constexpr size_t kRequestHeaderBytes = 8;  // xid and opcode
constexpr size_t kReplyHeaderBytes = 16;   // xid, zxid and error
// The type, the end mark and the error of a MULTI's first operation, before its path.
constexpr int64_t kBeforePathOfMulti = 9;

constexpr int32_t kConnectXid = std::numeric_limits<int32_t>::min();  // no client uses it
constexpr int32_t kNotificationXid = -1;

struct Operation {
  int32_t opcode;
  std::string_view name;
  bool has_path = false;  // the path follows the header
};

// Sorted by opcode, see org.apache.zookeeper.ZooDefs.OpCode. Versions of one operation share a
// name.
constexpr std::array kOperations{
    Operation{-11, "CLOSE"},
    Operation{1, "CREATE", true},
    Operation{2, "DELETE", true},
    Operation{3, "EXISTS", true},
    Operation{4, "GETDATA", true},
    Operation{5, "SETDATA", true},
    Operation{6, "GETACL", true},
    Operation{7, "SETACL", true},
    Operation{8, "GETCHILDREN", true},
    Operation{9, "SYNC", true},
    Operation{11, "PING"},
    Operation{12, "GETCHILDREN", true},
    Operation{13, "CHECK", true},
    Operation{14, "MULTI"},
    Operation{15, "CREATE", true},
    Operation{16, "RECONFIG"},
    Operation{17, "CHECKWATCHES", true},
    Operation{18, "REMOVEWATCHES", true},
    Operation{19, "CREATECONTAINER", true},
    Operation{20, "DELETECONTAINER", true},
    Operation{21, "CREATETTL", true},
    Operation{22, "MULTIREAD"},
    Operation{100, "AUTH"},
    Operation{101, "SETWATCHES"},
    Operation{102, "SASL"},
    Operation{103, "GETEPHEMERALS", true},
    Operation{104, "GETALLCHILDRENNUMBER", true},
    Operation{105, "SETWATCHES"},
    Operation{106, "ADDWATCH", true},
    Operation{107, "WHOAMI"},
};
static_assert(std::ranges::is_sorted(kOperations, {}, &Operation::opcode));

Operation OperationFor(int32_t opcode) {
  const auto* found = std::ranges::lower_bound(kOperations, opcode, {}, &Operation::opcode);
  return found != kOperations.end() && found->opcode == opcode ? *found : Operation{opcode, ""};
}

// Returns the number of bytes after a header that follows the length, or -1 for a length that no
// frame has.
int64_t BytesAfterHeader(std::string_view header) {
  const int64_t length = BigEndian32(header, 0);
  const auto read = static_cast<int64_t>(header.size() - kLengthBytes);
  return length >= read && length <= kMaxFrameBytes ? length - read : -1;
}

}  // namespace

size_t ZooKeeperRequests::HeaderBytes() const {
  return connected_ ? kLengthBytes + kRequestHeaderBytes : kLengthBytes;
}

int64_t ZooKeeperRequests::Begin(std::string_view header) {
  key_ = KeyMark{};
  until_path_ = 0;
  const int64_t left = BytesAfterHeader(header);
  if (!connected_) {
    connected_ = true;
    name_ = "CONNECT";
    xid_ = kConnectXid;
    Keyed();
    return left;
  }
  xid_ = BigEndian32(header, kLengthBytes);
  const Operation operation = OperationFor(BigEndian32(header, kLengthBytes + 4));
  name_ = operation.name;
  const bool multi = name_ == "MULTI" || name_ == "MULTIREAD";
  if (!operation.has_path && !multi) {
    Keyed();
  } else {
    Named();
    path_left_ = 0;
    until_path_ = static_cast<int64_t>(kLengthBytes) + (multi ? kBeforePathOfMulti : 0);
  }
  return left;
}

void ZooKeeperRequests::Body(std::string_view text) {
  while (!text.empty() && !keyed()) {
    if (until_path_ > 0) {
      PathByte(text[0]);
      text.remove_prefix(1);
      continue;
    }
    const size_t taken = std::min<size_t>(path_left_, text.size());
    key_.Add(text.substr(0, taken));
    text.remove_prefix(taken);
    path_left_ -= taken;
    if (path_left_ == 0) Keyed();
  }
}

// Reads a byte before the path's text. A path of negative length is absent.
void ZooKeeperRequests::PathByte(char c) {
  if (until_path_ <= static_cast<int64_t>(kLengthBytes)) {
    path_left_ = path_left_ << 8 | static_cast<unsigned char>(c);
  }
  if (--until_path_ > 0) return;
  if (path_left_ == 0 || path_left_ > kMaxFrameBytes) Keyed();
}

size_t ZooKeeperReplies::HeaderBytes() const {
  return connected_ ? kLengthBytes + kReplyHeaderBytes : kLengthBytes;
}

int64_t ZooKeeperReplies::Begin(std::string_view header) {
  xid_ = connected_ ? BigEndian32(header, kLengthBytes) : kConnectXid;
  connected_ = true;
  Keyed();
  return BytesAfterHeader(header);
}

FramePiece ZooKeeperWire::Next(Direction direction, std::string_view bytes) {
  return direction == Direction::kRequest ? requests_.Next(bytes) : replies_.Next(bytes);
}

FrameName ZooKeeperWire::Name(Direction direction) {
  if (direction == Direction::kRequest) return {.name = requests_.name(), .key = requests_.key()};
  if (replies_.lost()) {
    outstanding_.Forget();
    return {};
  }
  if (replies_.xid() == kNotificationXid) return {.name = "NOTIFICATION"};
  return outstanding_.Take(replies_.xid());
}

void ZooKeeperWire::Sent(bool surplus) {
  if (requests_.lost()) return;
  outstanding_.Add({.name = FrameWord(requests_.name()),
                    .key = requests_.key(),
                    .id = requests_.xid(),
                    .surplus = surplus});
}

}  // namespace doublehold
