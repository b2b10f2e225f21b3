#include "lib/history/foreign/line_forms.h"

#include <fmt/format.h>

namespace doublehold {

FormReader::Found LineForms::Next() {
  for (;;) {
    const Lines::Found found = lines_.Next();
    line_ = lines_.number();
    if (found == Lines::Found::kEnd) return Found::kEnd;
    if (found == Lines::Found::kTooLong)
      return Wrong(Found::kTooLong, fmt::format("longer than {} MiB", kMostBytes >> 20));
    if (const std::optional<Found> parsed = Parse(lines_.line())) return *parsed;
  }
}

}  // namespace doublehold
