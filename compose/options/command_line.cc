#include "compose/options/command_line.h"

#include <fmt/format.h>

#include <iostream>

#include "lib/base/words.h"

namespace doublehold {

namespace po = boost::program_options;

namespace {

void PrintDescriptions(const po::options_description& options) {
  for (const auto& option : options.options()) {
    std::cout << option->long_name() << '\t'
              << (option->semantic()->max_tokens() == 0 ? "" : option->format_parameter()) << '\t'
              << option->description() << '\n';
  }
}

}  // namespace

Result<ParsedLine> ParseLine(const Words& words, po::options_description options,
                             const std::string& usage, const po::options_description& hidden) {
  options.add_options()("help,h", "show this help");
  if (words.size() == 1 && words.front() == kDescribeOptions) {
    PrintDescriptions(options);
    return ParsedLine{.values = {}, .rest = {}, .help = true};
  }
  std::vector<std::string> known;
  for (const auto& option : options.options()) known.push_back("--" + option->long_name());
  po::options_description all;
  all.add(options).add(hidden).add_options()("rest", po::value<Words>()->default_value({}, ""));
  po::positional_options_description positional;
  positional.add("rest", -1);
  namespace style = po::command_line_style;
  ParsedLine line;
  try {
    // Options cannot be abbreviated, because a new option could make an abbreviation in a script
    // ambiguous.
    const auto parsed = po::command_line_parser(words)
                            .options(all)
                            .positional(positional)
                            .style(style::unix_style & ~style::allow_guessing)
                            .run();
    po::store(parsed, line.values);
    po::notify(line.values);
  } catch (const po::unknown_option& error) {
    return BadInput(UnknownWord("option", error.get_option_name(), known));
  } catch (const po::error& error) {
    return BadInput(error.what());
  }
  line.rest = line.values["rest"].as<Words>();
  line.help = line.values.contains("help");
  if (line.help) std::cout << "usage: doublehold " << usage << "\n\n" << options << "\n";
  return line;
}

Result<std::pair<std::string, std::string>> ParseAssignment(const std::string& option,
                                                            const std::string& assignment) {
  const size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0)
    return BadInput(fmt::format("--{} {}: not of the form name=value", option, assignment));
  return std::pair(assignment.substr(0, equals), assignment.substr(equals + 1));
}

}  // namespace doublehold
