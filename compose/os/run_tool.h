// A tool of the system that is run for what it does, or prints: ip, iptables, tc.
#ifndef DOUBLEHOLD_COMPOSE_OS_RUN_TOOL_H_
#define DOUBLEHOLD_COMPOSE_OS_RUN_TOOL_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"

namespace doublehold {

// Runs it to its end with `input` on its standard input, and answers what it printed. It is an
// error when it is not there or fails: one line, with what it said. In a process group of its own:
// no terminal's Ctrl-C cuts it short. The caller waits for as long as it takes.
Result<std::string> RunTool(const std::vector<std::string>& argv, std::string_view input = {});

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OS_RUN_TOOL_H_
