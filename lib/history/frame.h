// Requests, replies and pushed messages between clients and servers, in the order in which the
// proxy or the simulated world recorded them. frames.jsonl has one line for each.
#ifndef DOUBLEHOLD_LIB_HISTORY_FRAME_H_
#define DOUBLEHOLD_LIB_HISTORY_FRAME_H_

#include <cstdint>
#include <string>
#include <vector>

namespace doublehold {

struct Frame {
  int64_t at_ns = 0;  // time since the start of the run
  int client = 0;
  int node = 0;  // 0: the store
  bool is_reply = false;
  // In upper case. For a reply: the command that it answers, or MESSAGE for a pushed message.
  // Empty: unknown.
  std::string command;
};

// Returns one JSON object a line: {"time","client","node","direction","command"}, see
// docs/formats.md.
std::string ToJsonLines(const std::vector<Frame>& frames);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_FRAME_H_
