#include "lib/redis/wire/resp_framer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "lib/base/check.h"

namespace doublehold {
namespace {

// A pub/sub word ("punsubscribe") is shorter. A longer string is data, so word() is empty and the
// framer need not wait for the string.
constexpr int64_t kMaxReplyWordBytes = 16;

char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r'; }

}  // namespace

RespFramer::Piece RespFramer::Next(std::string_view bytes) {
  CHECK(!bytes.empty());
  ended_ = false;
  size_t at = 0;
  while (at < bytes.size() && !ended_ && !lost()) {
    switch (state_) {
      case State::kStart:
        at = Start(bytes, at);
        break;
      case State::kElement:
        at = Element(bytes, at);
        break;
      case State::kNumber:
        at = Number(bytes, at);
        break;
      case State::kNumberLf:
        at = NumberLf(bytes, at);
        break;
      case State::kLine:
        at = Line(bytes, at);
        break;
      case State::kInline:
        at = Inline(bytes, at);
        break;
      case State::kBulk:
        at = Bulk(bytes, at);
        break;
      case State::kLost:
        break;
    }
  }
  if (lost()) return {bytes.size(), true};
  return {at, ended_};
}

size_t RespFramer::Start(std::string_view bytes, size_t at) {
  named_ = false;
  keyed_ = false;
  has_keys_ = false;
  role_ = Role::kNone;
  key_ = KeyMark();
  inline_space_ = false;
  word_bytes_ = 0;
  elements_ = 0;
  depth_ = 0;
  line_bytes_ = 0;
  type_ = bytes[at];
  if (side_ == Side::kReplies) return Element(bytes, at);
  if (type_ == '*') {
    header_ = '*';
    BeginNumber();
    return at + 1;
  }
  state_ = State::kInline;
  return at;
}

size_t RespFramer::Element(std::string_view bytes, size_t at) {
  header_ = bytes[at];
  const bool outermost = depth_ == 0;
  if (side_ == Side::kCommands && header_ != '$') {
    Lose();
    return at;
  }
  switch (header_) {
    case '+':
    case '-':
    case ':':
    case ',':
    case '#':
    case '_':
    case '(':
      named_ = true;  // a number is not a word, so the name is known to be empty
      line_bytes_ = 0;
      state_ = State::kLine;
      return at + 1;
    case '$':
    case '=':
    case '!':
      if (outermost) named_ = true;
      BeginNumber();
      return at + 1;
    case '*':
    case '~':
    case '>':
    case '%':
    case '|':
      if (!outermost) named_ = true;
      BeginNumber();
      return at + 1;
    default:
      Lose();
      return at;
  }
}

void RespFramer::BeginNumber() {
  number_ = 0;
  digits_ = 0;
  negative_ = false;
  state_ = State::kNumber;
}

size_t RespFramer::Number(std::string_view bytes, size_t at) {
  for (; at < bytes.size(); ++at) {
    const char c = bytes[at];
    if (c == '\r' && digits_ > 0) {
      state_ = State::kNumberLf;
      return at + 1;
    }
    if (c == '-' && digits_ == 0 && !negative_) {
      negative_ = true;
    } else if (c >= '0' && c <= '9' && number_ <= kMaxNumber && digits_ < kMaxWordBytes) {
      number_ = number_ * 10 + (c - '0');
      ++digits_;
    } else {
      Lose();
      return at;
    }
  }
  return at;
}

size_t RespFramer::NumberLf(std::string_view bytes, size_t at) {
  if (bytes[at] != '\n' || number_ > kMaxNumber || (negative_ && number_ != 1)) {
    Lose();
    return at;
  }
  const int64_t number = negative_ ? -1 : number_;
  if (header_ == '$' || header_ == '=' || header_ == '!') {
    BeginBulk(number);
  } else {
    BeginAggregate(number);
  }
  return lost() ? at : at + 1;
}

void RespFramer::BeginBulk(int64_t length) {
  if (length < 0) {
    if (side_ == Side::kCommands) return Lose();
    named_ = true;
    return ValueEnded();
  }
  role_ = RoleOfString(length);
  if (role_ == Role::kNone && !named_) Named();
  bulk_left_ = length + 2;
  state_ = State::kBulk;
}

RespFramer::Role RespFramer::RoleOfString(int64_t bytes) const {
  if (!named_) {
    const int64_t longest =
        side_ == Side::kCommands ? static_cast<int64_t>(kMaxWordBytes) : kMaxReplyWordBytes;
    return bytes <= longest ? Role::kWord : Role::kNone;
  }
  return side_ == Side::kCommands ? RoleOfArgument(elements_ - left_[0]) : Role::kNone;
}

RespFramer::Role RespFramer::RoleOfArgument(int64_t index) const {
  if (keyed_) return Role::kNone;
  if (index == place_.key_at) return Role::kKey;
  return index == place_.count_at ? Role::kKeyCount : Role::kNone;
}

void RespFramer::BeginAggregate(int64_t length) {
  if (depth_ == 0) elements_ = std::max<int64_t>(length, 0);
  int64_t values = length;
  if (header_ == '%') values = 2 * length;
  if (header_ == '|') values = 2 * length + 1;  // an attribute precedes the value that it describes
  if (values <= 0) {
    named_ = true;
    return ValueEnded();
  }
  if (depth_ == kMaxDepth) return Lose();
  left_[depth_++] = values;
  state_ = State::kElement;
}

size_t RespFramer::Line(std::string_view bytes, size_t at) {
  const void* found = std::memchr(bytes.data() + at, '\n', bytes.size() - at);
  const size_t end = found == nullptr
                         ? bytes.size()
                         : static_cast<size_t>(static_cast<const char*>(found) - bytes.data()) + 1;
  line_bytes_ += end - at;
  if (line_bytes_ > kMaxLineBytes) {
    Lose();
  } else if (found != nullptr) {
    ValueEnded();
  }
  return end;
}

size_t RespFramer::Inline(std::string_view bytes, size_t at) {
  for (; at < bytes.size(); ++at) {
    const char c = bytes[at];
    if (++line_bytes_ > kMaxLineBytes) {
      Lose();
      return at;
    }
    if (c == '\n') {
      RoleEnded();
      ValueEnded();
      return at + 1;
    }
    if (IsSpace(c)) {
      if (!inline_space_) RoleEnded();
      inline_space_ = true;
      continue;
    }
    if (inline_space_ || elements_ == 0) {
      inline_space_ = false;
      role_ = elements_ == 0 ? Role::kWord : RoleOfArgument(elements_);
      ++elements_;
    }
    if (role_ != Role::kNone) AddToRole(bytes.substr(at, 1));
  }
  return at;
}

size_t RespFramer::Bulk(std::string_view bytes, size_t at) {
  const auto taken = std::min(static_cast<size_t>(bulk_left_), bytes.size() - at);
  if (role_ != Role::kNone) {
    const auto text = static_cast<size_t>(std::max<int64_t>(bulk_left_ - 2, 0));
    AddToRole(bytes.substr(at, std::min(taken, text)));
  }
  bulk_left_ -= static_cast<int64_t>(taken);
  if (bulk_left_ <= 2) RoleEnded();
  if (bulk_left_ == 0) ValueEnded();
  return at + taken;
}

void RespFramer::ValueEnded() {
  while (depth_ > 0 && --left_[depth_ - 1] == 0) --depth_;
  if (depth_ > 0) {
    state_ = State::kElement;
    return;
  }
  named_ = true;
  keyed_ = true;
  ended_ = true;
  state_ = State::kStart;
}

void RespFramer::AddToRole(std::string_view text) {
  switch (role_) {
    case Role::kNone:
      return;
    case Role::kWord:
      return AddToWord(text);
    case Role::kKeyCount:
      has_keys_ = has_keys_ || text.find_first_of("123456789") != std::string_view::npos;
      return;
    case Role::kKey:
      if (!place_.fold) {
        key_.Add(text);
        return;
      }
      for (const char c : text) {
        const char upper = Upper(c);
        key_.Add({&upper, 1});
      }
  }
}

void RespFramer::AddToWord(std::string_view text) {
  for (const char c : text) {
    if (word_bytes_ == kMaxWordBytes) {
      word_bytes_ = 0;  // too long for a name
      role_ = Role::kNone;
      return Named();
    }
    word_[word_bytes_++] = Upper(c);
  }
}

// Call when a string with a role has been read completely.
void RespFramer::RoleEnded() {
  const Role role = std::exchange(role_, Role::kNone);
  if (role == Role::kWord) Named();
  if (role == Role::kKeyCount) keyed_ = !has_keys_;
  if (role == Role::kKey) keyed_ = true;
}

// Call when the name is known. An inline command counts as named only at its end, because the
// number of its words is unknown until then.
void RespFramer::Named() {
  named_ = state_ != State::kInline;
  if (side_ == Side::kReplies) return;
  place_ = PlaceOfKey(word());
  keyed_ = place_.key_at == 0 || (named_ && elements_ <= place_.key_at);
}

void RespFramer::Lose() {
  state_ = State::kLost;
  named_ = true;
  keyed_ = true;
  key_ = KeyMark();
  word_bytes_ = 0;
  elements_ = 0;
  type_ = 0;
}

}  // namespace doublehold
