// The text of a file, a stretch at a time, so that a file larger than memory can be read.
//
//   ...dropped...|-------- window --------|.... not read yet ....
//
// Not thread-safe. Views into the window hold until the next Drop or More.
#ifndef DOUBLEHOLD_LIB_HISTORY_TEXT_SOURCE_H_
#define DOUBLEHOLD_LIB_HISTORY_TEXT_SOURCE_H_

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"

namespace doublehold {

class TextSource {
 public:
  // So many zeros follow the window: parsers may look a little past its end.
  static constexpr size_t kPadding = 64;
  static constexpr size_t kStretch = size_t{1} << 20;

  // `name` is what messages call it.
  static Result<TextSource> Open(const std::filesystem::path& file);
  // Text in memory, which outlives it; read `stretch` bytes at a time as a file would be.
  TextSource(std::string_view text, std::string name, size_t stretch = kStretch);

  [[nodiscard]] std::string_view window() const { return {buffer_.data() + begin_, end_ - begin_}; }
  [[nodiscard]] const std::string& name() const { return name_; }
  // Nothing comes after the window.
  [[nodiscard]] bool at_end() const { return at_end_; }
  // Takes so many bytes off the front of the window.
  void Drop(size_t bytes) { begin_ += bytes; }
  // Lengthens the window, or finds that nothing more comes. A file that cannot be read further has
  // ended, and is `broken`.
  void More();
  [[nodiscard]] bool broken() const { return broken_; }

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }  // NOLINT: only read from
  };

  size_t ReadInto(char* to, size_t most);

  std::unique_ptr<std::FILE, Closer> file_;
  std::string_view text_;
  std::string name_;
  size_t stretch_;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  bool at_end_ = false;
  bool broken_ = false;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_HISTORY_TEXT_SOURCE_H_
