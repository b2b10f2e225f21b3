#include "compose/cluster/clock_shim.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "compose/os/program_files.h"
#include "lib/clock/clock_page.h"
#include "lib/clock/time_speed.h"

namespace doublehold {

Result<std::filesystem::path> FindClockShim() {
  const auto places = PlacesOfLibrary(OwnProgram(), "libdoublehold_clock_shim.so");
  if (const auto shim = FirstThatExists(places)) return *shim;
  return EnvironmentFailed(fmt::format(
      "{}: the clock shim is missing beside the program; build again (make build), or install "
      "again",
      places.front().string()));
}

namespace {

// A sanitizer's runtime must be loaded first. The shim may precede it, since it allocates nothing.
std::string SanitizerOptions() {
  const char* options = std::getenv("ASAN_OPTIONS");
  return fmt::format("{}{}verify_asan_link_order=0", options == nullptr ? "" : options,
                     options == nullptr ? "" : ":");
}

}  // namespace

std::vector<std::string> ShimEnvironment(const std::filesystem::path& shim, int clock_fd,
                                         size_t clock_offset) {
  // In fast time the waits are preloaded as well, as in this process.
  const char* preloaded = TimeSpeed() > 1 ? std::getenv("LD_PRELOAD") : nullptr;
  std::vector<std::string> environment{
      fmt::format("LD_PRELOAD={}", preloaded == nullptr ? shim.string() : preloaded),
      fmt::format("{}={}:{}", DOUBLEHOLD_CLOCK_VARIABLE, clock_fd, clock_offset)};
  environment.push_back("ASAN_OPTIONS=" + SanitizerOptions());
  return environment;
}

Result<void> EnterFastTime(int speed, std::vector<std::string> argv) {
  const std::filesystem::path shim = TRY(FindClockShim());
  const std::filesystem::path waits = shim.parent_path() / "libdoublehold_fast_waits.so";
  setenv("LD_PRELOAD", fmt::format("{}:{}", shim.string(), waits.string()).c_str(), 1);
  setenv("ASAN_OPTIONS", SanitizerOptions().c_str(), 1);
  const std::string entry = SpeedFromNow(speed);
  const size_t equals = entry.find('=');
  setenv(entry.substr(0, equals).c_str(), entry.c_str() + equals + 1, 1);
  std::vector<char*> words;
  for (std::string& word : argv) words.push_back(word.data());
  words.push_back(nullptr);
  execv("/proc/self/exe", words.data());
  return EnvironmentFailed(fmt::format("cannot run itself again: {}", std::strerror(errno)));
}

}  // namespace doublehold
