/* LD_PRELOADed beside the clock shim under a process whose time runs fast (fast_time.h): its waits
 * end after their part of the time. Has each of libc's functions that wait for a time. What waits
 * by the kernel alone, as Go does, is not reached: Doublehold refuses such programs. A wait here is
 * no cancellation point; programs that cancel threads are not known among those that run under it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "lib/clock/fast_time.h"

static const int64_t kSecond = 1000000000;
static int64_t speed = 1; /* written only by the constructor */

__attribute__((constructor(101))) static void start(void) {
  const char* text = getenv(DOUBLEHOLD_SPEED_VARIABLE);
  const long asked = text == NULL ? 1 : strtol(text, NULL, 10);
  if (asked >= 1 && asked <= DOUBLEHOLD_MOST_SPEED) speed = asked;
}

static int64_t to_ns(const struct timespec* time) { return time->tv_sec * kSecond + time->tv_nsec; }

static struct timespec to_time(int64_t ns) { return (struct timespec){ns / kSecond, ns % kSecond}; }

/* A wait of zero does not wait; any other lasts at least a nanosecond. */
static int64_t shortened(int64_t ns) { return ns <= 0 ? ns : (ns + speed - 1) / speed; }

static int64_t kernel_ns(clockid_t clock) {
  struct timespec time = {0, 0};
  syscall(SYS_clock_gettime, clock, &time);
  return to_ns(&time);
}

/* Returns the kernel's time at which a wait until the process's time `until` ends. Never returns
 * 0: a time in the past ends the wait at once, but 0 disarms a timerfd.
 */
static struct timespec kernel_end(clockid_t clock, const struct timespec* until) {
  struct timespec now = {0, 0};
  clock_gettime(clock, &now);
  const int64_t left_ns = to_ns(until) - to_ns(&now);
  const int64_t end_ns = kernel_ns(clock) + shortened(left_ns);
  return to_time(end_ns < 1 ? 1 : end_ns);
}

/* Returns libc's function of that name. Called for a wait, long after the program's start. */
static void* of_libc(const char* name, const char* version) {
  return version == NULL ? dlsym(RTLD_NEXT, name) : dlvsym(RTLD_NEXT, name, version);
}
#define LIBC(function, version)               \
  static __typeof__(function)* libc_function; \
  if (libc_function == NULL)                  \
  libc_function = (__typeof__(function)*)(uintptr_t)of_libc(#function, version)

/* ---- sleeps ---- */

EXPORTED int clock_nanosleep(clockid_t clock, int flags, const struct timespec* time,
                             struct timespec* left) {
  struct timespec wait;
  if (flags & TIMER_ABSTIME) {
    wait = kernel_end(clock, time);
  } else {
    if (time->tv_sec < 0 || time->tv_nsec < 0 || time->tv_nsec >= kSecond) return EINVAL;
    wait = to_time(shortened(to_ns(time)));
  }
  const int before = errno;
  const long status = syscall(SYS_clock_nanosleep, clock, flags, &wait, left);
  const int failed = status == 0 ? 0 : errno;
  errno = before;
  if (failed == EINTR && left != NULL && !(flags & TIMER_ABSTIME))
    *left = to_time(to_ns(left) * speed);
  return failed;
}

EXPORTED int nanosleep(const struct timespec* time, struct timespec* left) {
  const int failed = clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);
  if (failed == 0) return 0;
  errno = failed;
  return -1;
}

EXPORTED int usleep(useconds_t us) {
  const struct timespec time = to_time((int64_t)us * 1000);
  return nanosleep(&time, NULL);
}

EXPORTED unsigned sleep(unsigned seconds) {
  struct timespec time = {seconds, 0};
  return nanosleep(&time, &time) == 0 ? 0 : (unsigned)time.tv_sec;
}

/* ---- descriptors ---- */

EXPORTED int ppoll(struct pollfd* fds, nfds_t count, const struct timespec* timeout,
                   const sigset_t* mask) {
  struct timespec wait;
  if (timeout != NULL) wait = to_time(shortened(to_ns(timeout)));
  return (int)syscall(SYS_ppoll, fds, count, timeout == NULL ? NULL : &wait, mask, _NSIG / 8);
}

