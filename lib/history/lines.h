// The lines of a text source, independent of how the source is cut into stretches.
#ifndef DOUBLEHOLD_LIB_HISTORY_LINES_H_
#define DOUBLEHOLD_LIB_HISTORY_LINES_H_

#include <cstdint>
#include <string_view>

#include "lib/history/text_source.h"

namespace doublehold {

// Not thread-safe. Keeps a reference to `source`.
class Lines {
 public:
  enum class Found : uint8_t { kLine, kEnd, kTooLong };

  Lines(TextSource& source, size_t most_bytes) : source_(source), most_bytes_(most_bytes) {}

  // Skips a line that is too long. The last line may lack a newline.
  Found Next();
  // The line without its newline, valid until the next call. Parsers may read TextSource::kPadding
  // bytes behind the line.
  [[nodiscard]] std::string_view line() const { return line_; }
  [[nodiscard]] int64_t number() const { return number_; }  // from 1
  // Whether the line ended in a newline. If not, the line is the end of the file.
  [[nodiscard]] bool ended() const { return taken_ > line_.size(); }

 private:
  TextSource& source_;
  const size_t most_bytes_;
  std::string_view line_;
  int64_t number_ = 0;
  size_t taken_ = 0;  // bytes of the window that the last line takes
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_LINES_H_
