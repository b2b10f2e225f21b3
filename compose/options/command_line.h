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

// As the only word: prints the options, a line each, for completions and the manual page:
// NAME <tab> the value that it takes, or nothing <tab> its description.
inline constexpr std::string_view kDescribeOptions = "--describe-options";

struct ParsedLine {
  boost::program_options::variables_map values;
  Words rest;         // the words that are no options
  bool help = false;  // --help was given, or kDescribeOptions; it has been printed
};

// Prints `usage` and `options` with --help. Reads the `hidden` options too: the command refuses
// them with its reason. The error for an unknown option names the nearest of `options`.
Result<ParsedLine> ParseLine(const Words& words,
                             boost::program_options::options_description options,
                             const std::string& usage,
                             const boost::program_options::options_description& hidden = {});

// Parses NAME=VALUE, the value of --`option`.
Result<std::pair<std::string, std::string>> ParseAssignment(const std::string& option,
                                                            const std::string& assignment);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OPTIONS_COMMAND_LINE_H_
