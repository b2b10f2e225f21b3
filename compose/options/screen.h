// Colours and a progress line, for a terminal only. A pipe gets plain text.
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
// Whether stdout gets colours. Requires a terminal other than TERM=dumb, no --no-color, and that
// the environment variable NO_COLOR is unset or empty (see no-color.org).
bool TakesColor(const ParsedLine& line);
// Returns the text in this colour. Returns it unchanged if not `colored`.
std::string InColor(std::string_view text, Color color, bool colored);

// Replaces the progress line on stderr. The caller checks that stderr is a screen.
void ShowProgressLine(const std::string& line);
void EraseProgressLine();

// Rounds up to "45 s", "12 min" or "3.5 h".
std::string RoughTime(double seconds);

}  // namespace doublehold

#endif  // DOUBLEHOLD_COMPOSE_OPTIONS_SCREEN_H_
