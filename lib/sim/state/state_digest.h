// A digest of what decides the future of a simulated world. Worlds that go on differently have
// different digests, except by chance: among n states, with a probability of about n^2 / 2^129.
#ifndef DOUBLEHOLD_LIB_SIM_STATE_STATE_DIGEST_H_
#define DOUBLEHOLD_LIB_SIM_STATE_STATE_DIGEST_H_

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "lib/base/digest.h"
#include "lib/base/time.h"
#include "lib/clients/redis.h"

namespace doublehold::sim {

class StateDigest {
 public:
  bool operator==(const StateDigest&) const = default;

  void Mix(std::integral auto word) { MixWord(static_cast<uint64_t>(word)); }
  void Mix(Duration duration) { MixWord(static_cast<uint64_t>(duration.count())); }
  void Mix(MonoTime time) { Mix(time.time_since_epoch()); }
  void Mix(const StateDigest& other) {
    MixWord(other.first_);
    MixWord(other.second_);
  }
  void Mix(std::string_view text) {
    MixWord(text.size());
    for (; !text.empty(); text.remove_prefix(std::min(text.size(), sizeof(uint64_t)))) {
      uint64_t word = 0;
      std::memcpy(&word, text.data(), std::min(text.size(), sizeof(word)));
      MixWord(word);
    }
  }
  // Requires an object without padding.
  void MixObject(const auto& object) {
    for (const uint64_t word : WordsOf(object)) MixWord(word);
  }
  void Mix(Argv words) {
    Mix(words.size());
    for (const std::string_view word : words) Mix(word);
  }
  void Mix(const CallResult& result) {
    Mix(result.has_value());
    if (result) return MixReply(*result);
    Mix(result.error().definite);
    Mix(std::string_view{result.error().message});
  }
  [[nodiscard]] uint64_t first() const { return first_; }
  [[nodiscard]] uint64_t second() const { return second_; }

 private:
  void MixReply(const Reply& reply) {
    Mix(static_cast<int>(reply.kind));
    Mix(reply.integer);
    Mix(std::string_view{reply.text});
    Mix(reply.items.size());
    for (const Reply& item : reply.items) MixReply(item);
  }
  void MixWord(uint64_t word) {
    constexpr uint64_t kOther = 0xD6E8FEB86659FD93;
    first_ = MixDigest(first_, word);
    second_ = (second_ + word) * kOther;
    second_ ^= second_ >> 32;
  }

  // Not 0, which a word 0 would leave as it is.
  uint64_t first_ = 0x243F6A8885A308D3, second_ = 0x13198A2E03707344;
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_STATE_STATE_DIGEST_H_
