#include "lib/locks/owners.h"

#include <fmt/format.h>

namespace doublehold {

std::string Owners::TextOf(uint64_t hold) const { return fmt::format("{:016x}-{:x}", salt_, hold); }

std::string Owners::ClientUuid() const {
  const uint64_t low = Prng(salt_, "uuid").Next();
  return fmt::format("{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}", salt_ >> 32U, salt_ >> 16U & 0xFFFFU,
                     salt_ & 0xFFFU, low >> 52U, low & 0xFFFFFFFFFFFFU);
}

}  // namespace doublehold
