#include "lib/history/frame.h"

#include <nlohmann/json.hpp>

namespace doublehold {
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

}  // namespace doublehold
