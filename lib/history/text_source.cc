#include "lib/history/text_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "lib/base/file_kind.h"

namespace doublehold {

TextSource::TextSource(std::string_view text, std::string name, size_t stretch)
    : text_(text), name_(std::move(name)), stretch_(stretch), buffer_(kPadding) {}

Result<TextSource> TextSource::Open(const std::filesystem::path& file) {
  if (const std::string why = WhyNotReadable(file, Pipes::kAccept); !why.empty())
    return BadInput(fmt::format("{}: cannot be read: {}", file.string(), why));
  TextSource source({}, file.string());
  source.file_.reset(std::fopen(file.c_str(), "rb"));
  if (source.file_ == nullptr)
    return BadInput(fmt::format("{}: cannot be read: {}", file.string(), std::strerror(errno)));
  std::setvbuf(source.file_.get(), nullptr, _IONBF, 0);  // the window is the buffer
  return source;
}

size_t TextSource::ReadInto(char* to, size_t most) {
  if (file_ != nullptr) {
    const size_t got = std::fread(to, 1, most, file_.get());
    broken_ = std::ferror(file_.get()) != 0;
    return got;
  }
  const size_t got = std::min(most, text_.size());
  std::copy_n(text_.data(), got, to);
  text_.remove_prefix(got);
  return got;
}

void TextSource::More() {
  const size_t kept = end_ - begin_;
  std::memmove(buffer_.data(), buffer_.data() + begin_, kept);
  begin_ = 0;
  // Doubles the window if its content did not suffice, so that a long form is parsed only a few
  // times.
  const size_t wanted = std::max(stretch_, kept);
  if (buffer_.size() < kept + wanted + kPadding) buffer_.resize(kept + wanted + kPadding);
  const size_t got = ReadInto(buffer_.data() + kept, wanted);
  end_ = kept + got;
  at_end_ = got < wanted;
  std::fill_n(buffer_.data() + end_, kPadding, '\0');
}

}  // namespace doublehold
