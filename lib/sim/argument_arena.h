// Memory for the words of messages. One Clear frees all of them.
#ifndef DOUBLEHOLD_LIB_SIM_ARGUMENT_ARENA_H_
#define DOUBLEHOLD_LIB_SIM_ARGUMENT_ARENA_H_

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "lib/clients/redis.h"

namespace doublehold::sim {

// Memory returned by Put stays valid until the next Clear. Not thread-safe.
class WordStore {
 public:
  // Copies two lists of words into one list, `second` behind `first`.
  Argv Put(Argv first, Argv second = {});
  // Frees the words and keeps the memory for reuse.
  void Clear();

 private:
  struct Block {
    size_t size = 0;
    std::unique_ptr<std::byte[]>
        bytes;  // NOLINT(modernize-avoid-c-arrays): its start is aligned for any object
  };

  std::byte* Take(size_t size);

  std::vector<Block> blocks_;
  size_t block_ = 0;  // index of the block being filled; its first `used_` bytes are taken
  size_t used_ = 0;
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_ARGUMENT_ARENA_H_
