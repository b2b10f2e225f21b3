// libFuzzer target for the reader of history.jsonl: see CheckHistory.
#include <cstddef>
#include <cstdint>

#include "lib/history/fuzz/fuzz_cases.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  doublehold::CheckHistory({reinterpret_cast<const char*>(data), bytes});
  return 0;
}
