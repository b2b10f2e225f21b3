// Lock variants on five real redis-servers, for tests with label `real`.
#ifndef DOUBLEHOLD_LIB_TESTING_VARIANTS_H_
#define DOUBLEHOLD_LIB_TESTING_VARIANTS_H_

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "lib/testing/lock_client.h"
#include "lib/testing/servers.h"

namespace doublehold::testing {

constexpr Lease kShortLease = 300ms;  // ends during a test
constexpr Lease kLongLease = 60s;     // does not end during a test
constexpr int kServers = 5;

std::string NameOf(const Variant& variant);

// A client of the five servers.
class Client : public LockClient {
 public:
  Client(int number, const Variant& variant, Lease lease = kLongLease, int thread = 0);
};

// Servers 1 to 5. They start once for all tests of a program, because a start takes longer than a
// test. Each test begins with empty servers.
class OnServers : public ::testing::Test {
 protected:
  void SetUp() override { Empty(); }
  static void Empty();
  static Server& Node(int number);
  // Returns a reply as text: "(nil)", "3", "OK", "[a, b]".
  static std::string AskNode(int node, std::initializer_list<std::string_view> command);
};

}  // namespace doublehold::testing

#endif  // DOUBLEHOLD_LIB_TESTING_VARIANTS_H_
