// libFuzzer target for the readers of JSON lines and JSON arrays: see CheckReader.
#include <cstddef>
#include <cstdint>

#include "lib/history/fuzz/fuzz_cases.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  for (const auto format : {doublehold::LogFormat::kJsonLines, doublehold::LogFormat::kJsonArray})
    doublehold::CheckReader(format, {reinterpret_cast<const char*>(data), bytes});
  return 0;
}
