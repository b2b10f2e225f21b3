#include "lib/locks/owners.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace doublehold {

std::string Owners::TextOf(uint64_t hold) const {
  constexpr size_t kDigits = 16;
  std::array<char, 2 * kDigits + 1> text{};
  for (size_t i = 0; i < kDigits; ++i)
    text[i] = "0123456789abcdef"[salt_ >> (4 * (kDigits - 1 - i)) & 0xFU];
  text[kDigits] = '-';
  const auto end =
      std::to_chars(text.data() + kDigits + 1, text.data() + text.size(), hold, 16).ptr;
  return {text.data(), end};
}

std::string Owners::ClientUuid() const {
  const uint64_t low = Prng(salt_, "uuid").Next();
  return fmt::format("{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}", salt_ >> 32U, salt_ >> 16U & 0xFFFFU,
                     salt_ & 0xFFFU, low >> 52U, low & 0xFFFFFFFFFFFFU);
}

}  // namespace doublehold
