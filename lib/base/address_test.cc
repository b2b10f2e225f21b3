#include "lib/base/address.h"

#include <gtest/gtest.h>

namespace doublehold {
namespace {

TEST(NodeAddress, ReadsBackEqual) {
  for (const char* text : {"unix:/run/redis.sock", "tcp:127.0.0.1:6379", "tcp:127.0.0.1:65535"}) {
    const Result<NodeAddress> address = ParseAddress(text);
    ASSERT_TRUE(address.has_value()) << address.error().message;
    EXPECT_EQ(FormatAddress(*address), text);
  }
}

TEST(NodeAddress, InvalidAddressesAreRefused) {
  for (const char* text :
       {"", "unix:", "127.0.0.1:6379", "tcp:127.0.0.1", "tcp::6379", "tcp:127.0.0.1:0",
        "tcp:127.0.0.1:65536", "tcp:127.0.0.1:63a", "tcp:127.0.0.1:-1"}) {
    const Result<NodeAddress> address = ParseAddress(text);
    ASSERT_FALSE(address.has_value()) << text;
    EXPECT_EQ(address.error().message,
              std::string("'") + text + "' is not an address (unix:/path or tcp:127.0.0.1:6379)");
  }
}

}  // namespace
}  // namespace doublehold
