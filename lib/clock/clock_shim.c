/* LD_PRELOADed under redis-server and under Doublehold's clients. Moves the wall clock of a process
 * as its clock page says (clock_layout.h). CLOCK_MONOTONIC is not changed, unless time runs fast:
 * then every clock but those of the CPU does (fast_time.h, fast_waits.c).
 *
 * The shim must work before libc has finished starting, under allocators and sanitizers that read
 * the time while they start, and in signal handlers. Therefore it uses no malloc, no dlsym, no
 * lock, and no string function that a sanitizer replaces. It finds the vDSO itself and reads the
 * machine's clock through it, so a monotonic time stamp costs the same as without the shim. Without
 * the variable, or when the page cannot be mapped, no clock is changed.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "lib/clock/clock_layout.h"
#include "lib/clock/fast_time.h"

#if UINTPTR_MAX != UINT64_MAX
#error "the clock shim knows 64-bit Linux only"
#endif

typedef int (*clock_function)(clockid_t, struct timespec*);

/* Written only by the constructor, before a second thread exists. */
static clock_function vdso_clock;
static const struct doublehold_clock_page* page;
static int64_t speed = 1;
static int64_t speed_began_ns; /* CLOCK_MONOTONIC; all processes of a run have the same */

static const int64_t kSecondNs = 1000000000;

/* Behaves like the kernel's clock_gettime, errno included. */
static int kernel_clock(clockid_t clock, struct timespec* time) {
  if (vdso_clock == NULL) return (int)syscall(SYS_clock_gettime, clock, time);
  const int status = vdso_clock(clock, time); /* the vDSO returns -errno */
  if (__builtin_expect(status == 0, 1)) return 0;
  errno = -status;
  return -1;
}

static struct timespec from_ns(int64_t ns) {
  struct timespec time = {ns / kSecondNs, ns % kSecondNs};
  if (time.tv_nsec < 0) {
    time.tv_nsec += kSecondNs;
    --time.tv_sec;
  }
  return time;
}

/* The clock as this run counts it: the kernel's, or ahead of it by what the run has gained. */
static int machine_clock(clockid_t clock, struct timespec* time) {
  const int status = kernel_clock(clock, time);
  const unsigned cpu_clocks = 1u << CLOCK_PROCESS_CPUTIME_ID | 1u << CLOCK_THREAD_CPUTIME_ID;
  if (__builtin_expect(speed == 1, 1) || status != 0) return status;
  if ((unsigned)clock >= 32 || (cpu_clocks >> clock & 1) != 0) return status;
  struct timespec mono = *time;
  if (clock != CLOCK_MONOTONIC) kernel_clock(CLOCK_MONOTONIC, &mono);
  const int64_t passed_ns = mono.tv_sec * kSecondNs + mono.tv_nsec - speed_began_ns;
  *time = from_ns(time->tv_sec * kSecondNs + time->tv_nsec + passed_ns * (speed - 1));
  return 0;
}

static int64_t machine_ns(clockid_t clock) {
  struct timespec time = {0, 0};
  machine_clock(clock, &time);
  return time.tv_sec * kSecondNs + time.tv_nsec;
}

/* Sets `wall_ns` and returns true if the wall clock is moved. */
static int moved_ns(int64_t* wall_ns) {
  if (page == NULL) return 0;
  uint64_t version;
  do {
    const struct doublehold_clock_slot slot = doublehold_clock_load(page, &version);
    if (!slot.moved) return 0;
    *wall_ns = doublehold_clock_wall(&slot, machine_ns(CLOCK_MONOTONIC));
  } while (!doublehold_clock_current(page, version));
  return 1;
}

/* TAI is ahead of UTC by whole seconds; by 0 on machines without that setting. */
static int64_t tai_ahead_ns(void) {
  const int64_t ahead = machine_ns(CLOCK_TAI) - machine_ns(CLOCK_REALTIME);
  return (ahead + kSecondNs / 2) / kSecondNs * kSecondNs;
}

EXPORTED int clock_gettime(clockid_t clock, struct timespec* time) {
  const unsigned wall_clocks = 1u << CLOCK_REALTIME | 1u << CLOCK_REALTIME_COARSE |
                               1u << CLOCK_REALTIME_ALARM | 1u << CLOCK_TAI;
  if ((unsigned)clock >= 32 || (wall_clocks >> clock & 1) == 0) return machine_clock(clock, time);
  int64_t wall_ns;
  if (!moved_ns(&wall_ns)) return machine_clock(clock, time);
  *time = from_ns(clock == CLOCK_TAI ? wall_ns + tai_ahead_ns() : wall_ns);
  return 0;
}

EXPORTED int gettimeofday(struct timeval* restrict time, void* restrict zone) {
  if (zone != NULL) syscall(SYS_gettimeofday, NULL, zone);
  struct timespec fine;
  if (clock_gettime(CLOCK_REALTIME, &fine) != 0) return -1;
  time->tv_sec = fine.tv_sec;
  time->tv_usec = fine.tv_nsec / 1000;
  return 0;
}

