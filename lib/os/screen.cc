#include "lib/os/screen.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace doublehold {

bool IsScreen(int descriptor) {
  const char* kind = std::getenv("TERM");
  return isatty(descriptor) == 1 && (kind == nullptr || std::string_view(kind) != "dumb");
}

}  // namespace doublehold
