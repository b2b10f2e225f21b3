#include "faults/proxy/http/http_framer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace doublehold {
namespace {

constexpr int64_t kMaxHttpBodyBytes = int64_t{1} << 40;  // sums of this cannot overflow

constexpr std::string_view kReplyBegin = "HTTP/1.";

// Paths of etcd's gateway whose replies are streams of messages.
constexpr std::array<std::string_view, 2> kStreamEndings{"/WATCH", "/ELECTION/OBSERVE"};

std::optional<int64_t> ParseCount(std::string_view text, int base) {
  int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (count < 0 || count > kMaxHttpBodyBytes) return std::nullopt;
  return count;
}

std::string_view Trimmed(std::string_view text) {
  const size_t from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return "";
  return text.substr(from, text.find_last_not_of(" \t") + 1 - from);
}

bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  });
}

}  // namespace

FramePiece HttpFramer::Next(std::string_view bytes) {
  if (ended_) BeginFrame();
  size_t at = 0;
  while (at < bytes.size() && !ended_ && !lost_) {
    if (state_ == State::kUntilClose) {
      at = bytes.size();
    } else if (state_ == State::kBody || state_ == State::kChunk) {
      const auto taken = std::min(static_cast<size_t>(left_), bytes.size() - at);
      at += taken;
      left_ -= static_cast<int64_t>(taken);
      if (left_ > 0) continue;
      if (state_ == State::kBody) Ended();
      state_ = State::kChunkEnd;
    } else {
      at = Line(bytes, at);
    }
  }
  if (lost_) {
    return {.bytes = bytes.size(), .ends = true, .named = true, .keyed = true, .raw = true};
  }
  if (ended_) named_ = keyed_ = true;
  return {.bytes = at, .ends = ended_, .named = named_, .keyed = keyed_};
}

void HttpFramer::BeginFrame() {
  ended_ = false;
  is_chunk_ = streams_;
  named_ = keyed_ = is_chunk_;
  if (given_up_) Lose();
  state_ = is_chunk_ ? State::kChunkSize : State::kFirstLine;
  head_bytes_ = 0;
  if (is_chunk_) return;
  path_.Clear();
  is_head_request_ = false;
  status_ = 0;
  chunked_ = false;
  left_ = -1;
}

HttpFramer::Form HttpFramer::form() const {
  if (is_head_request_) return Form::kWithoutBody;
  const bool streams = chunked_ || std::ranges::any_of(kStreamEndings, [&](std::string_view end) {
                         return path().ends_with(end);
                       });
  return streams ? Form::kStream : Form::kWhole;
}

size_t HttpFramer::Line(std::string_view bytes, size_t at) {
  const size_t found = bytes.find('\n', at);
  const size_t end = found == std::string_view::npos ? bytes.size() : found + 1;
  head_bytes_ += end - at;
  if (head_bytes_ > kMaxHeadBytes) {
    Lose();
    return at;
  }
  line_.append(bytes.substr(at, end - at));
  const bool is_whole = found != std::string_view::npos;
  if (is_whole) line_.pop_back();
  if (state_ == State::kFirstLine && !MayBegin()) {
    Lose();
    return at;
  }
  if (!is_whole) return end;
  if (line_.ends_with('\r')) line_.pop_back();
  LineEnded(line_);
  line_.clear();
  return end;
}

void HttpFramer::LineEnded(std::string_view line) {
  switch (state_) {
    case State::kFirstLine:
      if (line.empty()) return;  // some clients send a line end after a body
      state_ = State::kHeader;
      if (side_ == Side::kRequests) return RequestLine(line);
      return StatusLine(line);
    case State::kHeader:
      if (line.empty()) return HeadEnded();
      return Header(line);
    case State::kChunkSize:
      return ChunkSize(line);
    case State::kChunkEnd:
      if (!line.empty()) return Lose();
      head_bytes_ = 0;
      state_ = State::kChunkSize;
      if (is_chunk_) Ended();
      return;
    case State::kTrailer:
      if (!line.empty()) return;
      streams_ = false;
      return Ended();
    default:
      return;
  }
}

// Whether `line_` may be a first line, or its beginning. The bytes of another protocol, such as
// HTTP/2, may never end a line, so waiting for the line's end could keep them for ever.
bool HttpFramer::MayBegin() const {
  if (side_ == Side::kReplies && line_ != "\r")
    return kReplyBegin.starts_with(std::string_view(line_).substr(0, kReplyBegin.size()));
  return std::ranges::all_of(line_, [](char c) { return c == '\r' || c == '\t' || c >= ' '; });
}

// Reads "POST /v3/kv/txn?x HTTP/1.1".
void HttpFramer::RequestLine(std::string_view line) {
  const size_t method = line.find(' ');
  const size_t target = line.rfind(' ');
  if (method == std::string_view::npos || target == method ||
      !line.substr(target + 1).starts_with("HTTP/1.")) {
    return Lose();
  }
  const std::string_view path = line.substr(method + 1, target - method - 1);
  path_.Add(path.substr(0, path.find('?')));
  is_head_request_ = line.substr(0, method) == "HEAD";
  leaves_ = line.substr(0, method) == "CONNECT";
  named_ = true;
}

// Reads "HTTP/1.1 200 OK".
void HttpFramer::StatusLine(std::string_view line) {
  const std::string_view code = line.substr(std::min(line.size(), line.find(' ') + 1)).substr(0, 3);
  const std::optional<int64_t> status = ParseCount(code, 10);
  if (!line.starts_with(kReplyBegin) || !status || *status < 100) return Lose();
  status_ = static_cast<int>(*status);
  named_ = keyed_ = true;
}

void HttpFramer::Header(std::string_view line) {
  const std::string_view name = line.substr(0, line.find(':'));
  const std::string_view value = Trimmed(line.substr(std::min(line.size(), name.size() + 1)));
  if (EqualsIgnoringCase(name, "transfer-encoding")) {
    chunked_ = EqualsIgnoringCase(value, "chunked");
  } else if (EqualsIgnoringCase(name, "content-length")) {
    const std::optional<int64_t> length = ParseCount(value, 10);
    if (!length) return Lose();
    left_ = *length;
  }
}

void HttpFramer::HeadEnded() {
  head_bytes_ = 0;
  keyed_ = true;
  const bool reply = side_ == Side::kReplies;
  if (status_ == 101) leaves_ = true;
  if (reply &&
      (is_interim() || status_ == 204 || status_ == 304 || expected_ == Form::kWithoutBody)) {
    return Ended();
  }
  if (chunked_) {
    state_ = State::kChunkSize;
    streams_ = reply && expected_ == Form::kStream;
    if (streams_) Ended();
  } else if (left_ > 0) {
    state_ = State::kBody;
  } else if (left_ < 0 && reply) {
    state_ = State::kUntilClose;
  } else {
    Ended();
  }
}

void HttpFramer::ChunkSize(std::string_view line) {
  const std::optional<int64_t> size = ParseCount(Trimmed(line.substr(0, line.find(';'))), 16);
  if (!size) return Lose();
  left_ = *size;
  state_ = left_ == 0 ? State::kTrailer : State::kChunk;
}

void HttpFramer::Lose() {
  lost_ = given_up_ = true;
  named_ = keyed_ = true;
}

}  // namespace doublehold
