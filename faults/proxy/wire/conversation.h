// Test fixture: the bytes of a connection, and the frames that a protocol finds in them.
#ifndef DOUBLEHOLD_FAULTS_PROXY_WIRE_CONVERSATION_H_
#define DOUBLEHOLD_FAULTS_PROXY_WIRE_CONVERSATION_H_

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "faults/proxy/wire/wire.h"
#include "lib/base/prng.h"

namespace doublehold {

// Returns the bytes of "00 0a 'text' ff": hexadecimal numbers, and text between quotes.
inline std::string FromHex(std::string_view text) {
  std::string bytes;
  bool quoted = false;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\'') {
      quoted = !quoted;
    } else if (quoted) {
      bytes += text[at];
    } else if (text[at] != ' ') {
      bytes += static_cast<char>(std::stoi(std::string(text.substr(at++, 2)), nullptr, 16));
    }
  }
  return bytes;
}

struct Said {
  Direction by;
  std::string bytes;
};
using Conversation = std::vector<Said>;

// Feeds a conversation in chunks of at most `chunk_bytes`. Returns each frame as "> NAME bytes" for
// a request and "< NAME bytes" for a reply, with its key at the end if it is one of `keys`. Frames
// without a name that follow each other count as one, because their ends are arbitrary.
inline std::vector<std::string> FramesIn(Wire& wire, const Conversation& conversation,
                                         size_t chunk_bytes,
                                         const std::vector<std::string>& keys = {}) {
  std::vector<std::string> frames;
  size_t frame_bytes[2] = {0, 0};
  size_t nameless = 0;  // bytes of the frames without a name at the end of `frames`
  for (const Said& said : conversation) {
    std::string_view left = said.bytes;
    while (!left.empty()) {
      std::string_view chunk = left.substr(0, chunk_bytes);
      left.remove_prefix(chunk.size());
      while (!chunk.empty()) {
        const FramePiece piece = wire.Next(said.by, chunk);
        EXPECT_TRUE(piece.bytes >= 1 && piece.bytes <= chunk.size());
        chunk.remove_prefix(std::clamp<size_t>(piece.bytes, 1, chunk.size()));
        size_t& bytes = frame_bytes[static_cast<size_t>(said.by)];
        bytes += piece.bytes;
        if (!piece.ends) continue;
        EXPECT_TRUE(piece.named && piece.keyed);
        const FrameName name = wire.Name(said.by);
        const char side = said.by == Direction::kRequest ? '>' : '<';
        const auto key = std::ranges::find(
            keys, name.key, [](const std::string& text) { return KeyMark::Of(text); });
        if (nameless > 0 && name.name.empty() && frames.back()[0] == side) {
          frames.pop_back();
          nameless += bytes;
        } else {
          nameless = name.name.empty() ? bytes : 0;
        }
        frames.push_back(fmt::format("{} {} {}{}", side, name.name, nameless > 0 ? nameless : bytes,
                                     key == keys.end() ? "" : " " + *key));
        if (said.by == Direction::kRequest && !piece.silent) wire.Sent(/*surplus=*/false);
        bytes = 0;
      }
    }
  }
  return frames;
}

// Expects the same frames however the conversation is cut, also after some of its bytes changed.
template <typename MakeWireCall>
void ExpectCutsDoNotMatter(const MakeWireCall& make, const Conversation& conversation) {
  Prng random(1, "cuts");
  for (int trial = 0; trial < 3000; ++trial) {
    Conversation changed = conversation;
    for (int change = 0; change < trial % 4; ++change) {
      std::string& bytes = changed[random.Below(changed.size())].bytes;
      if (!bytes.empty()) bytes[random.Below(bytes.size())] = static_cast<char>(random.Below(256));
    }
    const auto whole = make();
    const auto cut = make();
    ASSERT_EQ(FramesIn(*whole, changed, SIZE_MAX), FramesIn(*cut, changed, 1 + trial / 4 % 7))
        << "trial " << trial;
  }
}

}  // namespace doublehold

#endif  // DOUBLEHOLD_FAULTS_PROXY_WIRE_CONVERSATION_H_
