// Identity of a hold: an owner text for the node and a number for the history, both unique in a
// run.
#ifndef DOUBLEHOLD_LIB_LOCKS_OWNERS_H_
#define DOUBLEHOLD_LIB_LOCKS_OWNERS_H_

#include <array>
#include <cstdint>
#include <string>

#include "lib/base/prng.h"

namespace doublehold {

class Owners {
 public:
  Owners(uint64_t seed, int client, int thread = 0)
      : salt_(Prng(seed, "owners", static_cast<uint64_t>(client)).Next()),
        first_(static_cast<uint64_t>(client) << 40U | static_cast<uint64_t>(thread) << 32U) {
    WriteSalt();
  }

  // Returns a new hold number: client and thread in the upper bits, a count in the lower.
  uint64_t NextHold() { return first_ + ++count_; }
  // Returns the owner text of a hold. It is as hard to guess as a UUID.
  [[nodiscard]] std::string TextOf(uint64_t hold) const;
  // Returns a UUID for the client itself.
  [[nodiscard]] std::string ClientUuid() const;

 private:
  static constexpr size_t kDigits = 16;

  void WriteSalt();

  uint64_t salt_;
  std::array<char, kDigits + 1> salt_text_{};  // hexadecimal digits and a dash
  uint64_t first_;
  uint64_t count_ = 0;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_LOCKS_OWNERS_H_
