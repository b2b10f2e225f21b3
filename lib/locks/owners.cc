#include "lib/locks/owners.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace doublehold {

void Owners::WriteSalt() {
  for (size_t i = 0; i < kDigits; ++i)
    salt_text_[i] = "0123456789abcdef"[salt_ >> (4 * (kDigits - 1 - i)) & 0xFU];
  salt_text_[kDigits] = '-';
}

std::string Owners::TextOf(uint64_t hold) const {
  std::array<char, 2 * kDigits + 1> text{};
  char* end = std::ranges::copy(salt_text_, text.begin()).out;
  end = std::to_chars(end, text.data() + text.size(), hold, 16).ptr;
  return {text.data(), end};
}

std::string Owners::ClientUuid() const {
  const uint64_t low = Prng(salt_, "uuid").Next();
  return fmt::format("{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}", salt_ >> 32U, salt_ >> 16U & 0xFFFFU,
                     salt_ & 0xFFFU, low >> 52U, low & 0xFFFFFFFFFFFFU);
}

}  // namespace doublehold
