// The words of messages, next to each other; all of them go at once.
#ifndef DOUBLEHOLD_LIB_SIM_ARGUMENT_ARENA_H_
#define DOUBLEHOLD_LIB_SIM_ARGUMENT_ARENA_H_

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "lib/base/connection.h"

namespace doublehold::sim {

// What Put returned stays where it is until the next Clear. Not thread-safe.
class WordStore {
 public:
  // A copy of two lists of words, one behind the other.
  Argv Put(Argv first, Argv second = {});
  // Keeps its memory.
  void Clear();

 private:
  struct Block {
    size_t size = 0;
    std::unique_ptr<std::byte[]>
        bytes;  // NOLINT(modernize-avoid-c-arrays): its start is aligned for any object
  };

  std::byte* Take(size_t size);

  std::vector<Block> blocks_;
  size_t block_ = 0;  // that is being filled, up to `used_`
  size_t used_ = 0;
};

}  // namespace doublehold::sim

#endif  // DOUBLEHOLD_LIB_SIM_ARGUMENT_ARENA_H_
