// Waits in each way that a program can, and prints a line for each: its name, the time asked for,
// and the time that it took by the program's clock and by the kernel's clock. Times are in ns; -1
// means that the wait never ended. fast_waits_test.cc runs this program in fast time.
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>

namespace {

constexpr int kAskedMs = 10'000;
constexpr int64_t kAskedNs = int64_t{kAskedMs} * 1'000'000;
constexpr timespec kAsked{.tv_sec = kAskedMs / 1000, .tv_nsec = 0};

int64_t Ns(const timespec& time) { return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

int64_t OwnNs() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return Ns(time);
}

int64_t KernelNs() {
  timespec time{};
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
  return Ns(time);
}

timespec TimeAfter(clockid_t clock, time_t seconds) {
  timespec time{};
  clock_gettime(clock, &time);
  time.tv_sec += seconds;
  return time;
}

// Sets a kernel timer and waits for it. Returns false if it has not fired after 20 times kAskedMs.
bool TimerFires(int flags, const timespec& time) {
  const int fd = timerfd_create(CLOCK_MONOTONIC, 0);
  const itimerspec timer{.it_interval = {}, .it_value = time};
  timerfd_settime(fd, flags, &timer, nullptr);
  pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
  const bool fired = poll(&ready, 1, 20 * kAskedMs) == 1;
  close(fd);
  return fired;
}

void Measure(const char* name, int64_t asked_ns, const std::function<bool()>& wait) {
  const int64_t own_ns = OwnNs();
  const int64_t kernel_ns = KernelNs();
  const bool ended = wait();
  std::printf("%s %lld %lld %lld\n", name, static_cast<long long>(asked_ns),
              static_cast<long long>(ended ? OwnNs() - own_ns : -1),
              static_cast<long long>(ended ? KernelNs() - kernel_ns : -1));
}

}  // namespace

int main() {
  const auto measure = [](const char* name, const std::function<void()>& wait) {
    Measure(name, kAskedNs, [&] {
      wait();
      return true;
    });
  };
  measure("nanosleep", [] { nanosleep(&kAsked, nullptr); });
  measure("clock_nanosleep", [] {
    const timespec until = TimeAfter(CLOCK_MONOTONIC, kAsked.tv_sec);
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
  });
  measure("sleep", [] { sleep(kAskedMs / 1000); });
  measure("poll", [] { poll(nullptr, 0, kAskedMs); });
  measure("select", [] {
    timeval time{.tv_sec = kAskedMs / 1000, .tv_usec = 0};
    select(0, nullptr, nullptr, nullptr, &time);
  });
  measure("epoll_wait", [] {
    const int fd = epoll_create1(0);
    epoll_event event{};
    epoll_wait(fd, &event, 1, kAskedMs);
    close(fd);
  });
  measure("condition_variable", [] {
    std::mutex mutex;
    std::condition_variable condition;
    std::unique_lock lock(mutex);
    condition.wait_for(lock, std::chrono::milliseconds(kAskedMs), [] { return false; });
  });
  measure("sem_timedwait", [] {
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    const timespec until = TimeAfter(CLOCK_REALTIME, kAsked.tv_sec);
    sem_timedwait(&semaphore, &until);
  });
  Measure("timerfd", kAskedNs, [] { return TimerFires(0, kAsked); });
  Measure("timerfd-absolute", kAskedNs,
          [] { return TimerFires(TFD_TIMER_ABSTIME, TimeAfter(CLOCK_MONOTONIC, kAsked.tv_sec)); });
  // A time in the past. Boost.Asio sets a timer that is already due to the clock's first ns.
  Measure("timerfd-due", 0, [] { return TimerFires(TFD_TIMER_ABSTIME, {0, 1}); });
  return 0;
}
