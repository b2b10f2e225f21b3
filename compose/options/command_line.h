// Parses the options of a subcommand: Boost.Program_options with this project's messages.
#ifndef DOUBLEHOLD_COMPOSE_OPTIONS_COMMAND_LINE_H_
#define DOUBLEHOLD_COMPOSE_OPTIONS_COMMAND_LINE_H_

#include <boost/program_options.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/result.h"

namespace doublehold {

using Words = std::vector<std::string>;

// If this is the only word, a command prints its options, one a line, for completions and the
// manual page. A line is NAME <tab> VALUE <tab> DESCRIPTION; VALUE is empty if the option takes no
// value.
inline constexpr std::string_view kDescribeOptions = "--describe-options";

struct ParsedLine {
  boost::program_options::variables_map values;
  Words rest;         // the words that are not options
  bool help = false;  // --help or kDescribeOptions was given, and the help has been printed
};

// Parses the words of a command. With --help, prints `usage` and `options`. Accepts the `hidden`
// options too, so that the command can refuse them with a reason. The error for an unknown option
// names the nearest of `options`.
Result<ParsedLine> ParseLine(const Words& words,
                             boost::program_options::options_description options,
                             const std::string& usage,
                             const boost::program_options::options_description& hidden = {});

// Parses NAME=VALUE, the value of --`option`.
Result<std::pair<std::string, std::string>> ParseAssignment(const std::string& option,
                                                            const std::string& assignment);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OPTIONS_COMMAND_LINE_H_
