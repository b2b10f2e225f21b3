// Connection and Subscription to a real node. hiredis_connection.cc is the one file that includes
// hiredis; it is used for the protocol, while the socket is ours, so that a deadline holds for
// connecting, sending and receiving alike and a failure can say whether the command may have run.
#ifndef DOUBLEHOLD_LIB_REDIS_HIREDIS_CONNECTION_H_
#define DOUBLEHOLD_LIB_REDIS_HIREDIS_CONNECTION_H_

#include <memory>
#include <string>

#include "lib/base/connection.h"
#include "lib/redis/address.h"
#include "lib/redis/route.h"

namespace doublehold {

// Views given to Start and StartScript must stay valid until Finish: a script that the node lacks
// is sent again in full.
std::unique_ptr<Connection> MakeConnection(NodeAddress address);
std::unique_ptr<Subscription> MakeSubscription(NodeAddress address, std::string channel);
// To wherever the route leads. A command that belongs to another node is sent to that one.
std::unique_ptr<Connection> MakeConnection(std::unique_ptr<Route> route);
std::unique_ptr<Subscription> MakeSubscription(std::unique_ptr<Route> route, std::string channel);

// CLOCK_MONOTONIC.
MonoTime RealMono();

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_REDIS_HIREDIS_CONNECTION_H_
