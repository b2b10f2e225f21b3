// However a stream is cut into chunks, the framer finds the same frames, and takes every byte once.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "faults/proxy/resp_framer.h"
#include "lib/base/check.h"

namespace doublehold {
namespace {

struct Found {
  std::vector<std::string> frames;  // what ended before the stream was lost
  size_t bytes = 0;
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
      CHECK(!piece.ends || framer.named());
      CHECK(framer.word().size() <= RespFramer::kMaxWordBytes);
      found.bytes += piece.bytes;
      open += chunk.substr(0, piece.bytes);
      chunk.remove_prefix(piece.bytes);
      if (!piece.ends || framer.lost()) continue;
      open += '|';
      open += framer.word();
      open += std::to_string(framer.elements());
      found.frames.push_back(std::move(open));
      open.clear();
    }
  }
  return found;
}

}  // namespace
}  // namespace doublehold

// The first byte chooses the direction and the size of the chunks.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  using doublehold::RespFramer;
  if (bytes == 0) return 0;
  const auto side = data[0] % 2 == 0 ? RespFramer::Side::kCommands : RespFramer::Side::kReplies;
  const std::string_view stream(reinterpret_cast<const char*>(data) + 1, bytes - 1);
  const doublehold::Found whole = doublehold::Split(side, stream, bytes);
  const doublehold::Found cut = doublehold::Split(side, stream, 1 + data[0] / 2 % 16);
  CHECK(whole.bytes == stream.size() && cut.bytes == stream.size());
  CHECK(whole.frames == cut.frames);
  return 0;
}