EXPORTED int poll(struct pollfd* fds, nfds_t count, int timeout_ms) {
  const struct timespec time = to_time((int64_t)timeout_ms * 1000000);
  return ppoll(fds, count, timeout_ms < 0 ? NULL : &time, NULL);
}

EXPORTED int __poll_chk(struct pollfd* fds, nfds_t count, int timeout_ms, size_t length) {
  (void)length;
  return poll(fds, count, timeout_ms);
}

EXPORTED int pselect(int count, fd_set* restrict in, fd_set* restrict out, fd_set* restrict except,
                     const struct timespec* restrict timeout, const sigset_t* restrict mask) {
  struct timespec wait;
  if (timeout != NULL) wait = to_time(shortened(to_ns(timeout)));
  const struct {
    const sigset_t* mask;
    size_t bytes;
  } signals = {mask, _NSIG / 8};
  return (int)syscall(SYS_pselect6, count, in, out, except, timeout == NULL ? NULL : &wait,
                      &signals);
}

/* As on Linux, leaves in `timeout` what is left. */
EXPORTED int select(int count, fd_set* restrict in, fd_set* restrict out, fd_set* restrict except,
                    struct timeval* restrict timeout) {
  if (timeout == NULL) return pselect(count, in, out, except, NULL, NULL);
  struct timespec wait =
      to_time(shortened((int64_t)timeout->tv_sec * kSecond + (int64_t)timeout->tv_usec * 1000));
  const int ready = (int)syscall(SYS_pselect6, count, in, out, except, &wait, NULL);
  const int64_t left_us = to_ns(&wait) * speed / 1000;
  timeout->tv_sec = left_us / 1000000;
  timeout->tv_usec = left_us % 1000000;
  return ready;
}

EXPORTED int epoll_pwait2(int fd, struct epoll_event* events, int most,
                          const struct timespec* timeout, const sigset_t* mask) {
  struct timespec wait;
  if (timeout != NULL) wait = to_time(shortened(to_ns(timeout)));
  return (int)syscall(SYS_epoll_pwait2, fd, events, most, timeout == NULL ? NULL : &wait, mask,
                      _NSIG / 8);
}

EXPORTED int epoll_pwait(int fd, struct epoll_event* events, int most, int timeout_ms,
                         const sigset_t* mask) {
  const struct timespec time = to_time((int64_t)timeout_ms * 1000000);
  return epoll_pwait2(fd, events, most, timeout_ms < 0 ? NULL : &time, mask);
}

EXPORTED int epoll_wait(int fd, struct epoll_event* events, int most, int timeout_ms) {
  return epoll_pwait(fd, events, most, timeout_ms, NULL);
}

EXPORTED int setsockopt(int fd, int level, int option, const void* value, socklen_t length) {
  struct timeval time;
  const int is_timeout = level == SOL_SOCKET && length >= sizeof(time) &&
                         (option == SO_RCVTIMEO || option == SO_SNDTIMEO);
  if (is_timeout && value != NULL) {
    time = *(const struct timeval*)value;
    int64_t us = shortened((int64_t)time.tv_sec * 1000000 + time.tv_usec);
    time = (struct timeval){us / 1000000, us % 1000000};
    value = &time;
  }
  return (int)syscall(SYS_setsockopt, fd, level, option, value, length);
}

/* ---- timers ---- */

static struct itimerspec shortened_timer(const struct itimerspec* timer, int is_absolute) {
  struct itimerspec set = {to_time(shortened(to_ns(&timer->it_interval))),
                           to_time(shortened(to_ns(&timer->it_value)))};
  /* Of the clocks of timers, nearly all programs use this one for absolute times. */
  if (is_absolute && to_ns(&timer->it_value) > 0)
    set.it_value = kernel_end(CLOCK_MONOTONIC, &timer->it_value);
  return set;
}

static void lengthen(struct itimerspec* timer) {
  if (timer == NULL) return;
  timer->it_interval = to_time(to_ns(&timer->it_interval) * speed);
  timer->it_value = to_time(to_ns(&timer->it_value) * speed);
}

EXPORTED int timerfd_settime(int fd, int flags, const struct itimerspec* timer,
                             struct itimerspec* before) {
  const struct itimerspec set = shortened_timer(timer, flags & TFD_TIMER_ABSTIME);
  const int status = (int)syscall(SYS_timerfd_settime, fd, flags, &set, before);
  if (status == 0) lengthen(before);
  return status;
}

