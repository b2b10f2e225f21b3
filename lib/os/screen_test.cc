#include "lib/os/screen.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

namespace doublehold {
namespace {

TEST(Screen, IsATerminalThatUnderstandsControlSequences) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  setenv("TERM", "xterm", 1);
  EXPECT_TRUE(IsScreen(terminal));
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(IsScreen(terminal));
  unsetenv("TERM");
  EXPECT_TRUE(IsScreen(terminal));
  close(terminal);
  const int file = open("/dev/null", O_RDWR);
  EXPECT_FALSE(IsScreen(file));
  close(file);
}

}  // namespace
}  // namespace doublehold
