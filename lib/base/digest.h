// Digests of 64 bits, for comparing large objects quickly. Not cryptographic.
#ifndef DOUBLEHOLD_LIB_BASE_DIGEST_H_
#define DOUBLEHOLD_LIB_BASE_DIGEST_H_

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace doublehold {

// Adds a word to a digest.
inline uint64_t MixDigest(uint64_t digest, uint64_t word) {
  constexpr uint64_t kOdd = 0x9E3779B97F4A7C15;
  digest = (digest ^ word) * kOdd;
  return digest ^ digest >> 29;
}

// Returns the bytes of an object as words. Requires an object without padding, so that equal
// objects have equal words.
template <typename T>
requires std::is_class_v<T> && std::has_unique_object_representations_v<T> &&
    std::is_trivially_copyable_v<T>
auto WordsOf(const T& object) {
  std::array<uint64_t, sizeof(T) / sizeof(uint64_t)> words;
  static_assert(sizeof(words) == sizeof(T));
  std::memcpy(words.data(), &object, sizeof(T));
  return words;
}

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_DIGEST_H_
