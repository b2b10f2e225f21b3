// CHECK(condition) aborts with file, line and condition when the code violates an invariant of its
// own. Enabled in every build. Use CHECK for bugs only; functions return an Error (result.h) for
// bad input and failing peers.
#ifndef DOUBLEHOLD_LIB_BASE_CHECK_H_
#define DOUBLEHOLD_LIB_BASE_CHECK_H_

#include <cstdio>
#include <cstdlib>

namespace doublehold {

[[noreturn]] inline void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: CHECK failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace doublehold

#define CHECK(condition)                               \
  (static_cast<bool>(condition) ? static_cast<void>(0) \
                                : ::doublehold::CheckFailed(__FILE__, __LINE__, #condition))

#endif  // DOUBLEHOLD_LIB_BASE_CHECK_H_
