#include <gtest/gtest.h>

#include "lib/clients/redis.h"

namespace doublehold {
namespace {

TEST(Script, IsNamedByTheDigestThatRedisComputes) {
  // The digests that SCRIPT LOAD returns.
  EXPECT_EQ(Script("return 1").sha1, "e0e1f9fabfc9d4800c877a703b823ac0578ff8db");
  EXPECT_EQ(Script("").sha1, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
}

}  // namespace
}  // namespace doublehold
