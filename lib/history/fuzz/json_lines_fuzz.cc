// The readers of JSON, in lines and in an array, under libFuzzer: see CheckReader.
#include <cstddef>
#include <cstdint>

#include "lib/history/fuzz/fuzz_cases.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  for (const auto format : {doublehold::LogFormat::kJsonLines, doublehold::LogFormat::kJsonArray})
    doublehold::CheckReader(format, {reinterpret_cast<const char*>(data), bytes});
  return 0;
}
