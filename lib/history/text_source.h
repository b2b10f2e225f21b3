// The text of a file, read in stretches, so that the file may be larger than memory.
//
//   ...dropped...|-------- window --------|.... not read yet ....
//
// Not thread-safe. Views into the window are valid until the next Drop or More.
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
  // Number of zero bytes behind the window. Parsers may read slightly past the window's end.
  static constexpr size_t kPadding = 64;
  static constexpr size_t kStretch = size_t{1} << 20;

  // The file's name in messages is its path.
  static Result<TextSource> Open(const std::filesystem::path& file);
  // Reads text in memory, which must outlive this object, `stretch` bytes at a time.
  TextSource(std::string_view text, std::string name, size_t stretch = kStretch);

  [[nodiscard]] std::string_view window() const { return {buffer_.data() + begin_, end_ - begin_}; }
  [[nodiscard]] const std::string& name() const { return name_; }
  // Whether the window contains the end of the text.
  [[nodiscard]] bool at_end() const { return at_end_; }
  // Removes bytes from the front of the window.
  void Drop(size_t bytes) { begin_ += bytes; }
  // Extends the window, or sets at_end(). A read error ends the text and sets broken().
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
