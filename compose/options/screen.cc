#include "compose/options/screen.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "lib/os/screen.h"

namespace doublehold {
namespace {

// Limits the length of a progress line: a longer line would wrap, and only its last part could be
// replaced.
size_t TerminalWidth() {
  constexpr size_t kUsualWidth = 80;
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col : kUsualWidth;
}

}  // namespace

void AddColorOption(boost::program_options::options_description& options) {
  options.add_options()("no-color", "print no colours; so does a variable NO_COLOR");
}

bool TakesColor(const ParsedLine& line) {
  const char* no_color = std::getenv("NO_COLOR");
  return !line.values.contains("no-color") && (no_color == nullptr || *no_color == '\0') &&
         IsScreen(STDOUT_FILENO);
}

std::string InColor(std::string_view text, Color color, bool colored) {
  if (!colored) return std::string(text);
  const int code = color == Color::kRed ? 31 : color == Color::kGreen ? 32 : 33;
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

void ShowProgressLine(const std::string& line) {
  fmt::print(stderr, "\r{}\x1b[K", line.substr(0, TerminalWidth() - 1));
}

void EraseProgressLine() { fmt::print(stderr, "\r\x1b[K"); }

std::string RoughTime(double seconds) {
  constexpr double kMinute = 60, kHour = 3600;
  if (seconds < 2 * kMinute) return fmt::format("{:.0f} s", std::ceil(std::max(0.0, seconds)));
  if (seconds < 2 * kHour) return fmt::format("{:.0f} min", std::ceil(seconds / kMinute));
  return fmt::format("{:.1f} h", std::ceil(seconds / kHour * 10) / 10);
}

}  // namespace doublehold
