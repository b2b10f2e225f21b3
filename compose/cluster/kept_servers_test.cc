// Tests the names of servers. kept_servers_slow_test installs them.
#include "compose/cluster/kept_servers.h"

#include <gtest/gtest.h>

namespace doublehold {
namespace {

TEST(KeptServers, AreNamedAndDescribed) {
  EXPECT_GE(KeptServers().size(), 5U);
  for (const KeptServer& server : KeptServers()) {
    EXPECT_TRUE(IsServerName(server.name)) << server.name;
    EXPECT_FALSE(server.service.empty()) << server.name;
    EXPECT_FALSE(server.summary.empty()) << server.name;
  }
}

TEST(KeptServers, ANameIsKnownAndFitsTheService) {
  const struct {
    const char* name;
    const char* service;
    const char* why;  // empty: accepted
  } cases[] = {
      {"redis@6.2", "redis", ""},
      {"valkey@9.1", "redis", ""},
      {"etcd@3.6.16", "etcd", ""},
      {"etcd@3.6.16", "", ""},
      {"redis@6.3", "redis", "server 'redis@6.3' is unknown (did you mean 'redis@6.2'?)"},
      {"etcd@latest", "etcd", "server 'etcd@latest' is unknown"},
      {"etcd@", "etcd", "server 'etcd@' is unknown"},
      {"etcd@3.6.16", "redis", "'etcd@3.6.16' is a server of etcd, and not of Redis"},
  };
  for (const auto& [name, service, why] : cases) {
    const Result<void> checked = CheckServer(name, service);
    EXPECT_EQ(checked.has_value(), std::string(why).empty()) << name;
    if (checked) continue;
    EXPECT_EQ(checked.error().code, ExitCode::kBadInput);
    EXPECT_TRUE(checked.error().message.starts_with(why)) << checked.error().message;
  }
}

TEST(KeptServers, APathIsNoName) {
  EXPECT_TRUE(IsServerName("redis@6.2"));
  EXPECT_FALSE(IsServerName("redis-server"));
  EXPECT_FALSE(IsServerName("./redis@6.2"));
  EXPECT_FALSE(IsServerName("/opt/redis@6.2/redis-server"));
}

}  // namespace
}  // namespace doublehold
