// Fuzzes models and search with libFuzzer: see CheckSearch.
#include <cstddef>
#include <cstdint>

#include "checker/linear/fuzz_cases.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  doublehold::CheckSearch({reinterpret_cast<const char*>(data), bytes});
  return 0;
}