EXPORTED int timerfd_gettime(int fd, struct itimerspec* timer) {
  const int status = (int)syscall(SYS_timerfd_gettime, fd, timer);
  if (status == 0) lengthen(timer);
  return status;
}

EXPORTED int setitimer(__itimer_which_t which, const struct itimerval* restrict timer,
                       struct itimerval* restrict before) {
  struct itimerval set = *timer;
  if (which == ITIMER_REAL) {
    const int64_t first = shortened((int64_t)set.it_value.tv_sec * 1000000 + set.it_value.tv_usec);
    const int64_t next =
        shortened((int64_t)set.it_interval.tv_sec * 1000000 + set.it_interval.tv_usec);
    set.it_value = (struct timeval){first / 1000000, first % 1000000};
    set.it_interval = (struct timeval){next / 1000000, next % 1000000};
  }
  return (int)syscall(SYS_setitimer, which, &set, before);
}

EXPORTED unsigned alarm(unsigned seconds) {
  const struct itimerval set = {{0, 0}, {seconds, 0}};
  struct itimerval before = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &set, &before);
  return (unsigned)(before.it_value.tv_sec * speed + (before.it_value.tv_usec > 0));
}

/* ---- threads ---- */

EXPORTED int pthread_cond_timedwait(pthread_cond_t* restrict condition,
                                    pthread_mutex_t* restrict mutex,
                                    const struct timespec* restrict until) {
  LIBC(pthread_cond_timedwait, "GLIBC_2.3.2");
  const unsigned is_monotonic =
      condition->__data.__wrefs & 2; /* set by pthread_condattr_setclock */
  const struct timespec end = kernel_end(is_monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME, until);
  return libc_function(condition, mutex, &end);
}

EXPORTED int pthread_cond_clockwait(pthread_cond_t* restrict condition,
                                    pthread_mutex_t* restrict mutex, clockid_t clock,
                                    const struct timespec* restrict until) {
  LIBC(pthread_cond_clockwait, NULL);
  const struct timespec end = kernel_end(clock, until);
  return libc_function(condition, mutex, clock, &end);
}

EXPORTED int sem_timedwait(sem_t* restrict semaphore, const struct timespec* restrict until) {
  LIBC(sem_timedwait, NULL);
  const struct timespec end = kernel_end(CLOCK_REALTIME, until);
  return libc_function(semaphore, &end);
}

EXPORTED int sem_clockwait(sem_t* restrict semaphore, clockid_t clock,
                           const struct timespec* restrict until) {
  LIBC(sem_clockwait, NULL);
  const struct timespec end = kernel_end(clock, until);
  return libc_function(semaphore, clock, &end);
}

EXPORTED int pthread_mutex_timedlock(pthread_mutex_t* restrict mutex,
                                     const struct timespec* restrict until) {
  LIBC(pthread_mutex_timedlock, NULL);
  const struct timespec end = kernel_end(CLOCK_REALTIME, until);
  return libc_function(mutex, &end);
}

static long kernel_call(long number, const long* words) {
  register long four __asm__("r10") = words[3];
  register long five __asm__("r8") = words[4];
  register long six __asm__("r9") = words[5];
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(words[0]), "S"(words[1]), "d"(words[2]), "r"(four), "r"(five),
                     "r"(six)
                   : "rcx", "r11", "memory");
  if (result > -4096 && result < 0) {
    errno = (int)-result;
    return -1;
  }
  return result;
}

/* Rust waits by futex. FUTEX_WAIT has a relative time, FUTEX_WAIT_BITSET an absolute one. */
EXPORTED long syscall(long number, ...) {
  long words[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; ++i) words[i] = va_arg(list, long);
  va_end(list);
  struct timespec wait;
  if (number == SYS_futex && words[3] != 0) {
    const int command = (int)words[1] & FUTEX_CMD_MASK;
    const struct timespec* asked = (const struct timespec*)words[3];
    const clockid_t clock =
        ((int)words[1] & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
    if (command == FUTEX_WAIT) wait = to_time(shortened(to_ns(asked)));
    if (command == FUTEX_WAIT_BITSET) wait = kernel_end(clock, asked);
    if (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET) words[3] = (long)&wait;
  }
  return kernel_call(number, words);
}
