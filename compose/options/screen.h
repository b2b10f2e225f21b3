// What only a terminal gets: colours and a line of progress. A pipe gets plain text.
#ifndef DOUBLEHOLD_COMPOSE_OPTIONS_SCREEN_H_
#define DOUBLEHOLD_COMPOSE_OPTIONS_SCREEN_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "compose/options/command_line.h"

namespace doublehold {

enum class Color : uint8_t { kRed, kGreen, kYellow };

// Adds --no-color.
void AddColorOption(boost::program_options::options_description& options);
// Whether stdout takes colours: it is a terminal, and neither --no-color nor NO_COLOR (a variable
// that is not empty, see no-color.org) forbids them.
bool TakesColor(const ParsedLine& line);
// The text between the codes of the colour; unchanged if not `colored`.
std::string InColor(std::string_view text, Color color, bool colored);

// Replaces the line of progress on stderr; the caller checks that stderr is a terminal.
void ShowProgressLine(const std::string& line);
// Erases it.
void EraseProgressLine();

// "45 s", "12 min", "3.5 h": rounded up.
std::string RoughTime(double seconds);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OPTIONS_SCREEN_H_
