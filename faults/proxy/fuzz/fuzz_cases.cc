#include "faults/proxy/fuzz/fuzz_cases.h"

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <vector>

#include "faults/proxy/frame_queue.h"
#include "faults/proxy/redis/redis_wire.h"
#include "lib/base/check.h"

namespace doublehold {
namespace {

using Action = LinkRule::Action;

struct FramedBytes {
  std::string bytes;
  std::string word;
  int64_t elements = 0;
  KeyMark key;
  bool operator==(const FramedBytes&) const = default;
};

struct Found {
  std::vector<FramedBytes> frames;  // complete frames before the framer lost the stream
  size_t bytes = 0;
  bool lost = false;
};

Found Split(RespFramer::Side side, std::string_view stream, size_t chunk_bytes) {
  RespFramer framer(side);
  Found found;
  std::string open;
  while (!stream.empty()) {
    std::string_view chunk = stream.substr(0, chunk_bytes);
    stream.remove_prefix(chunk.size());
    while (!chunk.empty()) {
      const RespFramer::Piece piece = framer.Next(chunk);
      CHECK(piece.bytes >= 1 && piece.bytes <= chunk.size());
      CHECK(!piece.ends || (framer.named() && framer.keyed()));
      CHECK(framer.word().size() <= RespFramer::kMaxWordBytes);
      found.bytes += piece.bytes;
      open += chunk.substr(0, piece.bytes);
      chunk.remove_prefix(piece.bytes);
      if (!piece.ends || framer.lost()) continue;
      found.frames.push_back(
          {std::move(open), std::string(framer.word()), framer.elements(), framer.key()});
      open.clear();
    }
  }
  found.lost = framer.lost();
  return found;
}

// Both queues of a connection with their rules, in virtual time.
class Queues {
 public:
  explicit Queues(const std::vector<LinkRule>& specs) {
    for (const LinkRule& spec : specs) {
      const RuleId id = ++last_;
      rules_.Add(std::make_shared<ActiveRule>(io_, id, spec, Prng(1, "rule", id)));
    }
  }

  // Sends `bytes` through one direction in chunks, and returns the bytes that come out.
  std::string Carry(Direction direction, std::string_view bytes, size_t chunk_bytes) {
    FrameQueue& queue = direction == Direction::kRequest ? requests_ : replies_;
    std::string out;
    const auto take = [&] {
      const std::string_view due = queue.Due(now_);
      out += due;
      queue.Sent(due.size(), now_);
    };
    while (!bytes.empty()) {
      const std::string_view chunk = bytes.substr(0, chunk_bytes);
      bytes.remove_prefix(chunk.size());
      if (queue.idle()) {
        queue.Pass(chunk);
        out += chunk;
      } else {
        queue.Add(chunk, now_);
      }
      take();
      now_ += 1ms;
    }
    queue.EndOfStream(now_);
    now_ += std::chrono::hours(1);
    take();
    CHECK(queue.empty());
    return out;
  }

