#include "faults/proxy/mysql/mysql_replies.h"

#include <algorithm>
#include <cstring>

namespace doublehold {
namespace {

constexpr unsigned char kOk = 0x00;
constexpr unsigned char kAuthMoreData = 0x01;
constexpr unsigned char kLocalInfile = 0xFB;
constexpr unsigned char kEof = 0xFE;  // also AuthSwitchRequest, and OK at the end of rows
constexpr unsigned char kErr = 0xFF;

constexpr uint64_t kMoreResults = 0x08;
constexpr uint64_t kCursorExists = 0x40;
constexpr uint64_t kProgress = 0xFFFF;  // MariaDB: an ERR packet with this code is no error
constexpr int64_t kLongestEof = 8;      // a longer packet that begins with 0xFE is a row

// Returns the size of a length-encoded number that begins with this byte.
size_t EncodedBytes(unsigned char first) {
  return first < 0xFB ? 1 : first == 0xFC ? 3 : first == 0xFD ? 4 : 9;
}

bool HasRows(int32_t command) { return command == kQuery || command == kExecute; }

}  // namespace

int64_t MySqlReplies::Begin(std::string_view header) {
  if (!in_frame_) {
    greets_ = !greeted_;
    greeted_ = true;
    command_ = greets_ ? kNoCommand : expected_;
    state_ = command_ == kFetch || command_ == kFieldList ? State::kRows : State::kFirst;
    in_frame_ = true;
    Keyed();
  }
  length_ = static_cast<int64_t>(LittleEndian(header.substr(0, 3)));
  if (!continues_) started_ = 0;
  return length_;
}

void MySqlReplies::Body(std::string_view text) {
  const size_t taken = continues_ ? 0 : std::min(text.size(), start_.size() - started_);
  std::memcpy(start_.data() + started_, text.data(), taken);
  started_ += taken;
}

bool MySqlReplies::End() {
  const bool first_part = !continues_;
  continues_ = length_ == kMaxPacketBytes;
  // A packet is judged by its first part.
  const bool ends = first_part ? PacketEnded() : false;
  if (ends && !continues_) in_frame_ = false;
  return ends && !continues_;
}

// Returns the little-endian number at a position of the packet, or 0 beyond its beginning.
uint64_t MySqlReplies::Number(size_t at, size_t bytes) const {
  return at + bytes <= started_ ? LittleEndian({start_.data() + at, bytes}) : 0;
}

// Returns whether the current packet ends the answer.
bool MySqlReplies::PacketEnded() {
  const uint64_t first = Number(0, 1);
  if (first == kErr) return Number(1, 2) != kProgress;
  switch (state_) {
    case State::kFirst:
      return FirstEnded();
    case State::kDefinitions:
      if (--definitions_left_ > 0) return false;
      if (!rows_follow_) return true;
      state_ = State::kRows;
      // With a cursor, no row follows the EOF packet after the definitions.
      return !agreed_.results_end_by_ok && (Number(3, 2) & kCursorExists) != 0;
    case State::kRows:
      return IsEnd() && ResultEnds(agreed_.results_end_by_ok ? StatusOfOk() : Number(3, 2));
  }
  return true;
}

bool MySqlReplies::FirstEnded() {
  const uint64_t first = Number(0, 1);
  if (command_ == kLogin || command_ == kChangeUser) {
    leaves_ = agreed_.compressed && first == kOk;
    return first != kEof && first != kAuthMoreData;
  }
  if (command_ == kPrepare) return PrepareEnded();
  if (command_ == kBinlogDump) leaves_ = true;
  if (!HasRows(command_)) return true;
  if (first == kOk) return ResultEnds(StatusOfOk());
  if (first == kLocalInfile) leaves_ = true;
  return leaves_ || ResultBegins();
}

// Reads the OK packet of a prepared statement. Definitions of its parameters and columns follow,
// each list with an EOF packet after it.
bool MySqlReplies::PrepareEnded() {
  definitions_left_ = 0;
  rows_follow_ = false;
  const bool omitted = length_ > 12 && Number(12, 1) == 0;
  for (const size_t at : {size_t{5}, size_t{7}}) {
    const uint64_t count = Number(at, 2);
    if (count > 0 && !omitted) definitions_left_ += count + (agreed_.results_end_by_ok ? 0 : 1);
  }
  state_ = State::kDefinitions;
  return definitions_left_ == 0;
}

// Reads the number of columns. MariaDB may add a byte that says whether their definitions follow.
bool MySqlReplies::ResultBegins() {
  const size_t bytes = EncodedBytes(static_cast<unsigned char>(start_[0]));
  const uint64_t columns = bytes == 1 ? Number(0, 1) : Number(1, bytes - 1);
  const bool omitted = length_ == static_cast<int64_t>(bytes) + 1 && Number(bytes, 1) == 0;
  definitions_left_ = (omitted ? 0 : columns) + (agreed_.results_end_by_ok ? 0 : 1);
  rows_follow_ = true;
  state_ = definitions_left_ == 0 ? State::kRows : State::kDefinitions;
  return false;
}

// Whether the current packet ends a list of rows.
bool MySqlReplies::IsEnd() const {
  return Number(0, 1) == kEof &&
         length_ < (agreed_.results_end_by_ok ? kMaxPacketBytes : kLongestEof + 1);
}

// Returns whether the answer ends with this result. A procedure has several results.
bool MySqlReplies::ResultEnds(uint64_t status) {
  state_ = State::kFirst;
  return !HasRows(command_) || (status & kMoreResults) == 0;
}

// Reads the status after two length-encoded numbers.
uint64_t MySqlReplies::StatusOfOk() const {
  size_t at = 1;
  for (int number = 0; number < 2; ++number) {
    at += at < started_ ? EncodedBytes(static_cast<unsigned char>(start_[at])) : 0;
  }
  return Number(at, 2);
}

}  // namespace doublehold
