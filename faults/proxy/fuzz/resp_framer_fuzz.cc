// libFuzzer target for the framer: see CheckFramer.
#include <cstddef>
#include <cstdint>

#include "faults/proxy/fuzz/fuzz_cases.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  doublehold::CheckFramer({reinterpret_cast<const char*>(data), bytes});
  return 0;
}
