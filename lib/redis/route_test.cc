#include "lib/redis/route.h"

#include <gtest/gtest.h>

namespace doublehold {
namespace {

uint16_t PortFound(Route& route) {
  const auto found = route.Find(MonoTime{});
  return found ? found->port : 0;
}

TEST(Route, InAClusterMovedSelectsTheClientsOwnLink) {
  const std::vector<NodeAddress> addresses{{.port = 10}, {.port = 11}, {.port = 12}, {.port = 13}};
  const Roster roster{.announced = {0, 7001, 7002, 7003}};
  const auto route = RouteToMaster(addresses, roster);
  EXPECT_EQ(PortFound(*route), 11);
  EXPECT_TRUE(route->Redirected("MOVED 866 127.0.0.1:7003"));
  EXPECT_EQ(PortFound(*route), 13);
  for (const char* other : {"MOVED 866 127.0.0.1:7009", "CLUSTERDOWN The cluster is down",
                            "MOVED 866 127.0.0.1:", "ERR MOVED 866 127.0.0.1:7002"}) {
    EXPECT_FALSE(route->Redirected(other)) << other;
    EXPECT_EQ(PortFound(*route), 13);
  }
}

TEST(Route, InAClusterTheNextServerIsAskedAfterAFailureButNeverTheStore) {
  const std::vector<NodeAddress> addresses{{.port = 10}, {.port = 11}, {.port = 12}, {.port = 13}};
  const Roster roster{.announced = {0, 7001, 7002, 7003}};
  const auto route = RouteToMaster(addresses, roster);
  for (const uint16_t port : {12, 13, 11, 12}) {
    route->Lost();
    EXPECT_EQ(PortFound(*route), port);
  }
}

TEST(Route, IfNoSentinelRepliesTheMasterIsUnknown) {
  const std::vector<NodeAddress> addresses{{.port = 10}, {.port = 11}};
  const Roster roster{.announced = {0, 7001},
                      .sentinels = {{.unix_path = "/nowhere/1"}, {.unix_path = "/nowhere/2"}}};
  const auto found = RouteToMaster(addresses, roster)->Find(MonoTime{});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error(), "no sentinel knows the master");
}

}  // namespace
}  // namespace doublehold
