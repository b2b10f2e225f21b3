// Requests, replies and pushed messages between clients and servers, in the order in which the
// proxy or the simulated world recorded them. frames.jsonl has one line for each.
#ifndef DOUBLEHOLD_LIB_HISTORY_FRAME_H_
#define DOUBLEHOLD_LIB_HISTORY_FRAME_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/event.h"

namespace doublehold {

struct Frame {
  int64_t at_ns = 0;  // time since the start of the run
  int client = 0;
  int node = 0;  // 0: the store
  bool is_reply = false;
  // In upper case. For a reply: the command that it answers, or MESSAGE for a pushed message.
  // Empty: unknown.
  std::string command;
  // When its receiver read it, as far as known (docs/formats.md). Nothing if it was lost, or not
  // read by the end of the run.
  std::optional<int64_t> arrived_ns{};
  // The client's task. Known in the simulated world only, and not in the file.
  TaskKind task = TaskKind::kSession;
  uint8_t thread = 0;

  bool operator==(const Frame&) const = default;
};

// Returns one JSON object a line: {"time","client","node","direction","command","arrived"}, see
// docs/formats.md.
std::string ToJsonLines(const std::vector<Frame>& frames);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_FRAME_H_
