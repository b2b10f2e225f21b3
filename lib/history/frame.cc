#include "lib/history/frame.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "lib/base/json_object.h"
#include "lib/history/lines.h"
#include "lib/history/text_source.h"

namespace doublehold {
namespace {

constexpr size_t kLongestFrame = size_t{1} << 20;

Frame ReadFrame(JsonObject& line, int64_t earliest_ns) {
  Frame frame;
  frame.at_ns = line.Take("time").Whole<int64_t>(earliest_ns);
  frame.client = line.Take("client").Whole<int>(1);
  frame.node = line.Take("node").Whole<int>(0);
  frame.is_reply = line.Take("direction").Word({"request", "reply"}) == "reply";
  frame.command = line.Take("command").Text();
  if (const auto arrived = line.Find("arrived"))
    frame.arrived_ns = arrived->Whole<int64_t>(frame.at_ns);
  line.RejectUnknown();
  return frame;
}

}  // namespace

std::string ToJsonLines(const std::vector<Frame>& frames) {
  std::string lines;
  for (const Frame& frame : frames) {
    nlohmann::ordered_json line{{"time", frame.at_ns},
                                {"client", frame.client},
                                {"node", frame.node},
                                {"direction", frame.is_reply ? "reply" : "request"},
                                {"command", frame.command}};
    if (frame.arrived_ns) line["arrived"] = *frame.arrived_ns;
    // A command consists of bytes from the client, which may not be valid UTF-8.
    lines += line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }
  return lines;
}

Result<std::vector<Frame>> ReadFrames(const std::filesystem::path& file) {
  TextSource source = TRY(TextSource::Open(file));
  Lines lines(source, kLongestFrame);
  std::vector<Frame> frames;
  const auto refused = [&](std::string_view reason) {
    return BadInput(fmt::format("{}:{}: {}", source.name(), lines.number(), reason));
  };
  for (Lines::Found found = lines.Next(); found != Lines::Found::kEnd; found = lines.Next()) {
    if (found == Lines::Found::kTooLong)
      return refused(fmt::format("longer than {} bytes", kLongestFrame));
    const auto json = nlohmann::json::parse(lines.line(), nullptr, /*allow_exceptions=*/false);
    JsonDocument document(json);
    JsonObject line(document);
    frames.push_back(ReadFrame(line, frames.empty() ? 0 : frames.back().at_ns));
    if (!document.ok()) return refused(document.error());
  }
  if (source.broken()) return refused("cannot be read further");
  return frames;
}

}  // namespace doublehold
