// The lines of a text source, one after the other, however they are cut into stretches.
#ifndef DOUBLEHOLD_LIB_HISTORY_LINES_H_
#define DOUBLEHOLD_LIB_HISTORY_LINES_H_

#include <cstdint>
#include <string_view>

#include "lib/history/text_source.h"

namespace doublehold {

// Not thread-safe. Holds `source` for as long as it lives.
class Lines {
 public:
  enum class Found : uint8_t { kLine, kEnd, kTooLong };

  Lines(TextSource& source, size_t most_bytes) : source_(source), most_bytes_(most_bytes) {}

  // A line that is too long is passed over. The last need not end in a newline.
  Found Next();
  // Without its newline; holds until the next call, and TextSource::kPadding bytes behind it may be
  // read.
  [[nodiscard]] std::string_view line() const { return line_; }
  [[nodiscard]] int64_t number() const { return number_; }  // from 1
  // There was a newline: the file does not end within this line.
  [[nodiscard]] bool ended() const { return taken_ > line_.size(); }

 private:
  TextSource& source_;
  const size_t most_bytes_;
  std::string_view line_;
  int64_t number_ = 0;
  size_t taken_ = 0;  // of the window, by the last line
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_LINES_H_
