#include "lib/history/lines.h"

#include <algorithm>

namespace doublehold {

Lines::Found Lines::Next() {
  source_.Drop(taken_);
  taken_ = 0;
  ++number_;
  bool too_long = false;
  for (size_t searched = 0;;) {
    const std::string_view window = source_.window();
    const size_t end = window.find('\n', searched);
    const bool ends = end != std::string_view::npos || source_.at_end();
    const size_t length = std::min(end, window.size());
    too_long = too_long || length > most_bytes_;
    if (ends) {
      line_ = window.substr(0, length);
      taken_ = std::min(length + 1, window.size());
      if (too_long) return Found::kTooLong;
      return window.empty() ? Found::kEnd : Found::kLine;
    }
    searched = length;
    if (too_long) {  // a too long line is not kept
      source_.Drop(length);
      searched = 0;
    }
    source_.More();
  }
}

}  // namespace doublehold
