// Options of a subcommand: Boost.Program_options with our messages.
#ifndef DOUBLEHOLD_COMPOSE_OPTIONS_COMMAND_LINE_H_
#define DOUBLEHOLD_COMPOSE_OPTIONS_COMMAND_LINE_H_

#include <boost/program_options.hpp>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/result.h"

namespace doublehold {

using Words = std::vector<std::string>;

struct ParsedLine {
  boost::program_options::variables_map values;
  Words rest;         // what is no option
  bool help = false;  // --help was asked for and has been printed
};

// `usage` is printed with --help, and so are `options`. The `hidden` ones are read too: the command
// refuses them with its reason. An unknown option names the nearest of `options`.
Result<ParsedLine> ParseLine(const Words& words,
                             boost::program_options::options_description options,
                             const std::string& usage,
                             const boost::program_options::options_description& hidden = {});

// NAME=VALUE, as it was given to --`option`.
Result<std::pair<std::string, std::string>> ParseAssignment(const std::string& option,
                                                            const std::string& assignment);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OPTIONS_COMMAND_LINE_H_
