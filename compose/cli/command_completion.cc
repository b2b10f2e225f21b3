// Shell completions and the manual page. Both are made from the options that --help prints.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <sstream>

#include "compose/cli/commands.h"
#include "compose/driver/bundled_drivers.h"
#include "compose/plan/claim_settings.h"
#include "compose/plan/plan_builder.h"
#include "faults/plans/profiles.h"
#include "lib/base/words.h"
#include "lib/locks/registry.h"
#include "lib/plan/topology.h"
#include "workloads/workload.h"

namespace doublehold {
namespace {

struct OptionText {
  std::string name;  // "lock"
  bool takes_value = false;
  std::string help;
};

// Runs a command with kDescribeOptions and reads the options that it prints.
std::vector<OptionText> ReadCommandOptions(const CommandEntry& command) {
  std::ostringstream printed;
  std::streambuf* before = std::cout.rdbuf(printed.rdbuf());
  (void)command.run({std::string(kDescribeOptions)});
  std::cout.rdbuf(before);
  std::vector<OptionText> options;
  std::istringstream in(printed.str());
  for (std::string line; std::getline(in, line);) {
    const size_t first = line.find('\t');
    const size_t second = first == std::string::npos ? first : line.find('\t', first + 1);
    if (second == std::string::npos) continue;
    options.push_back({.name = line.substr(0, first),
                       .takes_value = second > first + 1,
                       .help = line.substr(second + 1)});
  }
  return options;
}

// Returns the words that an option accepts. Returns none if the option accepts any text or a file.
std::vector<std::string> ListOptionValues(const std::string& option) {
  if (option == "lock") return ListNames(Locks());
  if (option == "workload") return ListNames(Workloads());
  if (option == "topology") return ListNames(Topologies());
  if (option == "faults") return ListNames(Profiles());
  if (option == "driver") return ListNames(KeptDrivers());
  if (option == "claims" || option == "claim") return ClaimNames();
  return {};
}

// Replaces each character that is a key of the map.
std::string ReplaceCharacters(const std::string& text,
                              const std::map<char, std::string_view>& instead) {
  std::string quoted;
  for (const char c : text) {
    const auto found = instead.find(c);
    found == instead.end() ? quoted += c : quoted += found->second;
  }
  return quoted;
}

std::string BashCompletion() {
  std::vector<std::string> names;
  std::string options;
  std::map<std::string, std::vector<std::string>> values;
  for (const CommandEntry& command : Commands()) {
    names.emplace_back(command.name);
    std::vector<std::string> of_command;
    for (const OptionText& option : ReadCommandOptions(command)) {
      of_command.push_back("--" + option.name);
      if (auto words = ListOptionValues(option.name); !words.empty()) values[option.name] = words;
    }
    options += fmt::format("    {}) words=\"{}\" ;;\n", command.name, fmt::join(of_command, " "));
  }
  std::string after;
  for (const auto& [option, words] : values)
    after += fmt::format("    --{}) COMPREPLY=($(compgen -W \"{}\" -- \"$cur\")); return ;;\n",
                         option, fmt::join(words, " "));
  return fmt::format(R"(# Completion of doublehold for bash: source <(doublehold completion bash)
_doublehold() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "help {}" -- "$cur"))
    return
  fi
  case ${{COMP_WORDS[COMP_CWORD-1]}} in
{}  esac
  case ${{COMP_WORDS[1]}} in
{}  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  else
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}}
complete -o filenames -F _doublehold doublehold
)",
                     fmt::join(names, " "), after, options);
}

std::string ZshCompletion() {
  const std::map<char, std::string_view> instead{
      {'\'', "'\\''"}, {'[', "\\["}, {']', "\\]"}, {':', "\\:"}};
  std::string commands, options;
  for (const CommandEntry& command : Commands()) {
    commands += fmt::format(
        "  '{}:{}'\n", command.name,
        ReplaceCharacters(std::string(command.summary), {{'\'', "'\\''"}, {':', "\\:"}}));
    options += fmt::format("  {}) options=(\n", command.name);
    for (const OptionText& option : ReadCommandOptions(command)) {
      const std::vector<std::string> values = ListOptionValues(option.name);
      const std::string value = !option.takes_value ? ""
                                : values.empty()
                                    ? ":value:_files"
                                    : fmt::format(":value:({})", fmt::join(values, " "));
      options += fmt::format("    '*--{}[{}]{}'\n", option.name,
                             ReplaceCharacters(option.help, instead), value);
    }
    options += "  ) ;;\n";
  }
  return fmt::format(R"(#compdef doublehold
# Completion of doublehold for zsh: doublehold completion zsh > ~/.zfunc/_doublehold
local -a commands options
commands=(
{})
if (( CURRENT == 2 )); then
  _describe command commands
  return
fi
case $words[2] in
{}esac
shift words
(( CURRENT-- ))
_arguments $options '*:file:_files'
)",
                     commands, options);
}

