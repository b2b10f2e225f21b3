#include "compose/plan/endpoint.h"

#include <gtest/gtest.h>

namespace doublehold {
namespace {

TEST(ParseEndpoint, ReadsTheUrlsThatOtherClientsOfRedisTake) {
  struct Case {
    const char* url;
    Endpoint endpoint;
  };
  const Case cases[] = {
      {"redis://10.0.0.5", {.user = "", .host = "10.0.0.5"}},
      {"redis://locks.example:6380", {.user = "", .host = "locks.example", .port = 6380}},
      {"redis://app@locks:6379/3", {.user = "app", .host = "locks", .database = 3}},
      {"redis://locks/", {.user = "", .host = "locks"}},
      {"rediss://app@locks", {.user = "app", .host = "locks", .tls = true}},
      {"redis-sentinel://locks#mymaster",
       {.user = "", .host = "locks", .port = 26379, .primary = "mymaster"}},
      {"redis-sentinel://app@locks:5000/2#my.primary",
       {.user = "app", .host = "locks", .port = 5000, .database = 2, .primary = "my.primary"}},
  };
  for (const Case& c : cases) {
    const Result<Endpoint> parsed = ParseEndpoint(c.url);
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(*parsed, c.endpoint) << c.url;
  }
}

TEST(ParseEndpoint, RefusesAnyOtherText) {
  for (const char* url : {"",
                          "10.0.0.5:6379",
                          "tcp://10.0.0.5",
                          "redis://",
                          "redis://:6379",
                          "redis://host:0",
                          "redis://host:65536",
                          "redis://host:6379/x",
                          "redis://host:6379/-1",
                          "redis://host:6379:1",
                          "app@10.0.0.5:6379",
                          "http://u@host",
                          "redis://ho st",
                          "redis://us er@host",
                          "redis://@host",
                          "redis://host\naccept = 1",
                          "redis-sentinel://host",
                          "redis-sentinel://host#",
                          "redis-sentinel://host#a b",
                          "redis://host#mymaster"}) {
    const Result<Endpoint> parsed = ParseEndpoint(url);
    ASSERT_FALSE(parsed) << url;
    EXPECT_EQ(parsed.error().code, ExitCode::kBadInput);
    EXPECT_NE(parsed.error().message.find("is no endpoint"), std::string::npos) << url;
  }
}

TEST(ParseEndpoint, SaysThatAnAddressIsOfIpv6) {
  for (const std::string host : {"[::1]:6379", "[2001:db8::5]", "2001:db8::5", "::ffff:10.0.0.5"}) {
    for (const std::string& url : {"redis://" + host, "rediss://app@" + host + "/2"}) {
      const Result<Endpoint> parsed = ParseEndpoint(url);
      ASSERT_FALSE(parsed) << url;
      EXPECT_EQ(parsed.error().message,
                "the endpoint of " + host +
                    " has an address of IPv6, which is not supported; use a host name or an "
                    "address of IPv4");
    }
  }
}

TEST(ParseEndpoint, ShowsNothingBeforeTheHostOfABadUrl) {
  const Result<Endpoint> parsed = ParseEndpoint("redis://hunter2#@host:x");
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().message,
            "'...host:x' is no endpoint (redis://host:6379, rediss://user@host:6379/0, "
            "redis-sentinel://host:26379#primary)");
}

TEST(ParseEndpoint, RefusesAPasswordAndDoesNotRepeatIt) {
  for (const char* url : {"redis://app:hunter2@host:6379", "redis://:hunter2@host:6379"}) {
    const Result<Endpoint> parsed = ParseEndpoint(url);
    ASSERT_FALSE(parsed) << url;
    EXPECT_EQ(parsed.error().message,
              "the endpoint of host:6379 has a password, which every file of the run would show; "
              "leave it out, and set DOUBLEHOLD_PASSWORD in the environment");
  }
}

}  // namespace
}  // namespace doublehold