EXPORTED time_t time(time_t* seconds) {
  struct timespec coarse; /* as time() of libc: may lag a tick behind the fine clock */
  if (clock_gettime(CLOCK_REALTIME_COARSE, &coarse) != 0) return -1;
  if (seconds != NULL) *seconds = coarse.tv_sec;
  return coarse.tv_sec;
}

EXPORTED int timespec_get(struct timespec* time, int base) {
  return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, time) == 0 ? base : 0;
}

static int same_text(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) {
    ++a;
    ++b;
  }
  return *a == *b;
}

/* Counts the symbols in a GNU hash table; newer vDSOs have no other table. */
static size_t gnu_hash_symbols(const uint32_t* table) {
  const uint32_t buckets = table[0], first = table[1], bloom_words = table[2];
  const uint32_t* bucket = table + 4 + bloom_words * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
  const uint32_t* chain = bucket + buckets;
  uint32_t last = 0;
  for (uint32_t i = 0; i < buckets; ++i) {
    if (bucket[i] > last) last = bucket[i];
  }
  if (last < first) return first;
  while ((chain[last - first] & 1) == 0) ++last;
  return last + 1;
}

static clock_function find_vdso_clock(void) {
  const uintptr_t image = getauxval(AT_SYSINFO_EHDR);
  if (image == 0) return NULL;
  const ElfW(Ehdr)* header = (const ElfW(Ehdr)*)image;
  const ElfW(Phdr)* segment = (const ElfW(Phdr)*)(image + header->e_phoff);
  const ElfW(Dyn)* entry = NULL;
  uintptr_t bias = 0;
  int loaded = 0;
  for (int i = 0; i < header->e_phnum; ++i) {
    if (segment[i].p_type == PT_DYNAMIC) entry = (const void*)(image + segment[i].p_offset);
    if (segment[i].p_type == PT_LOAD && !loaded) {
      bias = image + segment[i].p_offset - segment[i].p_vaddr;
      loaded = 1;
    }
  }
  if (entry == NULL || !loaded) return NULL;
  const ElfW(Sym)* symbols = NULL;
  const char* names = NULL;
  size_t count = 0;
  for (; entry->d_tag != DT_NULL; ++entry) {
    const void* at = (const void*)(bias + entry->d_un.d_ptr);
    if (entry->d_tag == DT_SYMTAB) symbols = at;
    if (entry->d_tag == DT_STRTAB) names = at;
    if (entry->d_tag == DT_HASH) count = ((const uint32_t*)at)[1];
    if (entry->d_tag == DT_GNU_HASH && count == 0) count = gnu_hash_symbols(at);
  }
  if (symbols == NULL || names == NULL) return NULL;
  for (size_t i = 0; i < count; ++i) {
    const char* name = names + symbols[i].st_name;
    if (symbols[i].st_shndx == SHN_UNDEF) continue;
    if (same_text(name, "__vdso_clock_gettime") || same_text(name, "__kernel_clock_gettime")) {
      return (clock_function)(bias + symbols[i].st_value);
    }
  }
  return NULL;
}

/* Parses a decimal number and moves past it. Returns -1 when there is none. */
static long read_number(const char** text) {
  long number = -1;
  for (; **text >= '0' && **text <= '9'; ++*text) {
    if (number > (1L << 58)) return -1; /* larger than any descriptor, offset or time */
    number = (number < 0 ? 0 : number * 10) + (**text - '0');
  }
  return number;
}

/* Returns the value of a variable, whose name ends with "=", in an environment, or NULL. */
static const char* find_variable(char** environment, const char* name) {
  for (; environment != NULL && *environment != NULL; ++environment) {
    size_t i = 0;
    while (name[i] != '\0' && (*environment)[i] == name[i]) ++i;
    if (name[i] == '\0') return *environment + i;
  }
  return NULL;
}

static void read_speed(const char* text) {
  if (text == NULL) return;
  const long asked = read_number(&text);
  if (asked < 1 || asked > DOUBLEHOLD_MOST_SPEED || *text++ != ':') return;
  const long began_ns = read_number(&text);
  if (began_ns < 0 || *text != '\0') return;
  speed_began_ns = began_ns;
  speed = asked;
}

__attribute__((constructor(101))) static void start(void) {
  vdso_clock = find_vdso_clock();
  read_speed(find_variable(environ, DOUBLEHOLD_SPEED_VARIABLE "="));
  const char* text = find_variable(environ, DOUBLEHOLD_CLOCK_VARIABLE "=");
  if (text == NULL) return;
  const long fd = read_number(&text);
  if (fd < 0 || *text++ != ':') return;
  const long offset = read_number(&text);
  if (offset < 0 || *text != '\0') return;
  /* Checks the magic number before mapping: reading a page mapped past the end of a file raises
   * SIGBUS. */
  uint64_t magic = 0;
  const int before = errno;
  if (syscall(SYS_pread64, (int)fd, &magic, sizeof(magic), offset) == sizeof(magic) &&
      magic == DOUBLEHOLD_CLOCK_MAGIC) {
    const long at = syscall(SYS_mmap, NULL, DOUBLEHOLD_CLOCK_PAGE_BYTES, PROT_READ, MAP_SHARED,
                            (int)fd, offset);
    if (at != -1) page = (const struct doublehold_clock_page*)at;
  }
  errno = before;
}
