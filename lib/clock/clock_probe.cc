// Prints every clock that a program can read, in one line for each line of its input.
// clock_shim_test runs it under the clock shim.
//
//   monotonic raw realtime coarse tai gettimeofday time timespec_get std     (in ns)
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>

namespace {

int64_t Ns(const timespec& time) { return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

int64_t Read(clockid_t clock) {
  timespec time{};
  return clock_gettime(clock, &time) == 0 ? Ns(time) : -1;
}

// Bypasses all libraries and asks the kernel.
int64_t ReadKernel(clockid_t clock) {
  timespec time{};
  syscall(SYS_clock_gettime, clock, &time);
  return Ns(time);
}

}  // namespace

int main() {
  while (std::getchar() != EOF) {
    timeval of_day{};
    gettimeofday(&of_day, nullptr);
    timespec utc{};
    timespec_get(&utc, TIME_UTC);
    const auto system = std::chrono::system_clock::now();
    const int64_t clocks[] = {
        Read(CLOCK_MONOTONIC),
        ReadKernel(CLOCK_REALTIME),
        Read(CLOCK_REALTIME),
        Read(CLOCK_REALTIME_COARSE),
        Read(CLOCK_TAI) - ReadKernel(CLOCK_TAI) + ReadKernel(CLOCK_REALTIME),
        int64_t{of_day.tv_sec} * 1'000'000'000 + of_day.tv_usec * 1000,
        int64_t{time(nullptr)} * 1'000'000'000,
        Ns(utc),
        system.time_since_epoch() / std::chrono::nanoseconds{1},
    };
    for (const int64_t clock : clocks) std::printf("%lld ", static_cast<long long>(clock));
    std::printf("\n");
    std::fflush(stdout);
  }
  return 0;
}