 private:
  boost::asio::io_context io_;
  RuleId last_ = 0;
  LinkRules rules_;
  RedisWire wire_;
  FrameQueue requests_{Direction::kRequest, rules_, wire_};
  FrameQueue replies_{Direction::kReply, rules_, wire_};
  MonoTime now_{};
};

struct Input {
  uint8_t rules = 0;
  size_t chunk_bytes = 1;
  std::string_view requests;
  std::string_view replies;
};

void CheckDelays(const Input& input) {
  const std::vector<LinkRule> rules{
      {.action = Action::kDelay, .command = "SET", .delay = 5ms, .jitter = 5ms},
      {.action = Action::kPace, .key = "k", .bytes = 3, .gap = 2ms},
      {.action = Action::kDelay, .nth = 2, .chance = 0.5, .delay = 1ms},
      {.direction = Direction::kReply, .action = Action::kDelay, .key = "k", .delay = 2ms},
      {.direction = Direction::kReply, .action = Action::kPace, .bytes = 2, .gap = 1ms}};
  Queues queues(rules);
  CHECK(queues.Carry(Direction::kRequest, input.requests, input.chunk_bytes) == input.requests);
  CHECK(queues.Carry(Direction::kReply, input.replies, input.chunk_bytes) == input.replies);
}

// Whether `out` is `frames` without some whole frames, followed by a prefix of `rest`.
bool HasOnlyWholeFramesRemoved(std::string_view out, const std::vector<FramedBytes>& frames,
                               std::string_view rest) {
  std::vector<bool> reached(out.size() + 1, false);
  reached[0] = true;
  for (const FramedBytes& frame : frames) {
    for (size_t at = out.size() + 1; at-- > 0;) {
      if (reached[at] && out.substr(at).starts_with(frame.bytes)) {
        reached[at + frame.bytes.size()] = true;
      }
    }
  }
  for (size_t at = 0; at <= out.size(); ++at) {
    if (reached[at] && (at == out.size() || rest.starts_with(out.substr(at)))) return true;
  }
  return false;
}

std::string_view RestAfterFrames(std::string_view stream, const Found& found) {
  for (const FramedBytes& frame : found.frames) stream.remove_prefix(frame.bytes.size());
  return stream;
}

void CheckDrops(const Input& input) {
  const std::vector<LinkRule> rules{
      {.action = Action::kDrop, .command = "SET", .nth = 2},
      {.action = Action::kDrop, .key = "k"},
      {.direction = Direction::kReply, .action = Action::kDrop, .command = "GET"},
      {.direction = Direction::kReply, .action = Action::kDrop, .key = "a"}};
  const Found requests = Split(RespFramer::Side::kCommands, input.requests, SIZE_MAX);
  const Found replies = Split(RespFramer::Side::kReplies, input.replies, SIZE_MAX);
  if (requests.lost || replies.lost) return;  // a lost stream has no frames, only chunks
  // After PSYNC or SYNC there are no frames either.
  for (const FramedBytes& frame : requests.frames) {
    if (frame.word == kReplication || frame.word == "SYNC") return;
  }
  std::string want;
  int sets = 0;
  for (const FramedBytes& frame : requests.frames) {
    const bool second_set = frame.word == "SET" && ++sets >= 2;
    if (!second_set && frame.key != KeyMark::Of("k")) want += frame.bytes;
  }
  Queues whole(rules);
  Queues cut(rules);
  const std::string sent = whole.Carry(Direction::kRequest, input.requests, SIZE_MAX);
  CHECK(cut.Carry(Direction::kRequest, input.requests, input.chunk_bytes) == sent);
  CHECK(sent.starts_with(want));
  CHECK(RestAfterFrames(input.requests, requests)
            .starts_with(std::string_view(sent).substr(want.size())));
  const std::string got = whole.Carry(Direction::kReply, input.replies, SIZE_MAX);
  CHECK(cut.Carry(Direction::kReply, input.replies, input.chunk_bytes) == got);
  CHECK(HasOnlyWholeFramesRemoved(got, replies.frames, RestAfterFrames(input.replies, replies)));
}

// Simulates a server that numbers its replies and a client that counts them. Commands with no reply
// or several replies are left out.
void CheckDuplicates(const Input& input) {
  constexpr std::array kWithoutOneReply{"SUBSCRIBE",    "PSUBSCRIBE",   "SSUBSCRIBE", "UNSUBSCRIBE",
                                        "PUNSUBSCRIBE", "SUNSUBSCRIBE", "CLIENT",     "MONITOR",
                                        "SYNC",         "PSYNC"};
  const Found asked = Split(RespFramer::Side::kCommands, input.requests, SIZE_MAX);
  if (asked.lost || !RestAfterFrames(input.requests, asked).empty()) return;
  for (const FramedBytes& frame : asked.frames) {
    if (std::ranges::find(kWithoutOneReply, frame.word) != kWithoutOneReply.end()) return;
  }
  std::string sent;
  std::string answers;
  std::string expected;
  int64_t number = 0;
  int64_t repeatable = 0;
  bool in_transaction = false;
  for (const FramedBytes& frame : asked.frames) {
    sent += frame.bytes;
    if (frame.elements == 0) continue;  // an empty line gets no reply
    const bool ends = frame.word == "EXEC" || frame.word == "DISCARD" || frame.word == "RESET";
    const bool may_repeat =
        !frame.word.empty() && IsRepeatable(frame.word) && (ends || !in_transaction);
    in_transaction = !ends && (in_transaction || frame.word == "MULTI");
    const std::string reply = ":" + std::to_string(++number) + "\r\n";
    answers += reply;
    expected += reply;
    if (!may_repeat || ++repeatable < 2) continue;
    sent += frame.bytes;
    answers += "-ERR the second\r\n";
  }
  Queues queues({{.action = Action::kDuplicate, .nth = 2},
                 {.direction = Direction::kReply, .action = Action::kDelay, .delay = 1ms}});
  CHECK(queues.Carry(Direction::kRequest, input.requests, input.chunk_bytes) == sent);
  CHECK(queues.Carry(Direction::kReply, answers, input.chunk_bytes) == expected);
}

}  // namespace

void CheckFramer(std::string_view input) {
  if (input.empty()) return;
  const auto first = static_cast<uint8_t>(input[0]);
  const auto side = first % 2 == 0 ? RespFramer::Side::kCommands : RespFramer::Side::kReplies;
  const std::string_view stream = input.substr(1);
  const Found whole = Split(side, stream, SIZE_MAX);
  const Found cut = Split(side, stream, 1 + first / 2 % 16);
  CHECK(whole.bytes == stream.size() && cut.bytes == stream.size());
  CHECK(whole.lost == cut.lost);
  CHECK(whole.frames == cut.frames);
}

void CheckQueues(std::string_view bytes) {
  if (bytes.size() < 2) return;
  Input input{.rules = static_cast<uint8_t>(bytes[0]),
              .chunk_bytes = size_t{1} + static_cast<uint8_t>(bytes[1]) % 32};
  bytes.remove_prefix(2);
  const size_t apart = std::min(bytes.find('\xFF'), bytes.size());
  input.requests = bytes.substr(0, apart);
  input.replies = bytes.substr(std::min(apart + 1, bytes.size()));
  switch (input.rules % 3) {
    case 0:
      return CheckDelays(input);
    case 1:
      return CheckDrops(input);
    default:
      return CheckDuplicates(input);
  }
}

}  // namespace doublehold
