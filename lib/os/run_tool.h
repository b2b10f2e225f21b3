// Runs programs to their end, for their effect or their output.
#ifndef DOUBLEHOLD_LIB_OS_RUN_TOOL_H_
#define DOUBLEHOLD_LIB_OS_RUN_TOOL_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"

namespace doublehold {

struct ToolInput {
  std::string_view input{};  // for its standard input
  bool with_errors = false;  // also keep standard error; otherwise standard error goes to /dev/null
  std::string if_missing{};  // as in SpawnRequest
  bool never_root = false;   // as in SpawnRequest
};

struct RunResult {
  std::string output;  // its standard output
  int status = 0;      // wait status

  [[nodiscard]] bool succeeded() const { return status == 0; }
};

// Runs a program to its end, in its own process group, so that Ctrl-C in a terminal does not
// interrupt it. Blocks for as long as the program runs. Returns an error when the program cannot be
// executed.
Result<RunResult> RunToEnd(const std::vector<std::string>& argv, const ToolInput& options = {});

// Runs a system tool (ip, iptables, tc) and returns its output. If the tool is missing or fails,
// the error is one line with the tool's message.
Result<std::string> RunTool(const std::vector<std::string>& argv, std::string_view input = {});

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_OS_RUN_TOOL_H_
