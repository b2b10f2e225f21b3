// Stands in for session.cc in a build without ZooKeeper's C client.
#include "lib/base/check.h"
#include "lib/zookeeper/session.h"

namespace doublehold {

bool HasZooKeeper() { return false; }

std::unique_ptr<ZooKeeperSession> OpenZooKeeper(std::vector<NodeAddress> /*servers*/,
                                                Duration /*timeout*/) {
  CHECK(HasZooKeeper());
  return nullptr;
}

}  // namespace doublehold
