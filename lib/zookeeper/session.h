// ZooKeeperSession to real servers, over ZooKeeper's C client. Only session.cc includes the C
// client. A build without the C client has absent.cc instead.
#ifndef DOUBLEHOLD_LIB_ZOOKEEPER_SESSION_H_
#define DOUBLEHOLD_LIB_ZOOKEEPER_SESSION_H_

#include <memory>
#include <vector>

#include "lib/base/address.h"
#include "lib/base/time.h"
#include "lib/clients/zookeeper.h"

namespace doublehold {

// Whether this build contains the C client.
bool HasZooKeeper();

// Makes a session that connects to one of the servers, and to another when the connection fails.
// Requires HasZooKeeper() and TCP addresses. Every request fails with kRefused if the servers allow
// only a shorter timeout: a holder would then rely on its nodes for too long.
// The destructor waits at most 1.5 s for the server's reply (a constant of the C client).
std::unique_ptr<ZooKeeperSession> OpenZooKeeper(std::vector<NodeAddress> servers, Duration timeout);

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_ZOOKEEPER_SESSION_H_
