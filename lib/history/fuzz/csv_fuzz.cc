// libFuzzer target for the CSV reader: see CheckReader.
#include <cstddef>
#include <cstdint>

#include "lib/history/fuzz/fuzz_cases.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  doublehold::CheckReader(doublehold::LogFormat::kCsv,
                          {reinterpret_cast<const char*>(data), bytes});
  return 0;
}
