// Programs that are run to their end, for what they do or print.
#ifndef DOUBLEHOLD_LIB_OS_RUN_TOOL_H_
#define DOUBLEHOLD_LIB_OS_RUN_TOOL_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"

namespace doublehold {

struct ToolInput {
  std::string_view input{};  // on its standard input
  bool with_errors = false;  // its standard error is kept too; else it goes to /dev/null
  std::string if_missing{};  // as in SpawnRequest
};

struct RunResult {
  std::string output;  // what it printed
  int status = 0;      // as wait() gives it

  [[nodiscard]] bool succeeded() const { return status == 0; }
};

// Runs a program to its end, in a process group of its own: no terminal's Ctrl-C cuts it short. The
// caller waits for as long as it takes. It is an error when the program cannot be executed.
Result<RunResult> RunToEnd(const std::vector<std::string>& argv, const ToolInput& options = {});

// Runs a tool of the system (ip, iptables, tc), and answers what it printed. It is an error when it
// is not there or fails: one line, with what it said.
Result<std::string> RunTool(const std::vector<std::string>& argv, std::string_view input = {});

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_OS_RUN_TOOL_H_
