#include "compose/cluster/clock_shim.h"

#include <fmt/format.h>

#include <cstdlib>

#include "compose/os/program_files.h"
#include "lib/clock/clock_page.h"

namespace doublehold {

Result<std::filesystem::path> FindClockShim() {
  const auto places = PlacesOfLibrary(OwnProgram(), "libdoublehold_clock_shim.so");
  if (const auto shim = FirstThatExists(places)) return *shim;
  return EnvironmentFailed(fmt::format(
      "{}: the clock shim is missing beside the program; build again (make build), or install "
      "again",
      places.front().string()));
}

std::vector<std::string> ShimEnvironment(const std::filesystem::path& shim, int clock_fd,
                                         size_t clock_offset) {
  std::vector<std::string> environment{
      fmt::format("LD_PRELOAD={}", shim.string()),
      fmt::format("{}={}:{}", DOUBLEHOLD_CLOCK_VARIABLE, clock_fd, clock_offset)};
  // A sanitizer's runtime must be loaded first. The shim may precede it, since it allocates
  // nothing.
  const char* options = std::getenv("ASAN_OPTIONS");
  environment.push_back(fmt::format("ASAN_OPTIONS={}{}verify_asan_link_order=0",
                                    options == nullptr ? "" : options,
                                    options == nullptr ? "" : ":"));
  return environment;
}

}  // namespace doublehold
