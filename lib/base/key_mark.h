// Compares keys by digest.
#ifndef DOUBLEHOLD_LIB_BASE_KEY_MARK_H_
#define DOUBLEHOLD_LIB_BASE_KEY_MARK_H_

#include <cstdint>
#include <string_view>

namespace doublehold {

// A key's length and FNV-1a hash, kept for every outstanding command instead of the key. Equal keys
// have equal marks. Different keys almost certainly have different marks.
class KeyMark {
 public:
  constexpr KeyMark() = default;  // no key; differs from the mark of every key
  static constexpr KeyMark Of(std::string_view key) { return KeyMark().Add(key); }

  // Extends the mark as if `text` were appended to the key.
  constexpr KeyMark& Add(std::string_view text) {
    if (bytes_ < 0) bytes_ = 0;
    bytes_ += static_cast<int64_t>(text.size());
    for (const char c : text) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001B3;
    return *this;
  }
  [[nodiscard]] constexpr bool present() const { return bytes_ >= 0; }
  constexpr bool operator==(const KeyMark&) const = default;

 private:
  uint64_t hash_ = 0xCBF29CE484222325;
  int64_t bytes_ = -1;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_KEY_MARK_H_