std::string FishCompletion() {
  const std::map<char, std::string_view> instead{{'\'', "\\'"}, {'\\', "\\\\"}};
  std::string text =
      "# Completion of doublehold for fish: doublehold completion fish | source\n"
      "complete -c doublehold -n __fish_use_subcommand -f\n";
  for (const CommandEntry& command : Commands()) {
    text += fmt::format("complete -c doublehold -n __fish_use_subcommand -a {} -d '{}'\n",
                        command.name, ReplaceCharacters(std::string(command.summary), instead));
    for (const OptionText& option : ReadCommandOptions(command)) {
      const std::vector<std::string> values = ListOptionValues(option.name);
      text += fmt::format(
          "complete -c doublehold -n '__fish_seen_subcommand_from {}' -l {}{}{} -d '{}'\n",
          command.name, option.name, option.takes_value ? " -r" : "",
          values.empty() ? "" : fmt::format(" -f -a '{}'", fmt::join(values, " ")),
          ReplaceCharacters(option.help, instead));
    }
  }
  return text;
}

// Escapes a text for roff, so that no part of it is a request or an escape.
std::string EscapeForRoff(const std::string& text) {
  const std::string escaped = ReplaceCharacters(text, {{'\\', "\\e"}, {'-', "\\-"}});
  return escaped.starts_with('.') || escaped.starts_with('\'') ? "\\&" + escaped : escaped;
}

std::string ManPage() {
  std::string text = fmt::format(
      ".TH DOUBLEHOLD 1 \"\" \"doublehold {}\"\n.ad l\n"
      ".SH NAME\ndoublehold \\- tests distributed locks: can two clients hold one at once?\n"
      ".SH SYNOPSIS\n.B doublehold\n.I COMMAND\n[options]\n.SH COMMANDS\n",
      DOUBLEHOLD_VERSION);
  for (const CommandEntry& command : Commands()) {
    text += fmt::format(".SS {} {}\n{}\n", command.name, EscapeForRoff(std::string(command.usage)),
                        EscapeForRoff(std::string(command.summary)));
    for (const OptionText& option : ReadCommandOptions(command))
      text += fmt::format(".TP\n.B \\-\\-{}{}\n{}\n", EscapeForRoff(option.name),
                          option.takes_value ? " \\fIvalue\\fR" : "", EscapeForRoff(option.help));
  }
  return text +
         ".SH EXIT STATUS\n"
         ".TP\n.B 0\nas expected, or nothing violated\n"
         ".TP\n.B 1\nviolated, or not as expected\n"
         ".TP\n.B 2\nunknown\n"
         ".TP\n.B 3\nbad input\n"
         ".TP\n.B 4\nthe environment failed\n"
         ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nif set to any value, the output has no colours\n";
}

}  // namespace

Result<ExitCode> CompletionCommand(const Words& words) {
  const ParsedLine line =
      TRY(ParseLine(words, boost::program_options::options_description("options"),
                    "completion bash|zsh|fish\nPrints a completion for the shell."));
  if (line.help) return ExitCode::kAsExpected;
  struct Shell {
    std::string_view name;
    std::string (*write)();
  };
  static constexpr std::array kShells{Shell{"bash", BashCompletion}, Shell{"zsh", ZshCompletion},
                                      Shell{"fish", FishCompletion}};
  if (line.rest.size() != 1) return BadInput("name one shell: bash, zsh or fish");
  const auto* shell = std::ranges::find(kShells, line.rest.front(), &Shell::name);
  if (shell == kShells.end())
    return BadInput(UnknownWord("shell", line.rest.front(), ListNames(kShells)));
  std::cout << shell->write();
  return ExitCode::kAsExpected;
}

Result<ExitCode> ManCommand(const Words& words) {
  const ParsedLine line =
      TRY(ParseLine(words, boost::program_options::options_description("options"),
                    "man\nPrints the manual page, for example for: doublehold man | man -l -"));
  if (line.help) return ExitCode::kAsExpected;
  if (!line.rest.empty()) return BadInput("takes no arguments");
  std::cout << ManPage();
  return ExitCode::kAsExpected;
}

}  // namespace doublehold
